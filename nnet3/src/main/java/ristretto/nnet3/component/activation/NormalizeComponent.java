package ristretto.nnet3.component.activation;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.concat;
import static ristretto.expr.Ops.log;
import static ristretto.expr.Ops.max;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.rsqrt;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.where;
import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_IN_PLACE;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.INPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.OUTPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.PROPAGATE_IN_PLACE;
import static ristretto.nnet3.Property.SIMPLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/**
 * Normalization of each row, or each block of a row, to a target root mean square: {@code y = x *
 * targetRms * sqrt(d) / |x|}, optionally with the logarithm of the input's root mean square as an
 * additional column.
 */
public final class NormalizeComponent extends ComponentBase {
  private int inputDim;
  private int blockDim;
  private float targetRms = 1;
  private boolean addLogStddev;

  /** Lower bound of {@code |x|^2 / (d * targetRms^2)}. */
  private static final float LEAST_SQUARE = 0x1p-66f;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    inputDim = line.has("dim") ? line.positive("dim") : line.positive("input-dim");
    blockDim = blockDim(line, inputDim);
    targetRms = line.real("target-rms", 1);
    if (!(targetRms > 0)) {
      throw line.error("target-rms", "target-rms must be above 0");
    }
    addLogStddev = line.flag("add-log-stddev", false);
  }

  @Override
  public void fields(Fields f) {
    // Older files name the field <Dim>.
    inputDim =
        f.optional("<Dim>", false) ? f.integer(inputDim) : f.positive("<InputDim>", inputDim);
    blockDim = f.optional("<BlockDim>", blockDim != inputDim) ? f.integer(blockDim) : inputDim;
    f.check(blockDim > 0 && inputDim % blockDim == 0, "<BlockDim> must divide", inputDim);
    if (f.optional("<TargetRms>", true)) {
      targetRms = f.real(targetRms);
    }
    addLogStddev = f.optional("<AddLogStddev>", true) && f.flag(addLogStddev);
    if (f.optional("<ValueAvg>", false)) {
      f.doubles(null);
      f.token("<DerivAvg>");
      f.doubles(null);
      f.longReal("<Count>", 0);
    }
  }

  @Override
  public int inputDim() {
    return inputDim;
  }

  @Override
  public int outputDim() {
    return Math.addExact(inputDim, addLogStddev ? inputDim / blockDim : 0);
  }

  @Override
  public Set<Property> properties() {
    var all = EnumSet.of(SIMPLE, BACKPROP_NEEDS_INPUT, BACKPROP_ADDS);
    if (!addLogStddev) {
      all.addAll(EnumSet.of(PROPAGATE_IN_PLACE, BACKPROP_IN_PLACE));
    }
    if (blockDim != inputDim) {
      all.addAll(EnumSet.of(INPUT_CONTIGUOUS, OUTPUT_CONTIGUOUS));
    }
    return all;
  }

  @Override
  public InfoText infoText() {
    return super.infoText()
        .add("target-rms", targetRms)
        .add("add-log-stddev", addLogStddev)
        .unless(inputDim, "block-dim", blockDim);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    Expr<F32> x = f.x();
    long places = x.shape().dim(0);
    long sequences = x.shape().dim(1);
    long blocks = inputDim / blockDim;
    Expr<F32> rows = x.reshape(places, sequences, blocks, blockDim);
    double scale = 1.0 / (blockDim * (double) targetRms * targetRms);
    Expr<F32> squares = max(sum(square(rows), 3).keepDims().times(scale), LEAST_SQUARE);
    Expr<F32> y = rows.times(rsqrt(squares));
    if (addLogStddev) {
      y = concat(3, y, log(squares).times(0.5).plus(Math.log(targetRms)));
    }
    return y.reshape(places, sequences, outputDim());
  }

  /**
   * Computes Kaldi's derivative: rows below the lower bound are differentiated as if multiplied by
   * a constant.
   */
  @Override
  public void backward(BackwardStep b) {
    Expr<F32> x = b.forward().x();
    long places = x.shape().dim(0);
    long sequences = x.shape().dim(1);
    Expr<F32> rows = x.reshape(places, sequences, inputDim / blockDim, blockDim);
    long outputs = blockDim + (addLogStddev ? 1 : 0);
    Expr<F32> all = b.dyForSeveral().reshape(places, sequences, inputDim / blockDim, outputs);
    Expr<F32> dy = addLogStddev ? all.slice(all(), all(), all(), range(0, blockDim)) : all;
    double scale = 1.0 / (blockDim * (double) targetRms * targetRms);
    Expr<F32> norms = sum(square(rows), 3).keepDims();
    Expr<F32> squares = norms.times(scale);
    Expr<F32> factor = rsqrt(max(squares, LEAST_SQUARE));
    Expr<F32> product = sum(dy.times(rows), 3).keepDims();
    Expr<F32> along = factor.times(factor).times(factor).times(product).times(-scale);
    Expr<F32> slope = where(squares.gt(LEAST_SQUARE), along, 0);
    if (addLogStddev) {
      Expr<F32> ofLog = all.slice(all(), all(), all(), range(blockDim, outputs));
      slope = slope.plus(ofLog.div(max(norms, blockDim * LEAST_SQUARE)));
    }
    b.input(dy.times(factor).plus(rows.times(slope)).reshape(places, sequences, inputDim));
  }
}
