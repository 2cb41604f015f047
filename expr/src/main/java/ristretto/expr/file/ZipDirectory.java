package ristretto.expr.file;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Central directory of a zip archive, with zip64. Overlapping entries, which only zip bombs have,
 * are refused; this bounds the unpacked size.
 */
final class ZipDirectory {
  private static final int END = 0x06054b50;
  private static final int END64 = 0x06064b50;
  private static final int END64_LOCATOR = 0x07064b50;
  private static final int ENTRY = 0x02014b50;
  private static final int LOCAL = 0x04034b50;
  private static final int END_BYTES = 22;
  private static final int ENTRY_BYTES = 46;
  private static final int LOCAL_BYTES = 30;
  private static final int MAX_COMMENT = 0xffff;
  private static final long IN_ZIP64 = 0xffffffffL;
  private static final int STORED = 0;
  private static final int DEFLATED = 8;
  private static final int ENCRYPTED = 1;

  private final FileBytes file;
  private final String kind;
  private final String remedy;
  private long start;
  private long bytes;
  private long count;

  private ZipDirectory(FileBytes file, String kind, String remedy) {
    this.file = file;
    this.kind = kind;
    this.remedy = remedy;
  }

  /**
   * Reads the archive's files in directory order, without folders.
   *
   * @param kind format of the archive, for messages
   * @param remedy way to make an archive with supported compression, for messages
   */
  static List<ZipMember> read(FileBytes file, String kind, String remedy) {
    ZipDirectory directory = new ZipDirectory(file, kind, remedy);
    directory.findEnd();
    List<ZipMember> members = directory.members();
    directory.refuseOverlaps(members);
    return members;
  }

  private void findEnd() {
    long last = file.size() - END_BYTES;
    for (long at = last; at >= Math.max(0, last - MAX_COMMENT); at--) {
      if (file.u32(at, "end record") == END && file.u16(at + 20, "comment") == last - at) {
        readEnd(at);
        return;
      }
    }
    throw file.malformed(
        Math.max(0, last),
        "a " + kind + " file must be a zip archive, which ends with its central directory",
        "none",
        "the file is truncated or not a " + kind + " file");
  }

  private void readEnd(long end) {
    int disk = file.u16(end + 4, "disk");
    count = file.u16(end + 10, "number of entries");
    bytes = file.u32(end + 12, "directory size");
    start = file.u32(end + 16, "directory offset");
    long behind = end;
    if (end >= 20 && file.u32(end - 20, "locator") == END64_LOCATOR) {
      behind = file.u63(end - 20 + 8, "zip64 end offset");
      if (file.u32(behind, "zip64 end record") != END64) {
        throw file.malformed(behind, "a zip64 end record must be here", "something else");
      }
      count = file.u63(behind + 32, "number of entries");
      bytes = file.u63(behind + 40, "directory size");
      start = file.u63(behind + 48, "directory offset");
    }
    if (disk != 0) {
      throw file.malformed(end + 4, "an archive must be one file", "a part of several");
    }
    if (count > SafetensorsHeader.MOST_TENSORS) {
      throw file.malformed(
          end,
          "an archive must have at most " + SafetensorsHeader.MOST_TENSORS + " entries",
          Long.toString(count));
    }
    if (start > behind || bytes != behind - start) {
      throw file.malformed(
          end,
          "the central directory must end where its end record begins, at " + behind,
          String.format(Locale.ROOT, "%d bytes from %d", bytes, start),
          "the file is truncated or damaged");
    }
  }

  private List<ZipMember> members() {
    List<ZipMember> members = new ArrayList<>();
    long at = start;
    long end = start + bytes;
    long found = 0;
    for (; at < end && found <= count; found++) {
      if (file.u32(at, "directory entry") != ENTRY) {
        throw file.malformed(at, "a central directory entry must be here", "something else");
      }
      int nameBytes = file.u16(at + 28, "name length");
      int extraBytes = file.u16(at + 30, "extra length");
      int commentBytes = file.u16(at + 32, "comment length");
      String name = name(at + ENTRY_BYTES, nameBytes);
      if (!name.endsWith("/")) {
        members.add(member(at, name, at + ENTRY_BYTES + nameBytes, extraBytes));
      }
      at += (long) ENTRY_BYTES + nameBytes + extraBytes + commentBytes;
    }
    if (at != end || found != count) {
      throw file.malformed(
          start,
          String.format(
              Locale.ROOT, "the central directory must have %d entries in %d bytes", count, bytes),
          String.format(Locale.ROOT, "%d in %d", found, at - start));
    }
    return members;
  }

  private String name(long at, int length) {
    byte[] raw = file.array(at, length, "name");
    String name;
    try {
      name = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(raw)).toString();
    } catch (CharacterCodingException e) {
      throw file.malformed(at, "names must be UTF-8", "other bytes");
    }
    if (name.chars().anyMatch(c -> c < ' ')) {
      throw file.malformed(at, "names must have printable characters only", "others");
    }
    return name;
  }

  private ZipMember member(long at, String name, long extra, int extraBytes) {
    int flags = file.u16(at + 8, "flags");
    int method = file.u16(at + 10, "method");
    if ((flags & ENCRYPTED) != 0) {
      throw file.malformed(at + 8, "entries must not be encrypted", "'" + Excerpt.of(name) + "'");
    }
    if (method != STORED && method != DEFLATED) {
      throw file.malformed(
          at + 10,
          "entries must be stored or deflated",
          String.format(Locale.ROOT, "method %d of '%s'", method, Excerpt.of(name)),
          remedy);
    }
    Extra wide = new Extra(extra, extra + extraBytes);
    long size = wide.orZip64(file.u32(at + 24, "size"));
    long packed = wide.orZip64(file.u32(at + 20, "packed size"));
    long header = wide.orZip64(file.u32(at + 42, "local header offset"));
    if (method == STORED && packed != size) {
      throw file.malformed(
          at + 20, "a stored entry must be as large as its data", packed + " and " + size);
    }
    if (file.u32(header, "local header") != LOCAL) {
      throw file.malformed(
          header,
          "the local header of '%s' must be here".formatted(Excerpt.of(name)),
          "something else");
    }
    int localName = file.u16(header + 26, "name length");
    long data = header + LOCAL_BYTES + localName + file.u16(header + 28, "extra length");
    file.slice(data, packed, "data of '" + Excerpt.of(name) + "'");
    long crc = file.u32(at + 16, "checksum");
    return new ZipMember(name, header, data, packed, size, method == DEFLATED, crc);
  }

  /** Zip64 values of an entry, in a fixed order; present only if the 32-bit field is 0xffffffff. */
  private final class Extra {
    private long next = -1;
    private long end;

    Extra(long from, long to) {
      for (long at = from; at < to; ) {
        if (to - at < 4) {
          throw file.malformed(at, "an extra field must have at least 4 bytes", (to - at) + "");
        }
        int length = file.u16(at + 2, "extra length");
        if (length > to - at - 4) {
          throw file.malformed(at, "extra fields must fit", length + " bytes");
        }
        if (file.u16(at, "extra kind") == 1) {
          next = at + 4;
          end = next + length;
        }
        at += 4 + length;
      }
    }

    long orZip64(long value) {
      if (value != IN_ZIP64) {
        return value;
      }
      if (next < 0 || end - next < 8) {
        throw file.malformed(
            Math.max(start, next), "a zip64 entry must have its 64-bit sizes", "none");
      }
      next += 8;
      return file.u63(next - 8, "zip64 size");
    }
  }

  private void refuseOverlaps(List<ZipMember> members) {
    List<ZipMember> sorted = new ArrayList<>(members);
    sorted.sort(Comparator.comparingLong(ZipMember::header));
    long free = 0;
    for (ZipMember member : sorted) {
      if (member.header() < free || member.start() + member.packed() > start) {
        throw file.malformed(
            member.header(),
            "entries must not overlap",
            "'%s' within another".formatted(Excerpt.of(member.name())),
            "this may be a zip bomb");
      }
      free = member.start() + member.packed();
    }
  }
}
