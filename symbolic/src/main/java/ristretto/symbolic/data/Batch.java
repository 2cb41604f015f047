package ristretto.symbolic.data;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/**
 * Batch of examples. Its memory is reused after the next batch has been requested.
 *
 * <p>A field with steps has as many steps as the longest example of the batch; shorter examples are
 * padded with zeros, or with the value of {@link Batcher#padding}.
 */
public final class Batch {
  private static final int ALIGNMENT = 64;

  private final Dataset data;
  private final List<Dataset.Field> fields;
  private final List<MemorySegment> memory = new ArrayList<>();
  private final Map<Integer, MemorySegment> padding;
  private int size;

  /** Steps of the longest example. */
  private long longest;

  /**
   * Creates a batch.
   *
   * @param most largest number of examples
   * @param padding the element that pads a field, by number of the field; zeros if there is none
   */
  Batch(Dataset data, int most, Map<Integer, MemorySegment> padding) {
    this.data = data;
    this.padding = padding;
    this.fields = data.fields();
    for (Dataset.Field f : fields) {
      memory.add(Arena.ofAuto().allocate(Math.max(1, most * f.bytes()), ALIGNMENT));
    }
  }

  void fill(Dataset epoch, Order order, long from, long stride, int count) {
    size = count;
    longest = 0;
    for (int k = 0; k < count; k++) {
      longest = Math.max(longest, epoch.steps(order.at(from + k * stride)));
    }
    for (int f = 0; f < fields.size(); f++) {
      long bytes = bytes(f);
      boolean padded = data.hasSteps(f);
      for (int k = 0; k < count; k++) {
        long example = order.at(from + k * stride);
        MemorySegment to = memory.get(f).asSlice(k * bytes, bytes);
        if (padded) {
          long filled = longest == 0 ? 0 : bytes / longest * epoch.steps(example);
          pad(to.asSlice(filled), padding.get(f));
          to = to.asSlice(0, filled);
        }
        epoch.read(f, example, to);
      }
    }
  }

  private static void pad(MemorySegment to, MemorySegment element) {
    if (element == null) {
      to.fill((byte) 0);
      return;
    }
    for (long at = 0; at < to.byteSize(); at += element.byteSize()) {
      MemorySegment.copy(element, 0, to, at, element.byteSize());
    }
  }

  /** Returns the bytes of a field in one example of this batch. */
  private long bytes(int field) {
    return shape(field).size() * fields.get(field).dtype().bytes();
  }

  private Shape shape(int field) {
    Shape one = fields.get(field).shape();
    if (!data.hasSteps(field)) {
      return one;
    }
    long[] dims = one.toArray();
    dims[0] = longest;
    return Shape.of(dims);
  }

  /** Returns the number of examples. */
  public int size() {
    return size;
  }

  /** Returns the shape of a field: the number of examples, then the shape of one example. */
  public Shape shape(String field) {
    long[] one = shape(index(field)).toArray();
    long[] all = new long[one.length + 1];
    all[0] = size;
    System.arraycopy(one, 0, all, 1, one.length);
    return Shape.of(all);
  }

  /**
   * Returns the values of a field, row-major in native byte order; a view of the batch's memory.
   */
  public MemorySegment data(String field) {
    int f = index(field);
    return memory.get(f).asSlice(0, size * bytes(f));
  }

  private int index(String name) {
    return index(fields, name);
  }

  /** Returns the number of the field with a name. */
  static int index(List<Dataset.Field> fields, String name) {
    for (int f = 0; f < fields.size(); f++) {
      if (fields.get(f).name().equals(name)) {
        return f;
      }
    }
    throw new ShapeException(
        "[batch] the data must have every requested field; got no "
            + name
            + " in "
            + fields
            + "; name the fields as the inputs, with Dataset.named(...).");
  }

  static void requireDtype(Dataset.Field f, Variable<?> input) {
    if (f.dtype() != (Object) input.dtype()) {
      throw new ShapeException(
          "[batch] a field must have the dtype of its input; got "
              + f
              + " for "
              + input
              + "; cast the data, with Expr.cast(...), or declare the input so.");
    }
  }

  /** Sets an input from the field of the same name. */
  public void giveTo(Executor executor, Variable<?> input) {
    giveTo(executor, Map.of(input, input.name()));
  }

  /** Sets inputs from the named fields. */
  public void giveTo(Executor executor, Map<? extends Variable<?>, String> inputs) {
    inputs.forEach((input, name) -> {
      Dataset.Field f = fields.get(index(name));
      requireDtype(f, input);
      executor.set(input, data(name), shape(name));
    });
  }
}
