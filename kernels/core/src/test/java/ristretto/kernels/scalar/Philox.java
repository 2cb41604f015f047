package ristretto.kernels.scalar;

/**
 * Philox4x32-10 in plain Java, as in Salmon et al. (2011): the reference for {@link ExpandRandom}.
 */
public final class Philox {
  private Philox() {}

  /** The four output words for four counter words and two key words. */
  public static int[] words(int[] counter, int[] key) {
    int[] c = counter.clone();
    int[] k = key.clone();
    for (int round = 0; round < 10; round++) {
      long p0 = Integer.toUnsignedLong(0xD2511F53) * Integer.toUnsignedLong(c[0]);
      long p1 = Integer.toUnsignedLong(0xCD9E8D57) * Integer.toUnsignedLong(c[2]);
      c =
          new int[] {
            (int) (p1 >>> 32) ^ c[1] ^ k[0], (int) p1, (int) (p0 >>> 32) ^ c[3] ^ k[1], (int) p0
          };
      k[0] += 0x9E3779B9;
      k[1] += 0xBB67AE85;
    }
    return c;
  }

  /** The words of element {@code counter} of uniform numbers with this seed. */
  public static int[] words(long seed, long counter) {
    return words(seed, counter, 0);
  }

  /**
   * The words of element {@code counter} of a random expression with this seed.
   *
   * @param stream 0 for uniform numbers, 1 for normal ones, 2 for random integers
   */
  public static int[] words(long seed, long counter, int stream) {
    return words(
        new int[] {(int) counter, (int) (counter >>> 32), stream, 0},
        new int[] {(int) seed, (int) (seed >>> 32)});
  }

  /** 64 bits of two words. */
  public static long join(int high, int low) {
    return (long) high << 32 | Integer.toUnsignedLong(low);
  }

  /** Result of a {@link Node.Random} row, floating-point results in double. */
  static Object draw(Node.Distribution distribution, ScalarType type, long seed, long counter) {
    int stream =
        switch (distribution) {
          case UNIFORM, BITS -> 0;
          case NORMAL -> 1;
          case FRACTION -> 2;
        };
    int[] w = words(seed, counter, stream);
    boolean small = type == ScalarType.F32;
    return switch (distribution) {
      case BITS -> type == ScalarType.I32 ? (Object) w[0] : (Object) join(w[0], w[1]);
      case UNIFORM, FRACTION -> small ? unit24(w[0]) * 0x1p-24 : unit53(w[0], w[1]) * 0x1p-53;
      case NORMAL -> {
        double u = small ? (unit24(w[0]) + 1) * 0x1p-24 : (unit53(w[0], w[1]) + 1) * 0x1p-53;
        double v = small ? unit24(w[1]) * 0x1p-24 : unit53(w[2], w[3]) * 0x1p-53;
        yield Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
      }
    };
  }

  private static long unit24(int word) {
    return word >>> 8;
  }

  private static long unit53(int high, int low) {
    return join(high, low) >>> 11;
  }
}
