package ristretto.expr.file;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

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

  /** Deflate cannot pack better: one bit for up to 258 bytes, twice. */
  private static final long BEST_RATIO = 1032;

  /**
   * Arrays pack this well only where they are all but constant; above it and large, nobody is asked
   * to unpack them.
   */
  private static final long BOMB_RATIO = 100;

  private static final long BOMB_SIZE = 1L << 30;
  private static final int CHUNK = 1 << 24;

  /**
   * The unpacked content: a part of the archive where it is stored, new memory where it is
   * deflated.
   */
  FileBytes content(FileBytes archive, Arena arena) {
    FileBytes raw = archive.slice(start, packed, "entry " + name);
    FileBytes content = deflated ? inflate(raw, arena) : raw;
    FileBytes named =
        new FileBytes("entry '%s' of %s".formatted(name, archive.name()), content.bytes(), 0);
    checkCrc(archive, named);
    return named;
  }

  private FileBytes inflate(FileBytes raw, Arena arena) {
    if (size / BEST_RATIO > packed) {
      throw raw.malformed(
          0,
          String.format(
              Locale.ROOT, "deflated data must not claim to grow more than %d times", BEST_RATIO),
          String.format(Locale.ROOT, "%d bytes for %d of entry '%s'", size, packed, name));
    }
    if (size > BOMB_SIZE && size / BOMB_RATIO > packed) {
      throw raw.malformed(
          0,
          String.format(
              Locale.ROOT, "entries above 1 GiB must not be packed more than %d times", BOMB_RATIO),
          String.format(Locale.ROOT, "%d bytes for %d of entry '%s'", size, packed, name),
          "this may be a zip bomb; if you trust it, unpack it and load the .npy files");
    }
    MemorySegment target = raw.allocate(arena, size);
    try (Inflater inflater = new Inflater(true)) {
      long in = 0;
      long out = 0;
      while (!inflater.finished()) {
        if (inflater.needsInput() && in < packed) {
          long length = Math.min(CHUNK, packed - in);
          inflater.setInput(raw.bytes().asSlice(in, length).asByteBuffer());
          in += length;
        }
        ByteBuffer chunk = target.asSlice(out, Math.min(CHUNK, size - out)).asByteBuffer();
        int unpacked = inflater.inflate(chunk.hasRemaining() ? chunk : ByteBuffer.allocate(1));
        if (unpacked == 0 && !inflater.finished() && (in == packed || inflater.needsDictionary())) {
          throw badData(raw, "data that ends too early after " + out + " bytes");
        }
        out += unpacked;
        if (out > size) {
          throw badData(raw, "more");
        }
      }
      if (out < size || in < packed || inflater.getRemaining() > 0) {
        throw badData(raw, out + " bytes");
      }
    } catch (DataFormatException e) {
      throw badData(raw, "data that is not deflated (" + e.getMessage() + ")");
    }
    return new FileBytes(raw.name(), target);
  }

  private RuntimeException badData(FileBytes raw, String got) {
    return raw.malformed(
        0,
        String.format(Locale.ROOT, "entry '%s' must unpack to %d bytes", name, size),
        got,
        "the file is damaged");
  }

  private void checkCrc(FileBytes archive, FileBytes content) {
    CRC32 actual = new CRC32();
    Chunks.forEach(content.bytes(), CHUNK, actual::update);
    if (actual.getValue() != crc) {
      throw archive.malformed(
          start,
          String.format(Locale.ROOT, "the checksum of entry '%s' must be %08x", name, crc),
          String.format(Locale.ROOT, "%08x", actual.getValue()),
          "the file is damaged");
    }
  }
}
