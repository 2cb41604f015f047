package ristretto.kernels.standin;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Damage to files: bytes that change, are missing or come twice, numbers that are extreme, and text
 * that a terminal would obey or that fills it.
 */
public final class Mutations {
  private static final int[] INTEGERS = {
    Integer.MAX_VALUE, Integer.MIN_VALUE, -1, 0, 1, 100_000_000, 88_093_496, 0x7fc00000
  };
  private static final List<String> NUMBERS =
      List.of("nan", "-inf", "-1", "0", "2147483647", "88093496", "99999999999", "1e39", "x", "");
  private static final List<String> WORDS =
      List.of("[", "]", " ", "\n", "\n\n", "\u0000B", "|", "#", "'", "=", "<", "(", "\ud83d\ude00");

  /** Characters of the longest quote, the name of a file; words and lines have fewer. */
  private static final int LONGEST_QUOTE = 1000;

  private static final String LONG = "Q".repeat(1200);

  /** Sequences that colour, clear and write backwards, and long words. */
  private static final List<String> HOSTILE =
      List.of("\u001b[31m", "\u001b[2J\u0007", "\r", "\u202e", "\u0085", "\u007f", LONG);

  private final Random random;

  public Mutations(Random random) {
    this.random = random;
  }

  /** The bytes with one to three kinds of damage. */
  public byte[] of(byte[] bytes) {
    byte[] changed = once(bytes);
    for (int more = random.nextInt(8); more >= 6; more--) {
      changed = once(changed);
    }
    return changed;
  }

  private byte[] once(byte[] bytes) {
    int at = random.nextInt(bytes.length + 1);
    int length = Math.min(bytes.length - at, 1 + random.nextInt(40));
    return switch (random.nextInt(10)) {
      case 0 -> Arrays.copyOf(bytes, at);
      case 1 -> replaced(bytes, at, length, new byte[0]);
      case 2 -> replaced(bytes, at, 0, Arrays.copyOfRange(bytes, at, at + length));
      case 3 -> withBytes(bytes);
      case 4 -> replaced(bytes, at, random.nextInt(2), bytesOf(WORDS));
      case 5, 6 -> withHostile(bytes, at);
      default -> withNumber(bytes, at);
    };
  }

  /** Text within or after the next word. */
  private byte[] withHostile(byte[] bytes, int from) {
    int at = from;
    while (at < bytes.length && !Character.isLetter(bytes[at])) {
      at++;
    }
    return replaced(bytes, Math.min(bytes.length, at + random.nextInt(2)), 0, bytesOf(HOSTILE));
  }

  /**
   * Checks that a message has no characters that a terminal would obey, and quotes no long word as
   * a whole.
   */
  public static void checkMessage(String message) {
    boolean obeyed =
        message
            .codePoints()
            .anyMatch(c ->
                c != '\n'
                    && c != '\t'
                    && (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT));
    if (obeyed || message.contains(LONG.substring(0, 1 + LONGEST_QUOTE))) {
      throw new AssertionError(
          "a quote must be escaped and cut: " + message.replace('\u001b', '?'));
    }
  }

  private byte[] bytesOf(List<String> words) {
    return words.get(random.nextInt(words.size())).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] replaced(byte[] bytes, int at, int length, byte[] by) {
    int end = Math.min(bytes.length, at + length);
    byte[] all = Arrays.copyOf(bytes, at + by.length + bytes.length - end);
    System.arraycopy(by, 0, all, at, by.length);
    System.arraycopy(bytes, end, all, at + by.length, bytes.length - end);
    return all;
  }

  private byte[] withBytes(byte[] bytes) {
    byte[] changed = bytes.clone();
    for (int n = random.nextInt(4); n >= 0 && bytes.length > 0; n--) {
      changed[random.nextInt(changed.length)] = (byte) random.nextInt();
    }
    return changed;
  }

  /** The next number is another one. */
  private byte[] withNumber(byte[] bytes, int from) {
    boolean binary = bytes.length > 2 && (bytes[0] == 0 || bytes[2] == 0);
    for (int k = from; k < bytes.length - 5; k++) {
      if (binary && bytes[k] == Integer.BYTES) {
        byte[] changed = bytes.clone();
        ByteBuffer.wrap(changed)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(k + 1, INTEGERS[random.nextInt(INTEGERS.length)]);
        return changed;
      }
      if (!binary && bytes[k] >= '0' && bytes[k] <= '9') {
        int end = k;
        while (end < bytes.length && bytes[end] > ' ') {
          end++;
        }
        return replaced(bytes, k, end - k, bytesOf(NUMBERS));
      }
    }
    return bytes;
  }
}
