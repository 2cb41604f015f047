package ristretto.llm.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileFormatException;

/** Reader of the bytes of a GGUF file; every length is checked before it is used. */
final class GgufReader {
  private static final int MAGIC = 'G' | 'G' << 8 | 'U' << 16 | 'F' << 24;
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final String ALIGNMENT = "general.alignment";
  private static final long DEFAULT_ALIGNMENT = 32;
  private static final int MOST_DIMENSIONS = 4;

  /** Lists of lists are nested at most so deep. */
  private static final int MOST_NESTING = 4;

  /** Least bytes of an entry of the metadata and of a description of a tensor. */
  private static final int LEAST_ENTRY = 13;

  private static final int LEAST_TENSOR = 24;

  /** Types of metadata values, by number; those of lists and texts have no fixed size. */
  private static final int[] SIZES = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};

  private static final int TEXT = 8;
  private static final int LIST = 9;

  private final String name;
  private final MemorySegment file;
  private final CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder();
  private long at;

  GgufReader(String name, MemorySegment file) {
    this.name = name;
    this.file = file;
  }

  GgufContent read() {
    require(
        file.byteSize() >= 24 && file.get(INT, 0) == MAGIC,
        0,
        () -> "a GGUF file must begin with GGUF and have a header of 24 bytes",
        this::start);
    int version = file.get(INT, 4);
    require(
        version == 2 || version == 3,
        4,
        () -> "the version must be 2 or 3, little-endian",
        () -> Integer.toUnsignedString(version));
    long tensors = count(8, LEAST_TENSOR, "tensors");
    long entries = count(16, LEAST_ENTRY, "entries of metadata");
    at = 24;
    var metadata = new LinkedHashMap<String, Object>();
    for (long k = 0; k < entries; k++) {
      long from = at;
      String key = text();
      int type = number(4, "type").intValue();
      Object value = value(type, 0);
      require(
          metadata.put(key, value) == null, from, () -> "keys must differ", () -> key + " again");
    }
    return new GgufContent(metadata, tensors(tensors, alignment(metadata)));
  }

  private long alignment(Map<String, Object> metadata) {
    Object value = metadata.getOrDefault(ALIGNMENT, DEFAULT_ALIGNMENT);
    require(
        value instanceof Long n && n > 0 && n <= 1 << 20 && Long.bitCount(n) == 1,
        at,
        () -> ALIGNMENT + " must be a power of two up to 2^20",
        () -> described(value));
    return (Long) value;
  }

  /** Description of a tensor before the start of the data is known. */
  private record Entry(String name, GgufType type, Shape shape, long bytes, long offset, long at) {}

  private Map<String, GgufTensor> tensors(long count, long alignment) {
    var entries = new ArrayList<Entry>();
    for (long k = 0; k < count; k++) {
      entries.add(entry(alignment));
    }
    long start = (at + alignment - 1) / alignment * alignment;
    var all = new LinkedHashMap<String, GgufTensor>();
    for (Entry e : entries) {
      long room = Math.max(0, file.byteSize() - start);
      require(
          e.offset <= room && e.bytes <= room - e.offset,
          e.at,
          () -> "the data of " + e.name + " must lie within the file",
          () ->
              "%s bytes at %s of %s bytes of data; the file is truncated or damaged"
                  .formatted(e.bytes, Long.toUnsignedString(e.offset), room));
      MemorySegment data =
          e.bytes == 0 ? file.asSlice(0, 0) : file.asSlice(start + e.offset, e.bytes);
      var tensor = new GgufTensor(e.name, e.type, e.shape, start + e.offset, data);
      require(
          all.put(e.name, tensor) == null,
          e.at,
          () -> "names of tensors must differ",
          () -> e.name + " again");
    }
    return all;
  }

  private Entry entry(long alignment) {
    long from = at;
    String tensor = text();
    int rank = number(4, "number of dimensions").intValue();
    require(
        rank >= 0 && rank <= MOST_DIMENSIONS,
        at - 4,
        () -> tensor + " must have at most " + MOST_DIMENSIONS + " dimensions",
        () -> Integer.toUnsignedString(rank));
    long[] dims = new long[rank];
    long elements = 1;
    for (int d = 0; d < rank; d++) {
      long dim = number(8, "dimension").longValue();
      long most = dim <= 0 ? Long.MAX_VALUE : Long.MAX_VALUE / 8 / dim;
      require(
          dim >= 0 && elements <= most,
          at - 8,
          () -> "dimensions of " + tensor + " must have a product below 2^60",
          () -> Long.toUnsignedString(dim));
      elements *= dim;
      dims[rank - 1 - d] = dim;
    }
    int number = number(4, "type").intValue();
    GgufType type =
        GgufType.of(number)
            .orElseThrow(() ->
                malformed(
                    at - 4,
                    "the type of " + tensor + " must be one of GGUF's",
                    Integer.toUnsignedString(number)));
    long row = rank == 0 ? 1 : dims[rank - 1];
    require(
        row % type.length() == 0,
        at - 4,
        () -> "rows of " + tensor + " must have whole blocks of " + type.length(),
        () -> row + " elements");
    long offset = number(8, "offset").longValue();
    require(
        offset >= 0 && offset % alignment == 0,
        at - 8,
        () -> "the offset of " + tensor + " must be a multiple of " + alignment,
        () -> Long.toUnsignedString(offset));
    return new Entry(
        tensor, type, Shape.of(dims), elements / type.length() * type.bytes(), offset, from);
  }

  /** Reads a count, each of whose items takes some bytes. */
  private long count(long place, int least, String what) {
    long count = file.get(LONG, place);
    require(
        count >= 0 && count <= file.byteSize() / least,
        place,
        () -> "the number of " + what + " must fit the size of the file",
        () -> Long.toUnsignedString(count) + " in " + file.byteSize() + " bytes");
    return count;
  }

  private Object value(int type, int depth) {
    require(
        type >= 0 && type < SIZES.length,
        at - 4,
        () -> "the type of a value must be from 0 to 12",
        () -> Integer.toUnsignedString(type));
    return switch (type) {
      case 0, 1, 2, 3, 4, 5, 10, 11 -> signed(type);
      case 6 -> (double) Float.intBitsToFloat(number(4, "value").intValue());
      case 7 -> {
        int truth = number(1, "value").intValue();
        require(
            truth == 0 || truth == 1,
            at - 1,
            () -> "a truth value must be 0 or 1",
            () -> Integer.toString(truth & 255));
        yield truth == 1;
      }
      case TEXT -> text();
      case LIST -> list(depth);
      case 12 -> Double.longBitsToDouble(number(8, "value").longValue());
      default -> throw new AssertionError(type);
    };
  }

  private long signed(int type) {
    long value = number(SIZES[type], "value").longValue();
    return switch (type) {
      case 0 -> value & 0xFF;
      case 2 -> value & 0xFFFF;
      case 4 -> value & 0xFFFF_FFFFL;
      default -> value;
    };
  }

  private List<Object> list(int depth) {
    int type = number(4, "type").intValue();
    require(
        type >= 0 && type < SIZES.length && (type != LIST || depth < MOST_NESTING),
        at - 4,
        () -> "elements of a list must have a type from 0 to 12, nested at most " + MOST_NESTING,
        () -> Integer.toUnsignedString(type));
    long count = number(8, "length").longValue();
    require(
        count >= 0 && count <= (file.byteSize() - at) / SIZES[type],
        at - 8,
        () -> "a list must lie within the file",
        () -> Long.toUnsignedString(count) + " elements");
    var all = new ArrayList<Object>((int) Math.min(count, 1 << 20));
    for (long k = 0; k < count; k++) {
      all.add(value(type, depth + 1));
    }
    return Collections.unmodifiableList(all);
  }

  private String text() {
    long length = number(8, "length").longValue();
    require(
        length >= 0 && length <= Math.min(Integer.MAX_VALUE, file.byteSize() - at),
        at - 8,
        () -> "a text must lie within the file",
        () -> Long.toUnsignedString(length) + " bytes");
    var bytes = new byte[(int) length];
    MemorySegment.copy(file, BYTE, at, bytes, 0, bytes.length);
    at += length;
    try {
      return utf8.decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw malformed(at - length, "a text must be UTF-8", "other bytes");
    }
  }

  private Number number(int bytes, String what) {
    require(
        bytes <= file.byteSize() - at,
        at,
        () -> "a " + what + " must lie within the file",
        () -> "its end; the file is truncated");
    long from = at;
    at += bytes;
    return switch (bytes) {
      case 1 -> file.get(BYTE, from);
      case 2 -> file.get(SHORT, from);
      case 4 -> file.get(INT, from);
      default -> file.get(LONG, from);
    };
  }

  /** Returns a value for messages. */
  static String described(Object value) {
    return switch (value) {
      case List<?> all -> "a list of " + all.size();
      case String text -> "'" + (text.length() <= 60 ? text : text.substring(0, 60) + "...") + "'";
      default -> value.toString();
    };
  }

  private String start() {
    long length = Math.min(8, file.byteSize());
    return length == 0
        ? "an empty file"
        : "bytes " + HexFormat.ofDelimiter(" ").formatHex(file.asSlice(0, length).toArray(BYTE));
  }

  private void require(boolean holds, long place, Supplier<String> rule, Supplier<String> got) {
    if (!holds) {
      throw malformed(place, rule.get(), got.get());
    }
  }

  private FileFormatException malformed(long place, String rule, String got) {
    return new FileFormatException(
        String.format(Locale.ROOT, "[load] %s; got %s at byte %d of %s", rule, got, place, name));
  }
}
