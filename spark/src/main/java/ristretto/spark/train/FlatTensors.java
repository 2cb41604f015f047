package ristretto.spark.train;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;

/**
 * Tensors of a training as one buffer of floats, and counters. The order is that of their names, so
 * that it is the same in all processes.
 */
public final class FlatTensors {
  private static final String STEP = "executor/step";

  private final Context ctx;
  private final List<Tensor<?>> floats = new ArrayList<>();
  private final List<Tensor<?>> counters = new ArrayList<>();
  private final Map<String, int[]> places = new LinkedHashMap<>();
  private int step = -1;
  private int size;

  /** Takes tensors by name, which are read and changed later. */
  public FlatTensors(Context ctx, Map<String, Tensor<?>> tensors) {
    this.ctx = ctx;
    for (String name : new TreeSet<>(tensors.keySet())) {
      Tensor<?> t = tensors.get(name);
      if (t.dtype().isFloat()) {
        places.put(name, new int[] {size, Math.toIntExact(size + t.shape().size())});
        floats.add(t);
        size = Math.toIntExact(size + t.shape().size());
      } else {
        step = name.equals(STEP) ? counters.size() : step;
        counters.add(t);
      }
    }
  }

  /**
   * Returns the places of a tensor's elements among the floats: the first, and that after the last.
   */
  int[] place(String name) {
    return places.get(name);
  }

  /** Copies the tensors from the device. */
  public State get() {
    return new State(floats(), counters());
  }

  /** Sets the tensors. */
  public void set(State state) {
    set(state.floats(), state.counters());
  }

  /** Copies the floats from the device. */
  float[] floats() {
    var all = new float[size];
    int at = 0;
    for (Tensor<?> t : floats) {
      float[] part = as(t, Ops.F32).toFloatArray();
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    return all;
  }

  /** Copies the counters from the device. */
  long[] counters() {
    return counters.stream().mapToLong(t -> as(t, Ops.I64).toLongArray()[0]).toArray();
  }

  void set(float[] values, long[] counts) {
    int at = 0;
    for (Tensor<?> t : floats) {
      int n = (int) t.shape().size();
      MemorySegment part = MemorySegment.ofArray(values).asSlice(4L * at, 4L * n);
      if (t.dtype() == Ops.F32) {
        ctx.copy(part, t);
      } else {
        assign(t, ctx.tensor(part.toArray(ValueLayout.JAVA_FLOAT), t.shape()));
      }
      at += n;
    }
    for (int k = 0; k < counts.length; k++) {
      assign(counters.get(k), ctx.tensor(new long[] {counts[k]}, counters.get(k).shape()));
    }
  }

  /** Number of the counter of steps, which numbers the random numbers of operators. */
  int step() {
    return step;
  }

  private <T> Tensor<T> as(Tensor<?> t, DType<T> dtype) {
    return t.dtype() == dtype ? t.as(dtype) : ctx.eval(t.cast(dtype));
  }

  private <T> void assign(Tensor<T> to, Tensor<?> value) {
    ctx.assign(to, value.cast(to.dtype()));
  }
}
