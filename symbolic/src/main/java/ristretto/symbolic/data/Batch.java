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

/** Batch of examples. Its memory is reused after the next batch has been requested. */
public final class Batch {
  private static final int ALIGNMENT = 64;

  private final List<Dataset.Field> fields;
  private final List<MemorySegment> memory = new ArrayList<>();
  private int size;

  Batch(List<Dataset.Field> fields, int most) {
    this.fields = fields;
    for (Dataset.Field f : fields) {
      memory.add(Arena.ofAuto().allocate(Math.max(1, most * f.bytes()), ALIGNMENT));
    }
  }

  void fill(Dataset data, long[] order, long from, long stride, int count) {
    size = count;
    for (int f = 0; f < fields.size(); f++) {
      long bytes = fields.get(f).bytes();
      for (int k = 0; k < count; k++) {
        long position = from + k * stride;
        long example = order == null ? position : order[(int) position];
        data.read(f, example, memory.get(f).asSlice(k * bytes, bytes));
      }
    }
  }

  /** Returns the number of examples. */
  public int size() {
    return size;
  }

  /** Returns the shape of a field: the number of examples, then the shape of one example. */
  public Shape shape(String field) {
    long[] one = fields.get(index(field)).shape().toArray();
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
    return memory.get(f).asSlice(0, size * fields.get(f).bytes());
  }

  private int index(String name) {
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

  /** Sets an input from the field of the same name. */
  public void giveTo(Executor executor, Variable<?> input) {
    giveTo(executor, Map.of(input, input.name()));
  }

  /** Sets inputs from the named fields. */
  public void giveTo(Executor executor, Map<? extends Variable<?>, String> inputs) {
    inputs.forEach((input, name) -> {
      Dataset.Field f = fields.get(index(name));
      if (f.dtype() != (Object) input.dtype()) {
        throw new ShapeException(
            "[batch] a field must have the dtype of its input; got "
                + f
                + " for "
                + input
                + "; cast the data, with Expr.cast(...), or declare the input so.");
      }
      executor.set(input, data(name), shape(name));
    });
  }
}
