package ristretto.expr.file;

import java.util.Locale;
import ristretto.kernels.FileFormatException;

/**
 * Limit on the expansion of compressed files. Only nearly constant arrays exceed the limit; users
 * of such files raise it by a system property.
 */
public final class Expansion {
  private static final String PROPERTY = "ristretto.file.expansion-limit";
  private static final long DEFAULT = 100;

  /** Maximal compression ratio of deflate: two bits encode up to 258 bytes. */
  public static final long BEST_RATIO = 1032;

  /** Unpacked size in bytes that is always allowed. */
  private static final long HARMLESS = 256L << 20;

  private Expansion() {}

  /**
   * Checks the declared sizes of a file before it is unpacked.
   *
   * @param operation for the message
   * @param unpacked declared unpacked size in bytes
   * @param packed size of the file in bytes
   * @throws FileFormatException if the ratio exceeds the limit
   */
  public static void check(String operation, long unpacked, long packed, String file) {
    long limit = limit();
    if (unpacked > HARMLESS && unpacked / limit >= Math.max(1, packed)) {
      throw new FileFormatException(
          String.format(
              Locale.ROOT,
              "[%s] a file that unpacks to more than 256 MiB must not be packed more than %d times;"
                  + " got %d bytes unpacked from %d of %s; this may be a zip bomb; if you trust it,"
                  + " set -D%s=%d",
              operation,
              limit,
              unpacked,
              packed,
              file,
              PROPERTY,
              unpacked / Math.max(1, packed) + 1));
    }
  }

  private static long limit() {
    String text = System.getProperty(PROPERTY, "").strip();
    if (text.isEmpty()) {
      return DEFAULT;
    }
    if (!text.matches("[1-9][0-9]{0,8}")) {
      throw new FileFormatException(
          "[load] the expansion limit must be a whole number of at least 1; got \"%s\";"
                  .formatted(Excerpt.of(text))
              + " correct -D"
              + PROPERTY);
    }
    return Long.parseLong(text);
  }
}
