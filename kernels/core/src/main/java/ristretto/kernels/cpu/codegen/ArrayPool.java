package ristretto.kernels.cpu.codegen;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.scalar.ScalarType;

/** Java arrays of one thread: per element type as many as the largest {@link ArrayLayout} needs. */
final class ArrayPool {
  private static final ThreadLocal<ArrayPool> CURRENT = ThreadLocal.withInitial(ArrayPool::new);

  private final List<float[]> floats = new ArrayList<>();
  private final List<double[]> doubles = new ArrayList<>();
  private final List<int[]> ints = new ArrayList<>();
  private final List<long[]> longs = new ArrayList<>();
  private ArrayLayout layout;
  private Object[] arrays = {};

  /** Returns the arrays of the current thread. */
  static ArrayPool current() {
    return CURRENT.get();
  }

  /**
   * Returns the arrays of a layout, each of {@link Strip#LENGTH} elements, valid until the next
   * call.
   */
  Object[] arrays(ArrayLayout wanted) {
    if (layout != wanted) {
      fill(wanted);
      layout = wanted;
    }
    return arrays;
  }

  private void fill(ArrayLayout wanted) {
    int count = wanted.types().size();
    if (arrays.length < count) {
      arrays = new Object[2 * count];
    }
    int f = 0;
    int d = 0;
    int i = 0;
    int l = 0;
    for (int k = 0; k < count; k++) {
      ScalarType type = wanted.types().get(k);
      arrays[k] =
          switch (type) {
            case null -> null;
            case F32 -> {
              if (f == floats.size()) {
                floats.add(new float[Strip.LENGTH]);
              }
              yield floats.get(f++);
            }
            case F64 -> {
              if (d == doubles.size()) {
                doubles.add(new double[Strip.LENGTH]);
              }
              yield doubles.get(d++);
            }
            case I64 -> {
              if (l == longs.size()) {
                longs.add(new long[Strip.LENGTH]);
              }
              yield longs.get(l++);
            }
            default -> {
              if (i == ints.size()) {
                ints.add(new int[Strip.LENGTH]);
              }
              yield ints.get(i++);
            }
          };
    }
  }
}
