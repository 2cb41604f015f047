package ristretto.nnet3.component.recurrent;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.concat;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.scalar;
import static ristretto.expr.Ops.sigmoid;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.tanh;
import static ristretto.expr.Ops.where;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearCombination;
import ristretto.nnet3.component.NaturalGradientSettings;
import ristretto.nnet3.component.StatisticsFormat;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;
import ristretto.nnet3.step.StatisticsSink;

/**
 * LSTM nonlinearity. Maps (ipart, fpart, cpart, opart) and the previous cell c', each of {@code
 * cellDim} columns, and optionally three dropout masks (is, fs, os) of one column each, to (c, m):
 *
 * <pre>{@code
 * i = sigmoid(ipart + wi c')
 * f = sigmoid(fpart + wf c')
 * c = f fs c' + i is tanh(cpart)
 * o = sigmoid(opart + wo c)
 * m = o os tanh(c)
 * }</pre>
 */
public final class LstmNonlinearityComponent extends UpdatableComponent {
  private static final List<String> FUNCTIONS =
      List.of("i_t_sigmoid", "f_t_sigmoid", "c_t_tanh", "o_t_sigmoid", "m_t_tanh");

  private boolean useDropout;

  /** Peephole weights; rows wi, wf, wo. */
  Matrix params;

  /**
   * Sums over rows of the values of the five functions, concatenated; {@code derivSum} likewise for
   * the derivatives.
   */
  private double[] valueSum;

  private double[] derivSum;

  /** Five thresholds, then five scales. */
  private float[] selfRepairConfig;

  private double[] selfRepairTotal;
  private double count;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    int cellDim = line.positive("cell-dim");
    useDropout = line.flag("use-dropout", false);
    float stddev = line.notNegative("param-stddev", 1);
    float tanh = limited(line, "tanh-self-repair-threshold", 0.2f, 1);
    float sigmoid = limited(line, "sigmoid-self-repair-threshold", 0.05f, 0.25f);
    float scale = limited(line, "self-repair-scale", 1e-5f, 0.1f);
    params = gaussianMatrix(random, 3, cellDim, stddev);
    valueSum = new double[Math.multiplyExact(5, cellDim)];
    derivSum = new double[5 * cellDim];
    selfRepairConfig =
        new float[] {sigmoid, sigmoid, tanh, sigmoid, tanh, scale, scale, scale, scale, scale};
    selfRepairTotal = new double[5];
  }

  private static float limited(ConfigLine line, String key, float none, float most) {
    float value = line.real(key, none);
    if (!(value >= 0 && value <= most)) {
      throw line.error(key, "%s must be between 0 and %s".formatted(key, InfoText.number(most)));
    }
    return value;
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    params = f.matrix("<Params>", params);
    f.token("<ValueAvg>");
    Matrix values = f.matrix(f.reading() ? null : averages(valueSum));
    f.token("<DerivAvg>");
    Matrix derivs = f.matrix(f.reading() ? null : averages(derivSum));
    f.check(
        params.rows() == 3
            && values.rows() == 5
            && derivs.rows() == 5
            && values.cols() == params.cols()
            && derivs.cols() == params.cols(),
        "<Params>, <ValueAvg> and <DerivAvg> must have 3, 5 and 5 rows of one length",
        params + ", " + values + ", " + derivs);
    selfRepairConfig = f.vector("<SelfRepairConfig>", selfRepairConfig);
    f.token("<SelfRepairProb>");
    double each = count * params.cols();
    double[] repaired = selfRepairTotal;
    if (f.reading()) {
      repaired = f.doubles(null);
    } else {
      f.vector(StatisticsFormat.averages(selfRepairTotal, each));
    }
    f.check(
        selfRepairConfig.length == 10 && repaired.length == 5,
        "<SelfRepairConfig> and <SelfRepairProb> must have 10 and 5 elements",
        selfRepairConfig.length + " and " + repaired.length);
    useDropout = f.optional("<UseDropout>", useDropout) && f.flag(useDropout);
    count = f.longReal("<Count>", count);
    if (f.reading()) {
      valueSum = StatisticsFormat.sums(StatisticsFormat.toDoubles(values.data()), count);
      derivSum = StatisticsFormat.sums(StatisticsFormat.toDoubles(derivs.data()), count);
      // Kaldi rounds the factor to float.
      selfRepairTotal = StatisticsFormat.sums(repaired, count * params.cols());
    }
  }

  private Matrix averages(double[] sums) {
    return new Matrix(5, params.cols(), StatisticsFormat.averages(sums, count));
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    var other = (LstmNonlinearityComponent) o;
    params = blend.of(params, other.params);
    valueSum = blend.of(valueSum, other.valueSum);
    derivSum = blend.of(derivSum, other.derivSum);
    selfRepairTotal = blend.of(selfRepairTotal, other.selfRepairTotal);
    count = blend.of(count, other.count);
  }

  @Override
  public void mapParameters(UnaryOperator<float[]> f) {
    params = map(f, params);
  }

  @Override
  public long parameterCount() {
    return params.data().length;
  }

  @Override
  public int inputDim() {
    return Math.toIntExact(5L * params.cols() + (useDropout ? 3 : 0));
  }

  @Override
  public int outputDim() {
    return Math.multiplyExact(2, params.cols());
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, UPDATABLE, BACKPROP_NEEDS_INPUT);
  }

  @Override
  public int gradientRows() {
    return params.rows();
  }

  @Override
  public NaturalGradientSettings gradientPreconditioning() {
    return new NaturalGradientSettings(RANK, 2, 1000, ALPHA);
  }

  @Override
  public InfoText infoText() {
    int cellDim = params.cols();
    InfoText info =
        super.infoText()
            .add("cell-dim", cellDim)
            .add("use-dropout", useDropout)
            .rms("w_ic", params.row(0))
            .rms("w_fc", params.row(1))
            .rms("w_oc", params.row(2));
    if (count > 0) {
      info.count(count);
    }
    for (int i = 0; i < 5; i++) {
      info.raw(", " + FUNCTIONS.get(i) + "={ self-repair-lower-threshold=");
      info.raw(InfoText.number(selfRepairConfig[i]))
          .add("self-repair-scale", selfRepairConfig[i + 5]);
      if (count != 0) {
        float repaired = (float) (selfRepairTotal[i] / (count * cellDim));
        info.add("self-repaired-proportion", repaired)
            .summarized("value-avg", averages(valueSum).row(i))
            .summarized("deriv-avg", averages(derivSum).row(i));
      }
      info.raw(" }");
    }
    return info;
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    int cells = params.cols();
    Expr<F32> before = f.x(4L * cells, 5L * cells);
    Expr<F32> in = sigmoid(f.x(0, cells).plus(before.times(peephole(f, 0))));
    Expr<F32> forget = sigmoid(f.x(cells, 2L * cells).plus(before.times(peephole(f, 1))));
    Expr<F32> write = tanh(f.x(2L * cells, 3L * cells));
    Expr<F32> cell = masked(f, forget, 1).times(before).plus(masked(f, in, 0).times(write));
    Expr<F32> out = sigmoid(f.x(3L * cells, 4L * cells).plus(cell.times(peephole(f, 2))));
    return ForwardStep.append(cell, masked(f, out, 2).times(tanh(cell)));
  }

  /** Computes derivatives with the formulas of {@link #forward}, naming each intermediate value. */
  @Override
  public void backward(BackwardStep b) {
    ForwardStep f = b.forward();
    int cells = params.cols();
    Expr<F32> before = f.x(4L * cells, 5L * cells);
    Expr<F32> in = sigmoid(f.x(0, cells).plus(before.times(peephole(f, 0))));
    Expr<F32> forget = sigmoid(f.x(cells, 2L * cells).plus(before.times(peephole(f, 1))));
    Expr<F32> write = tanh(f.x(2L * cells, 3L * cells));
    Expr<F32> cell = b.y(0, cells);
    Expr<F32> out = sigmoid(f.x(3L * cells, 4L * cells).plus(cell.times(peephole(f, 2))));
    Expr<F32> shown = tanh(cell);

    Expr<F32> dm = b.dy(cells, 2L * cells);
    Expr<F32> dOut =
        repaired(b, 3, ofSigmoid(out, masked(f, shown, 2).times(dm)), out.times(2).minus(1));
    Expr<F32> dCell =
        repaired(
            b,
            4,
            ofTanh(shown, masked(f, out, 2).times(dm))
                .plus(b.dy(0, cells))
                .plus(dOut.times(peephole(f, 2))),
            shown);
    Expr<F32> dForget =
        repaired(
            b, 1, ofSigmoid(forget, masked(f, dCell, 1).times(before)), forget.times(2).minus(1));
    Expr<F32> dIn =
        repaired(b, 0, ofSigmoid(in, masked(f, dCell, 0).times(write)), in.times(2).minus(1));
    Expr<F32> dWrite = repaired(b, 2, ofTanh(write, masked(f, in, 0).times(dCell)), write);
    b.input(0, cells, dIn);
    b.input(cells, 2L * cells, dForget);
    b.input(2L * cells, 3L * cells, dWrite);
    b.input(3L * cells, 4L * cells, dOut);
    b.input(
        4L * cells,
        5L * cells,
        dIn.times(peephole(f, 0))
            .plus(dForget.times(peephole(f, 1)))
            .plus(masked(f, forget, 1).times(dCell)));
    if (b.wantsParameters()) {
      List<Tensor<F32>> sums =
          b.inMemory(
              sum(b.said(0, cells, dIn).times(before), 0, 1),
              sum(b.said(cells, 2L * cells, dForget).times(before), 0, 1),
              sum(b.said(3L * cells, 4L * cells, dOut).times(cell), 0, 1));
      b.gradient(params.data(), concat(0, sums));
    }
    if (b.wantsParameters() && b.wantsStatistics()) {
      List<Tensor<F32>> sums =
          b.inMemory(
              sum(in, 0, 1),
              sum(forget, 0, 1),
              sum(write, 0, 1),
              sum(out, 0, 1),
              sum(shown, 0, 1),
              sum(ofSigmoid(in), 0, 1),
              sum(ofSigmoid(forget), 0, 1),
              sum(ofTanh(write), 0, 1),
              sum(ofSigmoid(out), 0, 1),
              sum(ofTanh(shown), 0, 1));
      b.statistics("derivs", concat(0, sums.subList(5, 10)));
      b.statistics("repaired", flat(b).times((double) f.outputRows().size() * f.sequences()));
      b.statistics("values", concat(0, sums.subList(0, 5)));
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
      case "repaired" -> selfRepairTotal = StatisticsFormat.plus(selfRepairTotal, sum);
      default -> super.addStatistics(name, sum, rows);
    }
  }

  @Override
  public Gathered gathered(String name) {
    return switch (name) {
      case "values" -> new Gathered(valueSum, count);
      case "derivs" -> new Gathered(derivSum, count);
      default -> super.gathered(name);
    };
  }

  @Override
  public boolean alwaysGathersStatistics() {
    return true;
  }

  private static Expr<F32> ofSigmoid(Expr<F32> y, Expr<F32> dy) {
    return dy.times(ofSigmoid(y));
  }

  private static Expr<F32> ofTanh(Expr<F32> y, Expr<F32> dy) {
    return dy.times(ofTanh(y));
  }

  private static Expr<F32> ofSigmoid(Expr<F32> y) {
    return y.times(fill(F32, 1).minus(y));
  }

  private static Expr<F32> ofTanh(Expr<F32> y) {
    return fill(F32, 1).minus(y.times(y));
  }

  /**
   * Returns a derivative with self-repair: pushes the function's input towards zero in the cells
   * whose mean derivative is below the threshold.
   */
  private Expr<F32> repaired(BackwardStep b, int function, Expr<F32> dx, Expr<F32> y) {
    float scale = selfRepairConfig[function + 5];
    if (scale == 0) {
      return dx;
    }
    int cells = params.cols();
    StatisticsSink.Totals totals = b.totals("derivs", 5L * cells, false);
    if (totals == null) {
      ForwardStep f = b.forward();
      return dx.minus(
          y.times(f.derived(derivSum, "repair" + function, () -> repair(function), cells)));
    }
    Expr<BOOL> low =
        totals
            .sums()
            .slice(range((long) function * cells, (function + 1L) * cells))
            .lt(totals.count().plus(1).times(selfRepairConfig[function]));
    return dx.minus(y.times(where(low, scalar(F32, scale), scalar(F32, 0))));
  }

  /** Returns the number of self-repaired cells of each function: {@code [5]}. */
  private Expr<F32> flat(BackwardStep b) {
    int cells = params.cols();
    StatisticsSink.Totals totals = b.totals("derivs", 5L * cells, false);
    ForwardStep f = b.forward();
    if (totals == null) {
      return f.derived(derivSum, "flat", this::flat, 5);
    }
    Expr<F32> least =
        f.derived(selfRepairConfig, "least", () -> Arrays.copyOf(selfRepairConfig, 5), 5, 1);
    Expr<BOOL> low =
        totals.sums().reshape(5, cells).lt(least.times(totals.count().plus(1).reshape(1, 1)));
    return sum(where(low, scalar(F32, 1), scalar(F32, 0)), 1);
  }

  private float[] flat() {
    var counts = new float[5];
    for (int function = 0; function < counts.length; function++) {
      for (int k = 0; k < params.cols(); k++) {
        counts[function] += isFlat(function, k) ? 1 : 0;
      }
    }
    return counts;
  }

  private float[] repair(int function) {
    var scales = new float[params.cols()];
    for (int k = 0; k < scales.length; k++) {
      scales[k] = isFlat(function, k) ? selfRepairConfig[function + 5] : 0;
    }
    return scales;
  }

  private boolean isFlat(int function, int cell) {
    double slope = derivSum[function * params.cols() + cell] / (float) (1 + count);
    return slope < selfRepairConfig[function];
  }

  private Expr<F32> peephole(ForwardStep f, int gate) {
    return f.matrix(params).slice(at(gate));
  }

  private Expr<F32> masked(ForwardStep f, Expr<F32> gate, int which) {
    long mask = 5L * params.cols() + which;
    return useDropout ? gate.times(f.x(mask, mask + 1)) : gate;
  }
}
