package ristretto.nnet3.chain;

import static ristretto.expr.Ops.scatterAdd;
import static ristretto.expr.Ops.take;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;

/**
 * Elements of network outputs that the arcs of a supervision read. Tensors for them are kept, and
 * replaced by larger ones for supervisions with more arcs, so that kernels are, too.
 */
final class ArcOutputs {
  private static final int LEAST = 1 << 10;

  private final Context context;
  private int count;

  /** Elements in row-major order; 0 beyond the count. */
  private Tensor<I64> elements;

  private Tensor<F32> values;

  ArcOutputs(Context context) {
    this.context = context;
  }

  /** Selects the elements. */
  void select(long[] all) {
    count = all.length;
    if (elements == null || elements.shape().size() < count) {
      int capacity = Math.max(LEAST, Integer.highestOneBit(Math.max(1, count - 1)) << 1);
      // not context.zeros, which would be recorded
      elements = context.tensor(new long[capacity]);
      values = context.tensor(new float[capacity]);
    }
    long[] padded = Arrays.copyOf(all, (int) elements.shape().size());
    context.copy(MemorySegment.ofArray(padded), elements);
  }

  /** Returns the selected elements of a matrix. */
  float[] of(Tensor<F32> matrix) {
    context.assign(values, take(matrix.reshape(matrix.shape().size()), elements, 0));
    return Arrays.copyOf(values.toFloatArray(), count);
  }

  /** Sets a matrix to the sums of values at the selected elements, and to 0 elsewhere. */
  void spread(float[] sums, Tensor<F32> matrix) {
    float[] padded = Arrays.copyOf(sums, (int) values.shape().size());
    context.copy(MemorySegment.ofArray(padded), values);
    long size = matrix.shape().size();
    context.assign(matrix.reshape(size), scatterAdd(Shape.of(size), 0, elements, values));
  }
}
