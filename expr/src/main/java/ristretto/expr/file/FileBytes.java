package ristretto.expr.file;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.Locale;
import ristretto.kernels.DeviceException;
import ristretto.kernels.FileFormatException;

/**
 * Bytes of a file, or of an entry in one, read with every access checked: what lies outside is a
 * {@link FileFormatException} that names the file and the byte.
 *
 * @param name the file as the user named it, with the entry
 * @param base place of the first byte in the named thing, for messages
 */
record FileBytes(String name, MemorySegment bytes, long base) {
  private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final int SHOWN = 8;

  FileBytes(String name, MemorySegment bytes) {
    this(name, bytes, 0);
  }

  long size() {
    return bytes.byteSize();
  }

  int u8(long at, String what) {
    return bytes.get(ValueLayout.JAVA_BYTE, within(at, 1, what)) & 0xff;
  }

  int u16(long at, String what) {
    return bytes.get(U16, within(at, 2, what)) & 0xffff;
  }

  long u32(long at, String what) {
    return bytes.get(U32, within(at, 4, what)) & 0xffffffffL;
  }

  /** A 64-bit number that counts bytes: more than a long holds does not fit in any file. */
  long u63(long at, String what) {
    long value = bytes.get(U64, within(at, 8, what));
    if (value < 0) {
      throw malformed(at, what + " must fit in the file", Long.toUnsignedString(value));
    }
    return value;
  }

  byte[] array(long at, long length, String what) {
    return bytes.asSlice(within(at, length, what), length).toArray(ValueLayout.JAVA_BYTE);
  }

  FileBytes slice(long at, long length, String what) {
    return new FileBytes(name, bytes.asSlice(within(at, length, what), length), base + at);
  }

  boolean startsWith(byte[] magic) {
    return size() >= magic.length
        && bytes.asSlice(0, magic.length).mismatch(MemorySegment.ofArray(magic)) < 0;
  }

  /** The first bytes, for messages. */
  String start() {
    long length = Math.min(SHOWN, size());
    return length == 0
        ? "nothing"
        : "bytes "
            + HexFormat.ofDelimiter(" ").formatHex(array(0, length, "start"))
            + (size() > SHOWN ? "..." : "");
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

  /** Memory for {@code size} bytes, which the caller has found to be plausible. */
  MemorySegment allocate(Arena arena, long size) {
    try {
      return arena.allocate(size, 64);
    } catch (OutOfMemoryError e) {
      throw new DeviceException(
          String.format(
                  Locale.ROOT,
                  "[load] tensors must fit in memory; got %s, which takes %d bytes; give the JVM"
                      + " more with",
                  name,
                  size)
              + " -XX:MaxDirectMemorySize",
          e);
    }
  }

  private long within(long at, long length, String what) {
    if (at < 0 || length < 0 || at > size() - length) {
      throw malformed(
          at,
          "%s must lie within the file".formatted(what),
          String.format(
              Locale.ROOT,
              "%d bytes where %d are left",
              length,
              Math.max(0, size() - Math.max(0, at))),
          "the file is truncated or damaged");
    }
    return at;
  }
}
