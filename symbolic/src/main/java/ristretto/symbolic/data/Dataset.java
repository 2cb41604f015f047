package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.expr.DType;
import ristretto.expr.Shape;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;

/** Examples by number, each with the same fields, in host memory. Safe to read from any thread. */
public interface Dataset {
  /**
   * A part of each example, such as an image or its label.
   *
   * @param shape of one example's part
   */
  record Field(String name, DType<?> dtype, Shape shape) {
    /** Bytes of one example's part. */
    public long bytes() {
      return shape.size() * dtype.bytes();
    }

    /** As {@code labels i32[]}. */
    @Override
    public String toString() {
      return name + " " + dtype + shape;
    }
  }

  /** What each example has. */
  List<Field> fields();

  /** Number of examples. */
  long size();

  /**
   * Copies a field of an example.
   *
   * @param to as many bytes as the field has, filled row-major in native order
   */
  void read(int field, long example, MemorySegment to);

  // Where they come from

  /**
   * The rows of tensors, all of the same number; a copy of their current values. Files come in this
   * way too: {@code Dataset.of(ctx.loadAll(Path.of("data.npz")))}.
   */
  static Dataset of(Map<String, ? extends Tensor<?>> tensors) {
    return HostDataset.of(tensors);
  }

  /**
   * Images and labels in MNIST's format, packed by gzip or not: field {@code images}, F32 from 0 to
   * 1 (bytes divided by 255), and field {@code labels}, I32.
   */
  static Dataset idx(Path images, Path labels) {
    return Idx.read(images, labels);
  }

  /**
   * Numbers separated by commas under a line of names: field {@code features}, F32, all columns but
   * the label's in their order, and field {@code label}, I32.
   *
   * @param label name of the label's column
   */
  static Dataset csv(Path file, String label) {
    return Csv.read(file, label);
  }

  /**
   * A text for language models. It is cut into {@code batch} long pieces, and in batches of that
   * size, in order, row r is a stretch of piece r that begins where the last one ended: field
   * {@code words}, I32 {@code [steps]}, and field {@code next}, the words that follow each.
   *
   * @param words numbers, as of {@link Vocabulary#read}
   */
  static Dataset contiguous(int[] words, int batch, int steps) {
    return new Contiguous(words, batch, steps);
  }

  // Parts of it

  /** Examples {@code from} to {@code to - 1}. */
  default Dataset range(long from, long to) {
    if (from < 0 || from > to || to > size()) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[range] a range must lie in the data; got %d to %d of %d examples.",
              from,
              to,
              size()));
    }
    return new Part(this, fields(), from, to - from);
  }

  /** The same with other names for its fields, as the inputs of a model are called. */
  default Dataset named(String... names) {
    if (names.length != fields().size()) {
      throw new ShapeException(
          "[named] there must be a name for each field; got %s for %s."
              .formatted(List.of(names), fields()));
    }
    var renamed = new ArrayList<Field>();
    for (Field f : fields()) {
      renamed.add(new Field(names[renamed.size()], f.dtype(), f.shape()));
    }
    return new Part(this, List.copyOf(renamed), 0, size());
  }
}
