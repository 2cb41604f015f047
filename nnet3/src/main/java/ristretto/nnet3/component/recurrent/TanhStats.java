package ristretto.nnet3.component.recurrent;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.mean;
import static ristretto.expr.Ops.scalar;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.where;

import java.util.List;
import java.util.Locale;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearCombination;
import ristretto.nnet3.component.StatisticsFormat;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;

/** Statistics and self-repair of the tanh inside a GRU. */
final class TanhStats {
  private final double[] valueSum;
  private final double[] derivSum;
  private final double selfRepairTotal;
  private final double count;
  private final float selfRepairThreshold;
  private final float selfRepairScale;

  private TanhStats(
      double[] valueSum,
      double[] derivSum,
      double selfRepairTotal,
      double count,
      float selfRepairThreshold,
      float selfRepairScale) {
    this.valueSum = valueSum;
    this.derivSum = derivSum;
    this.selfRepairTotal = selfRepairTotal;
    this.count = count;
    this.selfRepairThreshold = selfRepairThreshold;
    this.selfRepairScale = selfRepairScale;
  }

  static TanhStats init(ConfigLine line, int dim) {
    return new TanhStats(
        new double[dim],
        new double[dim],
        0,
        0,
        line.notNegative("self-repair-threshold", 0.2f),
        line.notNegative("self-repair-scale", 1e-5f));
  }

  /** Writes {@code stats} and returns it, or returns the statistics in the file. */
  static TanhStats fields(Fields f, TanhStats stats, int dim) {
    if (!f.reading()) {
      stats.write(f);
      return stats;
    }
    f.token("<ValueAvg>");
    double[] values = f.doubles(null);
    f.token("<DerivAvg>");
    double[] derivs = f.doubles(null);
    f.check(
        values.length == dim && derivs.length == dim,
        String.format(Locale.ROOT, "<ValueAvg> and <DerivAvg> must have %d elements", dim),
        values.length + " and " + derivs.length);
    double total = f.longReal("<SelfRepairTotal>", 0);
    double count = f.longReal("<Count>", 0);
    float threshold = f.real("<SelfRepairThreshold>", 0);
    float scale = f.real("<SelfRepairScale>", 0);
    return new TanhStats(
        StatisticsFormat.sums(values, count),
        StatisticsFormat.sums(derivs, count),
        total,
        count,
        threshold,
        scale);
  }

  private void write(Fields f) {
    f.vector("<ValueAvg>", StatisticsFormat.averages(valueSum, count));
    f.vector("<DerivAvg>", StatisticsFormat.averages(derivSum, count));
    f.longReal("<SelfRepairTotal>", selfRepairTotal);
    f.longReal("<Count>", count);
    f.real("<SelfRepairThreshold>", selfRepairThreshold);
    f.real("<SelfRepairScale>", selfRepairScale);
  }

  TanhStats blend(LinearCombination blend, TanhStats other) {
    return new TanhStats(
        blend.of(valueSum, other.valueSum),
        blend.of(derivSum, other.derivSum),
        blend.of(selfRepairTotal, other.selfRepairTotal),
        blend.of(count, other.count),
        selfRepairThreshold,
        selfRepairScale);
  }

  /** Returns these statistics with more "values" or "derivs" of the tanh added. */
  TanhStats plus(String name, float[] sum, double rows) {
    boolean values = name.equals("values");
    double[] derivs = values ? derivSum : StatisticsFormat.plus(derivSum, sum);
    double total = values ? count : count + rows;
    double repaired = 0;
    for (double deriv : derivs) {
      repaired += !values && deriv < selfRepairThreshold * total ? 1 : 0;
    }
    return new TanhStats(
        values ? StatisticsFormat.plus(valueSum, sum) : valueSum,
        derivs,
        selfRepairTotal + repaired,
        total,
        selfRepairThreshold,
        selfRepairScale);
  }

  /** Passes on the statistics of rows. */
  void said(BackwardStep b, Expr<F32> h, Expr<F32> slope) {
    if (b.wantsStatistics()) {
      List<Tensor<F32>> sums = b.inMemory(sum(h, 0, 1), sum(slope, 0, 1));
      b.statistics("values", sums.get(0));
      b.statistics("derivs", sums.get(1));
    }
  }

  ComponentBase.Gathered gathered(String name) {
    return new ComponentBase.Gathered(name.equals("values") ? valueSum : derivSum, count);
  }

  /**
   * Returns the derivative of the tanh's argument, with self-repair, for the parameter derivatives:
   * columns whose slope, averaged over the rows of all steps, is low are pushed towards zero. Kaldi
   * adds twice as much in a random half of the steps, and in a recurrence does not add the term to
   * the derivative that is propagated back in time. If parameters are updated at each step, Kaldi
   * averages over the steps after the current one; here the average is the same in both cases.
   *
   * @param h output of the tanh
   * @param allSlopes derivative of the tanh, for all steps
   */
  Expr<F32> repaired(BackwardStep b, Expr<F32> dx, Expr<F32> h, Expr<F32> allSlopes) {
    if (selfRepairScale == 0) {
      return dx;
    }
    Expr<F32> low =
        where(
            mean(allSlopes, 0, 1).lt(selfRepairThreshold),
            scalar(F32, selfRepairScale),
            scalar(F32, 0));
    return dx.minus(h.times(b.inMemory(low)));
  }

  InfoText info(InfoText info) {
    info.add("self-repair-threshold", selfRepairThreshold)
        .add("self-repair-scale", selfRepairScale);
    if (count > 0) {
      info.count(count)
          .add("self-repaired-proportion", selfRepairTotal / (count * valueSum.length))
          .summarized("value-avg", StatisticsFormat.averages(valueSum, count))
          .summarized("deriv-avg", StatisticsFormat.averages(derivSum, count));
    }
    return info;
  }
}
