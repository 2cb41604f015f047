package ristretto.onnx.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.type.Shape;
import ristretto.symbolic.onnx.OnnxException;

/** Reads a tensor. */
final class TensorReader {
  private static final int EXTERNAL = 1;

  private final Fields in;
  private final Path folder;
  private final List<Long> dims = new ArrayList<>();
  private final Bytes typed = new Bytes();
  private final Map<String, String> external = new HashMap<>();
  private String name = "";
  private long type;
  private long location;
  private ByteBuffer raw;
  private boolean widened;
  private boolean segmented;

  /**
   * Creates a reader.
   *
   * @param folder folder of the model, which has the files of external data; null if there may be
   *     none
   */
  TensorReader(Fields in, Path folder) {
    this.in = in;
    this.folder = folder;
  }

  /** Reads the fields of the message. */
  boolean field(int number) throws IOException {
    switch (number) {
      case 1 -> in.integers(dims);
      case 2 -> type = in.integer();
      case 3 -> segmented = in.message(_ -> false);
      case 4 -> in.numbers(typed, Float.BYTES);
      case 5 -> widened = in.integers(typed, Integer.BYTES);
      case 7, 11 -> in.integers(typed, Long.BYTES);
      case 8 -> name = in.text();
      case 9 -> raw = in.bytes();
      case 10 -> in.numbers(typed, Double.BYTES);
      case 13 -> {
        String[] entry = {"", ""};
        in.message(n -> {
          if (n != 1 && n != 2) {
            return false;
          }
          entry[n - 1] = in.text();
          return true;
        });
        external.put(entry[0], entry[1]);
      }
      case 14 -> location = in.integer();
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Returns the tensor, once its fields are read. */
  Proto.Tensor tensor() throws IOException {
    ElementType t = ElementType.of(type);
    if (segmented) {
      throw failure("in one piece", "a segment");
    }
    long count = 1;
    for (long d : dims) {
      if (d < 0) {
        throw failure("of extents that are not negative", "extents " + dims);
      }
      try {
        count = Math.multiplyExact(count, d);
      } catch (ArithmeticException e) {
        throw failure("of less than 2 GiB", "extents " + dims);
      }
    }
    Shape shape = Shape.of(dims.stream().mapToLong(Long::longValue).toArray());
    if (!t.isSupported()) {
      return new Proto.Tensor(name, t, shape, null);
    }
    if (count > Integer.MAX_VALUE / 8 * 8L / t.dtype().bytes()) {
      throw failure("of less than 2 GiB", "extents " + dims);
    }
    return new Proto.Tensor(name, t, shape, data(t, (int) count));
  }

  private MemorySegment data(ElementType t, int count) throws IOException {
    long packed = (count * (long) t.bits() + 7) / 8;
    ByteBuffer bytes;
    if (location == EXTERNAL) {
      bytes = external(packed);
    } else if (raw != null) {
      bytes = raw;
    } else if (widened) {
      bytes = narrowed(t);
    } else if (t == ElementType.UINT32) {
      bytes = narrowed(typed.view(), Long.BYTES, Integer.BYTES);
    } else {
      bytes = typed.view();
    }
    if (bytes.remaining() != packed) {
      throw failure("with data for its extents", bytes.remaining() + " bytes for " + packed);
    }
    return Elements.unpack(t, bytes, count);
  }

  /** Elements that the file has as I32: one of 8 bits or more each, or a byte of smaller ones. */
  private ByteBuffer narrowed(ElementType t) {
    return narrowed(typed.view(), Integer.BYTES, Math.max(1, t.bits() / 8));
  }

  private static ByteBuffer narrowed(ByteBuffer wide, int from, int to) {
    var all = new Bytes();
    while (wide.remaining() >= from) {
      all.add(from == Integer.BYTES ? wide.getInt() : wide.getLong(), to);
    }
    return all.view();
  }

  private ByteBuffer external(long packed) throws IOException {
    String place = external.getOrDefault("location", "");
    Path root = folder == null ? null : folder.toRealPath();
    Path file = root == null ? null : root.resolve(place).normalize();
    if (place.isEmpty() || file == null || !file.startsWith(root) || file.equals(root)) {
      throw failure("with its data in the folder of the model", "location '" + place + "'");
    }
    Path real = file.toRealPath();
    if (!real.startsWith(root)) {
      throw failure("with its data in the folder of the model", "a link at '" + place + "'");
    }
    long offset = number("offset", 0);
    try (var data = new RandomAccessFile(real.toFile(), "r")) {
      long length = number("length", Math.max(0, data.length() - offset));
      if (offset < 0 || length != packed || offset > data.length() - length) {
        throw failure(
            "with data for its extents",
            "%s bytes at %s of '%s' for %s".formatted(length, offset, place, packed));
      }
      byte[] bytes = new byte[(int) length];
      data.seek(offset);
      data.readFully(bytes);
      return ByteBuffer.wrap(bytes);
    }
  }

  private long number(String key, long otherwise) {
    String text = external.get(key);
    try {
      return text == null ? otherwise : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw failure("with an " + key + " that is a number", "'" + text + "'");
    }
  }

  private OnnxException failure(String rule, String got) {
    return new OnnxException(
        "[onnx] a tensor must be %s; got %s of '%s'; export the model again."
            .formatted(rule, got, name));
  }
}
