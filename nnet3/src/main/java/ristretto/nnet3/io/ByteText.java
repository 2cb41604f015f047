package ristretto.nnet3.io;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import ristretto.kernels.FileFormatException;

/**
 * Lossless conversion between bytes and text: UTF-8, in which a byte that is not part of a valid
 * sequence becomes the character U+DC00 plus the byte. No valid sequence has such a character, so
 * different bytes become different strings.
 */
final class ByteText {
  private static final char REPLACED = '\ufffd';
  private static final char ESCAPE = '\udc00';
  private static final int LOWEST_ESCAPED = 0x80;

  private ByteText() {}

  static String decode(byte[] bytes, int size) {
    String text = new String(bytes, 0, size, StandardCharsets.UTF_8);
    return text.indexOf(REPLACED) < 0 ? text : decodeEscaping(ByteBuffer.wrap(bytes, 0, size));
  }

  private static String decodeEscaping(ByteBuffer from) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    CharBuffer to = CharBuffer.allocate(from.remaining());
    while (true) {
      CoderResult result = decoder.decode(from, to, true);
      if (!result.isError()) {
        return to.flip().toString();
      }
      for (int k = 0; k < result.length(); k++) {
        to.put((char) (ESCAPE + (from.get() & 0xff)));
      }
      decoder.reset();
    }
  }

  static byte[] encode(String text) {
    if (text.chars().noneMatch(c -> Character.isSurrogate((char) c))) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    var to = new ByteArrayOutputStream(text.length() + 16);
    for (int k = 0; k < text.length(); ) {
      int c = text.codePointAt(k);
      int width = Character.charCount(c);
      if (isEscape(c)) {
        to.write(c - ESCAPE);
      } else if (width == 1 && Character.isSurrogate((char) c)) {
        throw new FileFormatException(
            "[kaldi] names must be text that UTF-8 can encode; got half of a character in %s; correct it."
                .formatted(TextScanner.whole(text)));
      } else {
        to.writeBytes(text.substring(k, k + width).getBytes(StandardCharsets.UTF_8));
      }
      k += width;
    }
    return to.toByteArray();
  }

  /** Returns true if the character stands for a byte that is not UTF-8. */
  static boolean isEscape(int c) {
    return c >= ESCAPE + LOWEST_ESCAPED && c <= ESCAPE + 0xff;
  }

  /** Compares two texts by their bytes, as {@code sort} does in the C locale. */
  static int compare(String a, String b) {
    int same = 0;
    int end = Math.min(a.length(), b.length());
    while (same < end && a.charAt(same) == b.charAt(same)) {
      same++;
    }
    boolean plain =
        same == end
            || a.charAt(same) < Character.MIN_SURROGATE && b.charAt(same) < Character.MIN_SURROGATE;
    return plain ? a.compareTo(b) : Arrays.compareUnsigned(encode(a), encode(b));
  }
}
