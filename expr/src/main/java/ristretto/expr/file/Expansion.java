package ristretto.expr.file;

import java.util.Locale;
import ristretto.kernels.FileFormatException;

/**
 * Limit of what a packed file may unpack to. Arrays pack better only where they are all but
 * constant, so whoever has such must say that the file is trusted.
 */
public final class Expansion {
  private static final String PROPERTY = "ristretto.file.expansion-limit";
  private static final long DEFAULT = 100;

  /** Deflate cannot pack better: one bit for up to 258 bytes, twice. */
  public static final long BEST_RATIO = 1032;

  /** Bytes that any file may unpack to. */
  private static final long HARMLESS = 256L << 20;

  private Expansion() {}

  /**
   * Refuses a file before it is unpacked.
   *
   * @param operation for the message
   * @param unpacked bytes that the file says it unpacks to
   * @param packed bytes of the file
   * @throws FileFormatException if the file grows by more than the limit
   */
  public static void check(String operation, long unpacked, long packed, String file) {
    long limit = limit();
    if (unpacked > HARMLESS && unpacked / limit >= Math.max(1, packed)) {
      throw new FileFormatException(
          String.format(
              Locale.ROOT,
              "[%s] a file above 256 MiB must not be packed more than %d times; got %d bytes"
                  + " unpacked from %d of %s; this may be a zip bomb; if you trust it, set"
                  + " -D%s=%d",
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
          "[load] the limit of expansion must be a whole number of times from 1 on; got \"%s\";"
                  .formatted(Excerpt.of(text))
              + " correct -D"
              + PROPERTY);
    }
    return Long.parseLong(text);
  }
}
