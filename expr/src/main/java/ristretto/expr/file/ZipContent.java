package ristretto.expr.file;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import ristretto.kernels.FileFormatException;

/** Unpacked content of a zip archive's member, for forward reads. */
final class ZipContent implements ByteSource, AutoCloseable {
  private static final int CHUNK = 1 << 16;
  private static final int PIECE = 1 << 20;

  private final ZipMember member;
  private final FileBytes raw;
  private final Inflater inflater;
  private final CRC32 crc = new CRC32();
  private long taken;
  private long given;

  /**
   * Opens a member.
   *
   * @param raw data in the archive, possibly deflated
   */
  ZipContent(ZipMember member, FileBytes raw) {
    this.member = member;
    this.raw = raw;
    this.inflater = member.deflated() ? new Inflater(true) : null;
  }

  FileBytes bytes() {
    String name = "entry '%s' of %s".formatted(Excerpt.of(member.name()), raw.name());
    return new FileBytes(name, this, member.size());
  }

  @Override
  public void read(long at, MemorySegment target) {
    if (at != given) {
      throw new AssertionError("read at " + at + " instead of " + given);
    }
    Chunks.forEach(target, PIECE, this::fill);
  }

  private void fill(ByteBuffer target) {
    int length = target.remaining();
    if (inflater == null) {
      raw.read(given, MemorySegment.ofBuffer(target), "data");
    } else {
      inflateAll(target.duplicate());
    }
    crc.update(target);
    given += length;
  }

  private void inflateAll(ByteBuffer target) {
    while (target.hasRemaining()) {
      if (inflate(target) == 0 && (inflater.finished() || taken == member.packed())) {
        long bytes = given + target.position();
        throw badData(
            inflater.finished()
                ? bytes + " bytes"
                : "data that ends too early after " + bytes + " bytes");
      }
    }
  }

  /** Inflates into {@code to}, with more input if needed; returns the number of bytes. */
  private int inflate(ByteBuffer to) {
    try {
      if (inflater.needsInput() && taken < member.packed()) {
        int length = (int) Math.min(CHUNK, member.packed() - taken);
        inflater.setInput(raw.array(taken, length, "data"));
        taken += length;
      }
      if (inflater.needsDictionary()) {
        throw badData("data that needs a dictionary");
      }
      return inflater.inflate(to);
    } catch (DataFormatException e) {
      throw badData("data that is not deflated (" + e.getMessage() + ")");
    }
  }

  /** Checks, after all bytes were read, that no data follows and that the checksum is correct. */
  void finish() {
    if (inflater != null) {
      ByteBuffer more = ByteBuffer.allocate(1);
      while (!inflater.finished()) {
        if (inflate(more) > 0) {
          throw badData("more");
        }
        if (inflater.needsInput() && taken == member.packed() && !inflater.finished()) {
          throw badData("data that ends too early after " + given + " bytes");
        }
      }
      if (taken < member.packed() || inflater.getRemaining() > 0) {
        throw badData(given + " bytes");
      }
    }
    if (crc.getValue() != member.crc()) {
      throw raw.malformed(
          0,
          String.format(
              Locale.ROOT,
              "the checksum of entry '%s' must be %08x",
              Excerpt.of(member.name()),
              member.crc()),
          String.format(Locale.ROOT, "%08x", crc.getValue()),
          "the file is damaged");
    }
  }

  private FileFormatException badData(String got) {
    return raw.malformed(
        0,
        String.format(
            Locale.ROOT,
            "entry '%s' must unpack to %d bytes",
            Excerpt.of(member.name()),
            member.size()),
        got,
        "the file is damaged");
  }

  @Override
  public void close() {
    if (inflater != null) {
      inflater.end();
    }
  }
}
