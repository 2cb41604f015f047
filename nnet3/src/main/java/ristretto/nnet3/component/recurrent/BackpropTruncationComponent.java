package ristretto.nnet3.component.recurrent;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.max;
import static ristretto.expr.Ops.rsqrt;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.where;
import static ristretto.nnet3.Property.BACKPROP_IN_PLACE;
import static ristretto.nnet3.Property.PROPAGATE_IN_PLACE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearCombination;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/**
 * Gradient truncation for recurrences: {@code y = scale * x}. The backward pass clips the norm of
 * each row of the derivative, and zeroes rows of large norm at times that cross a multiple of the
 * zeroing interval.
 */
public final class BackpropTruncationComponent extends ComponentBase {
  private int dim;
  private float scale = 1;
  private float clippingThreshold;
  private float zeroingThreshold;
  private int zeroingInterval;
  private int recurrenceInterval;
  private double numClipped;
  private double numZeroed;
  private double count;
  private double numBoundaries;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    dim = line.positive("dim");
    scale = line.real("scale", 1);
    if (!(scale > 0)) {
      throw line.error("scale", "scale must be above 0");
    }
    clippingThreshold = line.notNegative("clipping-threshold", 30);
    zeroingThreshold = line.notNegative("zeroing-threshold", 15);
    zeroingInterval = line.positive("zeroing-interval", 20);
    recurrenceInterval = line.positive("recurrence-interval", 1);
  }

  @Override
  public void fields(Fields f) {
    dim = f.positive("<Dim>", dim);
    if (f.optional("<Scale>", true)) {
      scale = f.real(scale);
    }
    clippingThreshold = f.real("<ClippingThreshold>", clippingThreshold);
    zeroingThreshold = f.real("<ZeroingThreshold>", zeroingThreshold);
    zeroingInterval = f.positive("<ZeroingInterval>", zeroingInterval);
    recurrenceInterval = f.positive("<RecurrenceInterval>", recurrenceInterval);
    numClipped = f.longReal("<NumElementsClipped>", numClipped);
    numZeroed = f.longReal("<NumElementsZeroed>", numZeroed);
    count = f.longReal("<NumElementsProcessed>", count);
    numBoundaries = f.longReal("<NumZeroingBoundaries>", numBoundaries);
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    var other = (BackpropTruncationComponent) o;
    count = blend.of(count, other.count);
    numBoundaries = blend.of(numBoundaries, other.numBoundaries);
    numClipped = blend.of(numClipped, other.numClipped);
    numZeroed = blend.of(numZeroed, other.numZeroed);
  }

  @Override
  public int inputDim() {
    return dim;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(PROPAGATE_IN_PLACE, BACKPROP_IN_PLACE);
  }

  @Override
  public InfoText infoText() {
    return new InfoText(type())
        .add("dim", dim)
        .add("scale", scale)
        .count(count)
        .add("recurrence-interval", recurrenceInterval)
        .add("clipping-threshold", clippingThreshold)
        .add("clipped-proportion", count > 0 ? numClipped / count : 0)
        .add("zeroing-threshold", zeroingThreshold)
        .add("zeroing-interval", zeroingInterval)
        .add("zeroed-proportion", numBoundaries > 0 ? numZeroed / numBoundaries : 0)
        .add("count-zeroing-boundaries", (int) numBoundaries);
  }

  @Override
  public boolean readsOnce() {
    return true;
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return scale == 1 ? f.x() : f.x().times(scale);
  }

  @Override
  public float backwardFactor() {
    return Float.NaN;
  }

  @Override
  public void backward(BackwardStep b) {
    Expr<F32> dy = b.dyForSeveral();
    Expr<F32> squares = sum(square(dy), 2).keepDims().times((double) scale * scale);
    double clip = clippingThreshold <= 0 ? 1e10 : clippingThreshold;
    double zero = zeroingThreshold <= 0 ? 1e10 : zeroingThreshold;
    Expr<F32> limit =
        b.forward().perRow("limit", row -> isBoundary(row) ? zero * zero : Float.MAX_VALUE);
    Expr<F32> clipped = rsqrt(max(squares.times(1 / (clip * clip)), 1f)).times(scale);
    b.input(dy.times(where(squares.gt(limit), 0, clipped)));
    if (b.isWhole()) {
      Expr<F32> one = fill(F32, 1);
      b.statistics("clipped", sum(where(squares.gt(clip * clip), one, fill(F32, 0))));
      b.statistics("zeroed", sum(where(squares.gt(limit), one, fill(F32, 0))));
      b.statistics(
          "boundaries", sum(b.forward().perRow("boundary", row -> isBoundary(row) ? 1 : 0)));
    }
  }

  @Override
  public void addStatistics(String name, float[] sum, double rows) {
    switch (name) {
      case "clipped" -> {
        numClipped += sum[0];
        count += rows;
      }
      case "zeroed" -> numZeroed += sum[0];
      case "boundaries" -> numBoundaries += sum[0];
      default -> super.addStatistics(name, sum, rows);
    }
  }

  /**
   * Returns true if a multiple of the zeroing interval, shifted by the sequence number n, lies
   * within the last {@code recurrenceInterval} frames up to the row's time.
   */
  private boolean isBoundary(Index row) {
    int time = row.t() - row.n();
    return Math.floorDiv(time, zeroingInterval)
        != Math.floorDiv(time - recurrenceInterval, zeroingInterval);
  }

  @Override
  public float factor() {
    return scale;
  }
}
