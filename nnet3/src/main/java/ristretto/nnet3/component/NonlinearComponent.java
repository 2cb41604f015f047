package ristretto.nnet3.component;

import java.util.Arrays;
import java.util.random.RandomGenerator;
import ristretto.nnet3.Component;
import ristretto.nnet3.ConfigLine;

/** A function of each element, or of each row, with statistics of its values and derivatives. */
public abstract class NonlinearComponent extends ComponentBase {
  private static final float UNSET = -1000;

  int dim;
  int blockDim;
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
  void init(ConfigLine line, RandomGenerator random) {
    dim = line.positive("dim");
    blockDim = blockDim(line, dim);
    selfRepairLowerThreshold = line.real("self-repair-lower-threshold", UNSET);
    selfRepairUpperThreshold = line.real("self-repair-upper-threshold", UNSET);
    selfRepairScale = line.real("self-repair-scale", 0);
  }

  @Override
  void fields(Fields f) {
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
      valueSum = Stats.sums(valueSum, count);
      derivSum = Stats.sums(derivSum, count);
      oderivSumsq = Stats.sums(oderivSumsq, oderivCount);
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
    f.vector(Stats.averages(sums, count));
    return sums;
  }

  private double[] rms(Fields f) {
    if (f.reading()) {
      double[] squares = f.doubles(oderivSumsq);
      Arrays.setAll(squares, i -> squares[i] * squares[i]);
      return squares;
    }
    f.vector(roots(Stats.averages(oderivSumsq, oderivCount)));
    return oderivSumsq;
  }

  private static float[] roots(float[] squares) {
    for (int i = 0; i < squares.length; i++) {
      squares[i] = (float) Math.sqrt(Math.max(0, squares[i]));
    }
    return squares;
  }

  @Override
  void blend(Blend blend, Component o) {
    var other = (NonlinearComponent) o;
    valueSum = blend.of(valueSum, other.valueSum);
    derivSum = blend.of(derivSum, other.derivSum);
    oderivSumsq = blend.of(oderivSumsq, other.oderivSumsq);
    count = blend.of(count, other.count);
    oderivCount = blend.of(oderivCount, other.oderivCount);
    numDimsSelfRepaired = blend.of(numDimsSelfRepaired, other.numDimsSelfRepaired);
    numDimsProcessed = blend.of(numDimsProcessed, other.numDimsProcessed);
  }

  @Override
  public int inputDim() {
    return dim;
  }

  @Override
  public int outputDim() {
    return dim;
  }

  @Override
  InfoText infoText() {
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
          .summarized("value-avg", Stats.averages(valueSum, count));
      if (derivSum.length == dim) {
        info.summarized("deriv-avg", Stats.averages(derivSum, count));
      }
    }
    if (oderivCount > 0 && oderivSumsq.length == dim) {
      info.summarized("oderiv-rms", roots(Stats.averages(oderivSumsq, oderivCount)))
          .add("oderiv-count", oderivCount);
    }
    return info;
  }
}
