package ristretto.nnet3.component.activation;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.mean;
import static ristretto.expr.Ops.scalar;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.where;

import java.util.Arrays;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearCombination;
import ristretto.nnet3.component.StatisticsFormat;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;
import ristretto.nnet3.step.StatisticsSink;

/**
 * Base class of element-wise or row-wise functions with statistics of their values and derivatives.
 */
public abstract class NonlinearComponent extends ComponentBase {
  private static final float UNSET = -1000;

  int dim;
  protected int blockDim;
  private double[] valueSum = {};
  private double[] derivSum = {};
  private double count;
  private double[] oderivSumsq = {};
  private double oderivCount;
  private double numDimsSelfRepaired;
  private double numDimsProcessed;
  private float selfRepairLowerThreshold = UNSET;
  private float selfRepairUpperThreshold = UNSET;
  private float selfRepairScale;

  NonlinearComponent() {}

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    dim = line.positive("dim");
    blockDim = blockDim(line, dim);
    selfRepairLowerThreshold = line.real("self-repair-lower-threshold", UNSET);
    selfRepairUpperThreshold = line.real("self-repair-upper-threshold", UNSET);
    selfRepairScale = line.real("self-repair-scale", 0);
  }

  @Override
  public void fields(Fields f) {
    dim = f.positive("<Dim>", dim);
    blockDim = f.optional("<BlockDim>", blockDim != dim) ? f.integer(blockDim) : dim;
    f.check(blockDim > 0 && dim % blockDim == 0, "<BlockDim> must divide " + dim, blockDim);
    f.token("<ValueAvg>");
    valueSum = averages(f, valueSum, count);
    f.token("<DerivAvg>");
    derivSum = averages(f, derivSum, count);
    count = f.longReal("<Count>", count);
    if (f.optional("<OderivRms>", true)) {
      oderivSumsq = rms(f);
      oderivCount = f.longReal("<OderivCount>", oderivCount);
    }
    if (f.reading()) {
      valueSum = StatisticsFormat.sums(valueSum, count);
      derivSum = StatisticsFormat.sums(derivSum, count);
      oderivSumsq = StatisticsFormat.sums(oderivSumsq, oderivCount);
    }
    if (f.optional("<NumDimsSelfRepaired>", true)) {
      numDimsSelfRepaired = f.longReal(numDimsSelfRepaired);
    }
    if (f.optional("<NumDimsProcessed>", true)) {
      numDimsProcessed = f.longReal(numDimsProcessed);
    }
    selfRepairLowerThreshold =
        f.optionalReal("<SelfRepairLowerThreshold>", selfRepairLowerThreshold, UNSET);
    selfRepairUpperThreshold =
        f.optionalReal("<SelfRepairUpperThreshold>", selfRepairUpperThreshold, UNSET);
    selfRepairScale = f.optionalReal("<SelfRepairScale>", selfRepairScale, 0);
  }

  private static double[] averages(Fields f, double[] sums, double count) {
    if (f.reading()) {
      return f.doubles(sums);
    }
    f.vector(StatisticsFormat.averages(sums, count));
    return sums;
  }

  private double[] rms(Fields f) {
    if (f.reading()) {
      double[] squares = f.doubles(oderivSumsq);
      Arrays.setAll(squares, i -> squares[i] * squares[i]);
      return squares;
    }
    f.vector(roots(StatisticsFormat.averages(oderivSumsq, oderivCount)));
    return oderivSumsq;
  }

  private static float[] roots(float[] squares) {
    for (int i = 0; i < squares.length; i++) {
      squares[i] = (float) Math.sqrt(Math.max(0, squares[i]));
    }
    return squares;
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    var other = (NonlinearComponent) o;
    valueSum = blend.of(valueSum, other.valueSum);
    derivSum = blend.of(derivSum, other.derivSum);
    oderivSumsq = blend.of(oderivSumsq, other.oderivSumsq);
    count = blend.of(count, other.count);
    oderivCount = blend.of(oderivCount, other.oderivCount);
    numDimsSelfRepaired = blend.of(numDimsSelfRepaired, other.numDimsSelfRepaired);
    numDimsProcessed = blend.of(numDimsProcessed, other.numDimsProcessed);
  }

  /**
   * Returns the derivative of the function, computed from its value; null if no statistics of
   * derivatives are kept.
   */
  Expr<F32> slope(Expr<F32> y) {
    return null;
  }

  @Override
  public void statistics(ForwardStep f, Expr<F32> y, StatisticsSink sink) {
    double rows = y.shape().dim(0) * (double) y.shape().dim(1);
    sink.statistics(this, "values", sum(y, 0, 1), rows);
    Expr<F32> slope = slope(y);
    if (slope != null) {
      sink.statistics(this, "derivs", sum(slope, 0, 1), rows);
    }
  }

  @Override
  public void addStatistics(String name, float[] sum, double rows) {
    switch (name) {
      case "values" -> {
        valueSum = StatisticsFormat.plus(valueSum, sum);
        count += rows;
      }
      case "derivs" -> derivSum = StatisticsFormat.plus(derivSum, sum);
      case "oderivs" -> {
        oderivSumsq = StatisticsFormat.plus(oderivSumsq, sum);
        oderivCount += rows;
        numDimsProcessed += repairs() || alwaysProcesses() ? dim : 0;
        numDimsSelfRepaired += repairs() ? repairedDims() : 0;
      }
      default -> super.addStatistics(name, sum, rows);
    }
  }

  @Override
  public Gathered gathered(String name) {
    return switch (name) {
      case "values" -> new Gathered(valueSum, count);
      case "derivs" -> new Gathered(derivSum, count);
      case "oderivs" -> new Gathered(oderivSumsq, oderivCount);
      default -> super.gathered(name);
    };
  }

  /** Passes on statistics of the output derivatives. */
  final void derivativeStatistics(BackwardStep b) {
    if (b.isWhole()) {
      b.statistics("oderivs", sum(square(b.dyForSeveral()), 0, 1));
    }
  }

  // Self-repair

  /**
   * Returns the default lower threshold of self-repair: mean slopes up to the threshold count as
   * saturated.
   */
  float lowestSlope() {
    return Float.NEGATIVE_INFINITY;
  }

  /**
   * Returns the default upper threshold of self-repair: mean slopes above the threshold count as
   * linear.
   */
  float highestSlope() {
    return Float.POSITIVE_INFINITY;
  }

  /** Returns true if columns count as processed even if self-repair is off. */
  boolean alwaysProcesses() {
    return false;
  }

  /** Returns true if self-repair is on and statistics of derivatives are stored. */
  final boolean repairs() {
    return selfRepairScale != 0 && count != 0 && derivSum.length == dim;
  }

  /**
   * Returns the self-repair term that is added to the derivatives of each column: the scale if the
   * mean slope is low, the negated scale if it is high, else 0. Kaldi adds twice as much, in a
   * random half of the steps.
   */
  final Expr<F32> repair(BackwardStep b) {
    StatisticsSink.Totals totals = b.totals("derivs", dim, true);
    if (totals == null) {
      return b.forward().derived(this, "repair", this::repairOfColumns, dim);
    }
    Expr<F32> mean = totals.sums().div(totals.count());
    if (blockDim != dim) {
      long blocks = dim / blockDim;
      Expr<F32> ofBlocks = mean(mean.reshape(blocks, blockDim), 0).keepDims();
      mean = ofBlocks.expand(blocks, blockDim).reshape(dim);
    }
    Expr<F32> zero = scalar(F32, 0);
    Expr<F32> scale = scalar(F32, selfRepairScale);
    return b.inMemory(
        where(mean.le(lowest()), scale, zero).minus(where(mean.gt(highest()), scale, zero)));
  }

  /**
   * Returns true if self-repair applies in a training step: it is on, and either training totals or
   * stored statistics exist.
   */
  final boolean repairs(BackwardStep b) {
    return selfRepairScale != 0 && (b.totals("derivs", dim, true) != null || repairs());
  }

  private float lowest() {
    return selfRepairLowerThreshold == UNSET ? lowestSlope() : selfRepairLowerThreshold;
  }

  private float highest() {
    return selfRepairUpperThreshold == UNSET ? highestSlope() : selfRepairUpperThreshold;
  }

  private float[] repairOfColumns() {
    float lower = lowest();
    float upper = highest();
    var repair = new float[dim];
    for (int k = 0; k < dim; k++) {
      double slope = 0;
      for (int block = k % blockDim; block < dim; block += blockDim) {
        slope += derivSum[block];
      }
      slope *= blockDim / (double) dim / count;
      repair[k] = slope <= lower ? selfRepairScale : slope > upper ? -selfRepairScale : 0;
    }
    return repair;
  }

  private int repairedDims() {
    int repaired = 0;
    for (float v : repairOfColumns()) {
      repaired += v == 0 ? 0 : 1;
    }
    return repaired;
  }

  @Override
  public int inputDim() {
    return dim;
  }

  @Override
  public InfoText infoText() {
    InfoText info =
        new InfoText(type())
            .add("dim", dim)
            .unless(dim, "block-dim", blockDim)
            .unless(UNSET, "self-repair-lower-threshold", selfRepairLowerThreshold)
            .unless(UNSET, "self-repair-upper-threshold", selfRepairUpperThreshold)
            .unless(0, "self-repair-scale", selfRepairScale);
    if (count > 0 && valueSum.length == dim) {
      info.count(count)
          .add(
              "self-repaired-proportion",
              numDimsProcessed > 0 ? numDimsSelfRepaired / numDimsProcessed : 0)
          .summarized("value-avg", StatisticsFormat.averages(valueSum, count));
      if (derivSum.length == dim) {
        info.summarized("deriv-avg", StatisticsFormat.averages(derivSum, count));
      }
    }
    if (oderivCount > 0 && oderivSumsq.length == dim) {
      info.summarized("oderiv-rms", roots(StatisticsFormat.averages(oderivSumsq, oderivCount)))
          .add("oderiv-count", oderivCount);
    }
    return info;
  }
}
