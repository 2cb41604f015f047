package ristretto.nnet3.component.recurrent;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_OUTPUT;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.EnumSet;
import java.util.Set;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/**
 * Base class of GRU nonlinearities: the output is (h, c) with {@code c = (1 - z) h + z c'}, where
 * c' is the previous cell and h is a tanh whose statistics are kept.
 */
abstract class GruGates extends UpdatableComponent {
  int cellDim;
  TanhStats stats;

  @Override
  public int outputDim() {
    return Math.multiplyExact(2, cellDim);
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(
        SIMPLE, UPDATABLE, BACKPROP_NEEDS_INPUT, BACKPROP_NEEDS_OUTPUT, BACKPROP_ADDS);
  }

  /** Returns both blocks of output columns, (h, c). */
  static Expr<F32> output(Expr<F32> h, Expr<F32> z, Expr<F32> before) {
    return ForwardStep.append(h, h.minus(z.times(h)).plus(z.times(before)));
  }

  /**
   * Returns the derivative of the tanh's argument, in memory; reuses the input derivative of the
   * columns from {@code from} on, if the steps of a recurrence computed it.
   */
  Tensor<F32> beforeTanh(BackwardStep b, Expr<F32> z, long from) {
    Expr<F32> dc = b.dy(cellDim, 2L * cellDim);
    Expr<F32> dh = b.dy(0, cellDim).plus(dc.times(fill(F32, 1).minus(z)));
    return b.inMemory(b.said(from, from + cellDim, dh.times(slope(b.y(0, cellDim)))));
  }

  /** Returns {@code dpart} with self-repair, and passes on the statistics of the tanh. */
  Expr<F32> repaired(BackwardStep b, Tensor<F32> dpart) {
    Expr<F32> h = b.y(0, cellDim);
    stats.said(b, h, slope(h));
    return stats.repaired(b, dpart, h, slope(b.allOfY(0, cellDim)));
  }

  private static Expr<F32> slope(Expr<F32> h) {
    return fill(F32, 1).minus(h.times(h));
  }

  @Override
  public Gathered gathered(String name) {
    return stats.gathered(name);
  }

  @Override
  public boolean alwaysGathersStatistics() {
    return true;
  }

  @Override
  public void addStatistics(String name, float[] sum, double rows) {
    stats = stats.plus(name, sum, rows);
  }
}
