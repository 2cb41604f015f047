package ristretto.testkit;

/** Philox4x32-10 in plain Java, after Salmon et al. (2011). */
final class Philox {
  private Philox() {}

  /** Returns the four words of element {@code counter} of a random expression with this seed. */
  static int[] words(long seed, long counter) {
    int[] c = {(int) counter, (int) (counter >>> 32), 0, 0};
    int k0 = (int) seed;
    int k1 = (int) (seed >>> 32);
    for (int round = 0; round < 10; round++) {
      long p0 = Integer.toUnsignedLong(0xD2511F53) * Integer.toUnsignedLong(c[0]);
      long p1 = Integer.toUnsignedLong(0xCD9E8D57) * Integer.toUnsignedLong(c[2]);
      c =
          new int[] {
            (int) (p1 >>> 32) ^ c[1] ^ k0, (int) p1, (int) (p0 >>> 32) ^ c[3] ^ k1, (int) p0
          };
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    return c;
  }

  /** Joins two words to 64 bits. */
  static long join(int high, int low) {
    return (long) high << 32 | Integer.toUnsignedLong(low);
  }
}
