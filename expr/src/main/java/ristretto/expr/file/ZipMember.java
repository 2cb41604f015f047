package ristretto.expr.file;

import java.util.Locale;

/**
 * File of a zip archive.
 *
 * @param name name in the archive
 * @param header byte offset of the local header
 * @param start byte offset of the data
 * @param packed size of the data in the archive in bytes
 * @param size unpacked size in bytes
 * @param deflated true if compressed by deflate, false if stored
 * @param crc CRC-32 of the unpacked data
 */
record ZipMember(
    String name, long header, long start, long packed, long size, boolean deflated, long crc) {

  /** Opens the unpacked content, positioned at its start. */
  ZipContent open(FileBytes archive) {
    FileBytes raw = archive.slice(start, packed, "entry " + Excerpt.of(name));
    if (deflated && size / Expansion.BEST_RATIO > packed) {
      throw raw.malformed(
          0,
          String.format(
              Locale.ROOT,
              "deflated data must not claim to unpack to more than %d times its size",
              Expansion.BEST_RATIO),
          String.format(
              Locale.ROOT, "%d bytes for %d of entry '%s'", size, packed, Excerpt.of(name)));
    }
    return new ZipContent(this, raw);
  }
}
