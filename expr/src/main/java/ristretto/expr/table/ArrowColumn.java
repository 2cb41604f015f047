package ristretto.expr.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import ristretto.expr.file.Excerpt;

/** Column of an Arrow file, which grows by the rows of each record batch. */
final class ArrowColumn {
  private static final long MOST_EXACT = 1L << 53;
  private static final long DAY = 86_400_000;
  private static final int VIEW = 16;
  private static final int INLINE = 12;
  private static final ValueLayout.OfShort I16 = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt I32 = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong I64 = ValueLayout.JAVA_LONG_UNALIGNED;

  private final ArrowMessages file;
  private final Field field;
  private final boolean encoded;
  private final Map<Long, ArrowColumn> dictionaries;
  private final ColumnKind kind;
  private final Cells cells;
  private final Words words = new Words();
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private char[] text = new char[64];
  private boolean floating;
  private boolean inexact;

  /** Elements of a buffer as whole numbers. */
  private interface Whole {
    long at(MemorySegment data, long k);
  }

  /**
   * Creates an empty column.
   *
   * @param dictionaries values of fields that are encoded by a dictionary, or null for a column
   *     that holds such values
   */
  ArrowColumn(ArrowMessages file, Field field, Map<Long, ArrowColumn> dictionaries, Arena arena) {
    this.file = file;
    this.field = field;
    this.dictionaries = dictionaries;
    this.encoded = dictionaries != null && field.dictionary() != null;
    this.cells = new Cells(arena);
    this.kind = kind();
    this.floating = kind == ColumnKind.NUMBER || kind == ColumnKind.BLANK;
  }

  private ColumnKind kind() {
    return switch (field.typeType()) {
      case Type.Null -> ColumnKind.BLANK;
      case Type.Int -> ColumnKind.WHOLE;
      case Type.FloatingPoint -> ColumnKind.NUMBER;
      case Type.Bool -> ColumnKind.BOOLEAN;
      case Type.Date -> ColumnKind.DATE;
      case Type.Timestamp -> ColumnKind.TIME;
      case Type.Utf8, Type.LargeUtf8, Type.Utf8View -> ColumnKind.TEXT;
      default ->
          throw file.malformed(
              "columns of numbers, booleans, dates, times and texts, or be read by the names of"
                  + " such columns",
              named() + " of type " + typeName());
    };
  }

  private String typeName() {
    byte type = field.typeType();
    return type < 0 || type >= Type.names.length
        ? Integer.toString(type)
        : Type.name(type).replace("_", "");
  }

  private String named() {
    return "column '" + Excerpt.of(field.name()) + "'";
  }

  /** Appends the rows of a batch. */
  void add(ArrowBatch batch) {
    FieldNode node = batch.nextNode();
    long rows = node.length();
    file.require(
        dictionaries == null || rows == batch.rows(),
        "columns of equal lengths",
        rows + " rows of " + batch.rows() + " in " + named());
    if (kind == ColumnKind.BLANK && !encoded) {
      file.require(
          rows >= 0 && cells.size() + rows <= file.mostRows(),
          "rows that its size can hold",
          rows + " rows without values in " + named());
      for (long k = 0; k < rows; k++) {
        addMissing();
      }
      return;
    }
    MemorySegment validity = batch.nextBuffer();
    Bits valid = node.nullCount() == 0 ? null : new Bits(validity);
    if (encoded) {
      addEncoded(batch.nextBuffer(), valid, rows);
    } else if (kind == ColumnKind.TEXT) {
      addTexts(batch, valid, rows);
    } else if (kind == ColumnKind.NUMBER) {
      addNumbers(batch.nextBuffer(), valid, rows);
    } else {
      Whole reader = whole();
      MemorySegment data = batch.nextBuffer();
      for (long k = 0; k < rows; k++) {
        if (valid == null || valid.at(k)) {
          addWhole(reader.at(data, k));
        } else {
          addMissing();
        }
      }
    }
  }

  private void addWhole(long v) {
    inexact |= v > MOST_EXACT || v < -MOST_EXACT;
    cells.add(floating ? Double.doubleToRawLongBits(v) : v);
  }

  private void addMissing() {
    if (!floating) {
      cells.map(v -> Double.doubleToRawLongBits((double) v));
      floating = true;
    }
    cells.add(Double.doubleToRawLongBits(Double.NaN));
  }

  private record Bits(MemorySegment bits) {
    boolean at(long k) {
      return (bits.get(ValueLayout.JAVA_BYTE, k >> 3) >> (k & 7) & 1) != 0;
    }
  }

  // Numbers

  private Whole whole() {
    return switch (kind) {
      case WHOLE -> integers((Int) field.type(new Int()));
      case BOOLEAN -> (data, k) -> new Bits(data).at(k) ? 1 : 0;
      case DATE ->
          ((Date) field.type(new Date())).unit() == DateUnit.DAY
              ? (data, k) -> data.getAtIndex(I32, k)
              : (data, k) -> Math.floorDiv(data.getAtIndex(I64, k), DAY);
      case TIME -> times(((Timestamp) field.type(new Timestamp())).unit());
      default -> throw new AssertionError(kind);
    };
  }

  private Whole integers(Int type) {
    return switch (type.bitWidth()) {
      case 8 ->
          type.isSigned()
              ? (data, k) -> data.get(ValueLayout.JAVA_BYTE, k)
              : (data, k) -> Byte.toUnsignedLong(data.get(ValueLayout.JAVA_BYTE, k));
      case 16 ->
          type.isSigned()
              ? (data, k) -> data.getAtIndex(I16, k)
              : (data, k) -> Short.toUnsignedLong(data.getAtIndex(I16, k));
      case 32 ->
          type.isSigned()
              ? (data, k) -> data.getAtIndex(I32, k)
              : (data, k) -> Integer.toUnsignedLong(data.getAtIndex(I32, k));
      case 64 -> type.isSigned() ? (data, k) -> data.getAtIndex(I64, k) : this::unsigned;
      default -> throw file.malformed("integers of 8 to 64 bits", type.bitWidth() + " bits");
    };
  }

  private long unsigned(MemorySegment data, long k) {
    long v = data.getAtIndex(I64, k);
    file.require(v >= 0, "whole numbers below 2^63", Long.toUnsignedString(v) + " in " + named());
    return v;
  }

  private static Whole times(short unit) {
    return switch (unit) {
      case TimeUnit.SECOND -> (data, k) -> Math.multiplyExact(data.getAtIndex(I64, k), 1000L);
      case TimeUnit.MILLISECOND -> (data, k) -> data.getAtIndex(I64, k);
      case TimeUnit.MICROSECOND -> (data, k) -> Math.floorDiv(data.getAtIndex(I64, k), 1000L);
      default -> (data, k) -> Math.floorDiv(data.getAtIndex(I64, k), 1_000_000L);
    };
  }

  private void addNumbers(MemorySegment data, Bits valid, long rows) {
    short precision = ((FloatingPoint) field.type(new FloatingPoint())).precision();
    for (long k = 0; k < rows; k++) {
      double v = Double.NaN;
      if (valid == null || valid.at(k)) {
        v =
            switch (precision) {
              case Precision.HALF -> Float.float16ToFloat(data.getAtIndex(I16, k));
              case Precision.SINGLE -> Float.intBitsToFloat(data.getAtIndex(I32, k));
              default -> Double.longBitsToDouble(data.getAtIndex(I64, k));
            };
      }
      cells.add(Double.doubleToRawLongBits(v));
    }
  }

  // Texts

  private void addTexts(ArrowBatch batch, Bits valid, long rows) {
    if (field.typeType() == Type.Utf8View) {
      addViews(batch, valid, rows);
      return;
    }
    boolean large = field.typeType() == Type.LargeUtf8;
    MemorySegment offsets = batch.nextBuffer();
    MemorySegment data = batch.nextBuffer();
    for (long k = 0; k < rows; k++) {
      if (valid == null || valid.at(k)) {
        long from = large ? offsets.getAtIndex(I64, k) : offsets.getAtIndex(I32, k);
        long to = large ? offsets.getAtIndex(I64, k + 1) : offsets.getAtIndex(I32, k + 1);
        addText(data.asSlice(from, to - from));
      } else {
        addText(MemorySegment.NULL);
      }
    }
  }

  private void addViews(ArrowBatch batch, Bits valid, long rows) {
    MemorySegment views = batch.nextBuffer();
    MemorySegment[] data = new MemorySegment[batch.nextVariadicCount()];
    for (int k = 0; k < data.length; k++) {
      data[k] = batch.nextBuffer();
    }
    for (long k = 0; k < rows; k++) {
      if (valid != null && !valid.at(k)) {
        addText(MemorySegment.NULL);
        continue;
      }
      MemorySegment view = views.asSlice(k * VIEW, VIEW);
      int length = view.get(I32, 0);
      addText(
          length <= INLINE
              ? view.asSlice(4, length)
              : data[view.get(I32, 8)].asSlice(view.get(I32, 12), length));
    }
  }

  private void addText(MemorySegment bytes) {
    int size = Math.toIntExact(bytes.byteSize());
    if (text.length < size) {
      text = new char[Math.max(size, 2 * text.length)];
    }
    var to = CharBuffer.wrap(text);
    ByteBuffer from = bytes.asByteBuffer();
    CoderResult result = decoder.reset().decode(from, to, true);
    try {
      if (result.isError()) {
        result.throwException();
      }
    } catch (CharacterCodingException e) {
      throw file.malformed("texts in UTF-8", "other bytes in " + named());
    }
    cells.add(words.number(text, 0, to.position()));
  }

  // Dictionaries

  private void addEncoded(MemorySegment data, Bits valid, long rows) {
    Int type = field.dictionary().indexType();
    Whole index = type == null ? (d, k) -> d.getAtIndex(I32, k) : integers(type);
    ArrowColumn values = dictionaries.get(field.dictionary().id());
    file.require(
        values != null && values.kind == kind,
        "a dictionary for each encoded column",
        "none for " + named());
    int[] numbers = kind == ColumnKind.TEXT ? numbers(values.words.all()) : null;
    int blank = numbers == null ? 0 : words.number(text, 0, 0);
    for (long k = 0; k < rows; k++) {
      if (valid != null && !valid.at(k)) {
        if (numbers == null) {
          addMissing();
        } else {
          cells.add(blank);
        }
        continue;
      }
      long at = index.at(data, k);
      file.require(
          at >= 0 && at < values.cells.size(),
          "positions within dictionaries",
          String.format(Locale.ROOT, "%d of %d values in %s", at, values.cells.size(), named()));
      long v = values.cells.get(at);
      if (numbers != null) {
        cells.add(numbers[(int) v]);
      } else if (values.floating && Double.isNaN(Double.longBitsToDouble(v))) {
        addMissing();
      } else if (kind == ColumnKind.NUMBER) {
        cells.add(v);
      } else {
        addWhole(values.floating ? (long) Double.longBitsToDouble(v) : v);
      }
    }
  }

  private int[] numbers(List<String> texts) {
    return texts.stream().mapToInt(t -> words.number(t.toCharArray(), 0, t.length())).toArray();
  }

  TableColumn finish() {
    file.require(
        !(floating && inexact),
        "no whole numbers beyond 2^53 beside missing values, which make the column F64",
        "such numbers in " + named());
    return new TableColumn(field.name(), kind, floating, cells, List.copyOf(words.all()), "");
  }
}
