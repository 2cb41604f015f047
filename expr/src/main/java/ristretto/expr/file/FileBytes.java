package ristretto.expr.file;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.Locale;
import ristretto.kernels.FileFormatException;

/**
 * Bounds-checked reader of a file or archive entry: an access out of bounds throws a {@link
 * FileFormatException} with the file and the byte offset. Single values are read through a buffered
 * window.
 */
final class FileBytes {
  private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final int SHOWN = 8;
  private static final int WINDOW = 4096;
  private static final MemorySegment NONE = MemorySegment.ofArray(new byte[0]);

  private final String name;
  private final ByteSource source;
  private final long start;
  private final long size;
  private final long base;
  private MemorySegment window = NONE;
  private long windowAt;

  /**
   * Reader of a whole source.
   *
   * @param name user's name of the file, with the entry
   */
  FileBytes(String name, ByteSource source, long size) {
    this(name, source, 0, size, 0);
  }

  /**
   * Reader of a slice.
   *
   * @param base offset of the first byte in the named file or entry, for messages
   */
  private FileBytes(String name, ByteSource source, long start, long size, long base) {
    this.name = name;
    this.source = source;
    this.start = start;
    this.size = size;
    this.base = base;
  }

  String name() {
    return name;
  }

  long size() {
    return size;
  }

  int u8(long at, String what) {
    return at(at, 1, what).get(ValueLayout.JAVA_BYTE, at - windowAt) & 0xff;
  }

  int u16(long at, String what) {
    return at(at, 2, what).get(U16, at - windowAt) & 0xffff;
  }

  long u32(long at, String what) {
    return at(at, 4, what).get(U32, at - windowAt) & 0xffffffffL;
  }

  /** Reads an unsigned 64-bit byte count, which must fit into a long. */
  long u63(long at, String what) {
    long value = at(at, 8, what).get(U64, at - windowAt);
    if (value < 0) {
      throw malformed(at, what + " must fit in the file", Long.toUnsignedString(value));
    }
    return value;
  }

  byte[] array(long at, long length, String what) {
    byte[] bytes = new byte[(int) within(at, length, what, length)];
    read(at, MemorySegment.ofArray(bytes), what);
    return bytes;
  }

  FileBytes slice(long at, long length, String what) {
    return new FileBytes(name, source, start + within(at, length, what, at), length, base + at);
  }

  /** Fills {@code target}; bytes in the window are copied from there. */
  void read(long at, MemorySegment target, String what) {
    long length = within(at, target.byteSize(), what, target.byteSize());
    if (length <= WINDOW) {
      MemorySegment.copy(at(at, (int) length, what), at - windowAt, target, 0, length);
    } else {
      long held = copyHeld(at, target);
      source.read(start + at + held, target.asSlice(held));
    }
  }

  private long copyHeld(long at, MemorySegment target) {
    long end = windowAt + window.byteSize();
    if (at < windowAt || at >= end) {
      return 0;
    }
    long held = Math.min(target.byteSize(), end - at);
    MemorySegment.copy(window, at - windowAt, target, 0, held);
    return held;
  }

  boolean startsWith(byte[] magic) {
    return size >= magic.length
        && MemorySegment.ofArray(array(0, magic.length, "start"))
                .mismatch(MemorySegment.ofArray(magic))
            < 0;
  }

  /** First bytes of the file in hexadecimal, for messages. */
  String start() {
    long length = Math.min(SHOWN, size);
    return length == 0
        ? "nothing"
        : "bytes "
            + HexFormat.ofDelimiter(" ").formatHex(array(0, length, "start"))
            + (size > SHOWN ? "..." : "");
  }

  FileFormatException malformed(long at, String rule, String got) {
    return new FileFormatException(
        String.format(
            Locale.ROOT, "[load] %s; got %s at byte %d of %s", rule, got, base + at, name));
  }

  FileFormatException malformed(long at, String rule, String got, String remedy) {
    return new FileFormatException(
        String.format(
            Locale.ROOT,
            "[load] %s; got %s at byte %d of %s; %s",
            rule,
            got,
            base + at,
            name,
            remedy));
  }

  /** Returns the window, moved if necessary to contain {@code length} bytes from {@code at} on. */
  private MemorySegment at(long at, int length, String what) {
    if (at < windowAt || at + length > windowAt + window.byteSize()) {
      within(at, length, what, at);
      MemorySegment next = MemorySegment.ofArray(new byte[(int) Math.min(WINDOW, size - at)]);
      long held = copyHeld(at, next);
      source.read(start + at + held, next.asSlice(held));
      window = next;
      windowAt = at;
    }
    return window;
  }

  /** Returns {@code checked} if the byte range lies within the file; throws otherwise. */
  private long within(long at, long length, String what, long checked) {
    if (at < 0 || length < 0 || at > size - length) {
      throw malformed(
          at,
          "%s must lie within the file".formatted(what),
          String.format(
              Locale.ROOT,
              "%d bytes where %d are left",
              length,
              Math.max(0, size - Math.max(0, at))),
          "the file is truncated or damaged");
    }
    return checked;
  }
}
