package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/**
 * Data set of numbered examples with the same fields each. Reads are safe from any thread, at any
 * time.
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

  /**
   * Returns the data as it is in an epoch, with the random variations of that epoch; this data set
   * unless there are any. The variations depend only on seeds, the epoch and the example.
   */
  default Dataset epoch(long number) {
    return this;
  }

  /**
   * Returns true if the first axis of a field has as many entries as the example has {@link
   * #steps}. The field's shape is then that of the longest example, and {@code read} fills memory
   * for the example's own steps only.
   */
  default boolean hasSteps(int field) {
    return false;
  }

  /** Returns the length of an example, for fields that have steps. */
  default long steps(long example) {
    return 0;
  }

  /**
   * Returns the meaning of a field's numbers: names of classes, words, or the means and standard
   * deviations of standardized columns; empty if the numbers are their own meaning. Data for
   * validation must agree with the data for training.
   */
  default List<?> codes(int field) {
    return List.of();
  }

  /**
   * Returns the number of threads that a {@link Batcher} uses by default: one, or more for data
   * that is decoded as it is read.
   */
  default int loaders() {
    return 1;
  }

  // Sources

  /**
   * Data set of the rows of tensors, which must have equal numbers of rows; copies their current
   * values. Also reads files: {@code Dataset.of(ctx.loadAll(Path.of("data.npz")))}. The fields have
   * the order of the map, or of their names if the map is one of {@code Map.of}, which has no
   * order.
   */
  static Dataset of(Map<String, ? extends Tensor<?>> tensors) {
    return HostDataset.of(tensors);
  }

  /**
   * Data set of the examples of an iterator, which are collected in memory. Each example has the
   * values of all fields by name: tensors, numbers, or arrays of float, double, int or long. If the
   * first extents of a field differ, the field has {@link #steps}, and there is one more field
   * {@code steps}, I32, with the number of steps of each example.
   *
   * @throws ShapeException if examples differ in their fields, dtypes or other extents, or if
   *     fields of one example differ in their numbers of steps
   */
  static Dataset of(Iterator<? extends Map<String, ?>> examples) {
    return CollectedDataset.of(examples);
  }

  /** Data set of the examples of several data sets, one after another, such as shards. */
  static Dataset concat(List<? extends Dataset> parts) {
    return new Concatenation(parts);
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

  /** Returns the examples with the given numbers, in that order; a number may occur repeatedly. */
  default Dataset select(long... examples) {
    for (long e : examples) {
      if (e < 0 || e >= size()) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[select] examples must be in the data; got number %d of %d examples.",
                e,
                size()));
      }
    }
    return new SampleSelection(this, examples.clone());
  }

  /**
   * Returns a random subset for training and its complement for validation, in this order.
   *
   * @param share share of the first subset, from 0 to 1, rounded to whole examples
   */
  default List<Dataset> split(double share, long seed) {
    if (!(share >= 0 && share <= 1)) {
      throw new ShapeException("[split] the share must be from 0 to 1; got " + share + ".");
    }
    long[] order = Order.shuffled(size(), seed, 0);
    int first = (int) Math.round(share * order.length);
    return List.of(
        new SampleSelection(this, Arrays.copyOf(order, first)),
        new SampleSelection(this, Arrays.copyOfRange(order, first, order.length)));
  }

  /**
   * Returns mixtures of each example with a random other one and of their labels (mixup, Zhang et
   * al. 2018), different in each epoch. The label field becomes F32 {@code [classes]}, for losses
   * that take probabilities; all other fields must be F32.
   *
   * @param label name of the I32 field with the class
   * @param alpha both parameters of the beta distribution of the shares; 0.2 is common; 0 mixes
   *     nothing, for the labels of validation data
   */
  default Dataset mixup(String label, int classes, double alpha, long seed) {
    return new Mixup(this, label, classes, alpha, seed);
  }
}
