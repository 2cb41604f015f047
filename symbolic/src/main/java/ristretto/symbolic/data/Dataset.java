package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/**
 * Data set of numbered examples with the same fields each, in host memory. Reads are safe from any
 * thread.
 */
public interface Dataset {
  /**
   * Field of each example, such as an image or its label.
   *
   * @param shape shape of the field in one example
   */
  record Field(String name, DType<?> dtype, Shape shape) {
    /** Returns the bytes of the field in one example. */
    public long bytes() {
      return shape.size() * dtype.bytes();
    }

    /** Returns text like {@code labels i32[]}. */
    @Override
    public String toString() {
      return name + " " + dtype + shape;
    }
  }

  /** Returns the fields of each example. */
  List<Field> fields();

  /** Returns the number of examples. */
  long size();

  /**
   * Copies a field of an example.
   *
   * @param to destination with as many bytes as the field has, filled row-major in native byte
   *     order
   */
  void read(int field, long example, MemorySegment to);

  // Sources

  /**
   * Data set of the rows of tensors, which must have equal numbers of rows; copies their current
   * values. Also reads files: {@code Dataset.of(ctx.loadAll(Path.of("data.npz")))}.
   */
  static Dataset of(Map<String, ? extends Tensor<?>> tensors) {
    return HostDataset.of(tensors);
  }

  /**
   * Data set of images and labels in MNIST's format, with or without gzip: field {@code images},
   * F32 from 0 to 1 (bytes divided by 255), and field {@code labels}, I32.
   */
  static Dataset idx(Path images, Path labels) {
    return Idx.read(images, labels);
  }

  /**
   * Data set of comma-separated numbers below a header line: field {@code features}, F32, all
   * columns but the label's in their order, and field {@code label}, I32.
   *
   * @param label name of the label's column
   */
  static Dataset csv(Path file, String label) {
    return Csv.read(file, label);
  }

  /**
   * Data set of a text for language models. The text is cut into {@code batch} long pieces. In
   * unshuffled batches of that size, row r continues piece r where the previous batch ended: field
   * {@code words}, I32 {@code [steps]}, and field {@code next}, the word after each of them.
   *
   * @param words word numbers, for example from {@link Vocabulary#read}
   */
  static Dataset contiguous(int[] words, int batch, int steps) {
    return new ContiguousText(words, batch, steps);
  }

  // Subsets and views

  /** Returns the examples {@code from} to {@code to - 1}. */
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
    return new DatasetView(this, fields(), from, to - from);
  }

  /** Returns this data set with renamed fields, to match the names of a model's inputs. */
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
    return new DatasetView(this, List.copyOf(renamed), 0, size());
  }
}
