package ristretto.nnet3.component.activation;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.clamp;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.max;
import static ristretto.expr.Ops.rsqrt;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.where;
import static ristretto.nnet3.Property.BACKPROP_IN_PLACE;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.PROPAGATE_IN_PLACE;
import static ristretto.nnet3.Property.SIMPLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearCombination;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/** Gradient clipping: {@code y = x}; the backward pass clips row norms or elements. */
public final class ClipGradientComponent extends ComponentBase {
  private int dim;
  private float clippingThreshold;
  private boolean normBasedClipping;
  private float repairProportion = 1;
  private float repairTarget;
  private float repairScale;
  private int numClipped;
  private int count;
  private int numSelfRepaired;
  private int numBackpropped;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    dim = line.positive("dim");
    clippingThreshold = line.notNegative("clipping-threshold", 15);
    normBasedClipping = line.flag("norm-based-clipping", false);
    repairProportion = line.notNegative("self-repair-clipped-proportion-threshold", 0.01f);
    repairTarget = line.notNegative("self-repair-target", 0);
    repairScale = line.notNegative("self-repair-scale", 1);
  }

  @Override
  public void fields(Fields f) {
    dim = f.positive("<Dim>", dim);
    clippingThreshold = f.real("<ClippingThreshold>", clippingThreshold);
    normBasedClipping = f.flag("<NormBasedClipping>", normBasedClipping);
    if (f.optional("<SelfRepairClippedProportionThreshold>", true)) {
      repairProportion = f.real(repairProportion);
      repairTarget = f.real("<SelfRepairTarget>", repairTarget);
      repairScale = f.real("<SelfRepairScale>", repairScale);
    }
    numClipped = f.integer("<NumElementsClipped>", numClipped);
    count = f.integer("<NumElementsProcessed>", count);
    if (f.optional("<NumSelfRepaired>", true)) {
      numSelfRepaired = f.integer(numSelfRepaired);
      numBackpropped = f.integer("<NumBackpropped>", numBackpropped);
    }
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    var other = (ClipGradientComponent) o;
    count = blend.of(count, other.count);
    numClipped = blend.of(numClipped, other.numClipped);
  }

  @Override
  public int inputDim() {
    return dim;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, PROPAGATE_IN_PLACE, BACKPROP_IN_PLACE, BACKPROP_NEEDS_INPUT);
  }

  @Override
  public InfoText infoText() {
    InfoText info =
        new InfoText(type())
            .add("dim", dim)
            .add("norm-based-clipping", normBasedClipping)
            .add("clipping-threshold", clippingThreshold)
            .add("clipped-proportion", count > 0 ? (float) numClipped / count : 0f);
    if (repairScale != 0) {
      info.add("self-repair-clipped-proportion-threshold", repairProportion)
          .add("self-repair-target", repairTarget)
          .add("self-repair-scale", repairScale);
    }
    return info;
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return f.x();
  }

  @Override
  public float backwardFactor() {
    return Float.NaN;
  }

  /**
   * Computes the input derivative with clipping. Kaldi's self-repair is left out: current models do
   * not use it.
   */
  @Override
  public void backward(BackwardStep b) {
    if (clippingThreshold == 0) {
      return;
    }
    if (clippingThreshold < 0) {
      b.input(b.dy());
    } else if (normBasedClipping) {
      Tensor<F32> dy = b.dyInMemory();
      double scale = 1.0 / ((double) clippingThreshold * clippingThreshold);
      Expr<F32> squares = sum(square(dy), 2).keepDims().times(scale);
      Expr<F32> one = fill(F32, 1);
      b.statistics("clipped", sum(where(squares.gt(1), one, fill(F32, 0))));
      b.input(dy.times(rsqrt(max(squares, 1f))));
    } else {
      b.input(clamp(b.dy(), -clippingThreshold, clippingThreshold));
      b.statistics("calls", fill(F32, 1));
    }
  }

  @Override
  public void addStatistics(String name, float[] sum, double rows) {
    numBackpropped++;
    if (name.equals("clipped")) {
      numClipped += (int) sum[0];
      count += (int) rows;
    }
  }

  @Override
  public float factor() {
    return 1;
  }
}
