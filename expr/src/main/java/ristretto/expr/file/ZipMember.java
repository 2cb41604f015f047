package ristretto.expr.file;

import java.util.Locale;

/**
 * One file of a zip archive.
 *
 * @param name as in the archive
 * @param header where its local header begins
 * @param start where its data begins
 * @param packed bytes of data in the archive
 * @param size bytes unpacked
 * @param deflated packed by deflate, otherwise stored as it is
 * @param crc checksum of the unpacked data
 */
record ZipMember(
    String name, long header, long start, long packed, long size, boolean deflated, long crc) {

  /** The unpacked content, to be read from its start. */
  ZipContent open(FileBytes archive) {
    FileBytes raw = archive.slice(start, packed, "entry " + Excerpt.of(name));
    if (deflated && size / Expansion.BEST_RATIO > packed) {
      throw raw.malformed(
          0,
          String.format(
              Locale.ROOT,
              "deflated data must not claim to grow more than %d times",
              Expansion.BEST_RATIO),
          String.format(
              Locale.ROOT, "%d bytes for %d of entry '%s'", size, packed, Excerpt.of(name)));
    }
    return new ZipContent(this, raw);
  }
}
