package ristretto.nnet3.component.affine;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.range;
import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.PROPAGATE_ADDS;
import static ristretto.nnet3.Property.REORDERS_INDEXES;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.apache.commons.math3.util.ArithmeticUtils;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;
import ristretto.nnet3.TimeOffsets;
import ristretto.nnet3.component.ConfigParameters;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearAndBias;
import ristretto.nnet3.component.NaturalGradientSettings;
import ristretto.nnet3.component.WeightMatrixComponent;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/**
 * Time-delay affine component: {@code y(t) = sum over offsets o_i of x(t + o_i) W_i' + b}. All
 * offsets are required; the matrices W_i are concatenated by columns.
 */
public final class TdnnComponent extends LinearAndBias implements WeightMatrixComponent {
  private int[] timeOffsets;

  float orthonormalConstraint;
  private boolean useNaturalGradient = true;
  private int rankIn;
  private int rankOut;
  private float samplesHistory;
  private float alphaIn;
  private float alphaOut;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    timeOffsets = ConfigParameters.offsets(line, "time-offsets");
    int inputDim = line.positive("input-dim");
    int outputDim = line.positive("output-dim");
    int splicedDim = Math.multiplyExact(inputDim, timeOffsets.length);
    float stddev = line.real("param-stddev", -1);
    stddev = stddev < 0 ? inverseRoot(splicedDim) : stddev;
    float biasStddev = line.real("bias-stddev", 1);
    float biasMean = line.real("bias-mean", 0);
    linear = gaussianMatrix(random, outputDim, splicedDim, stddev);
    boolean useBias = line.flag("use-bias", true);
    bias = gaussian(random, useBias ? outputDim : 0, biasMean, biasStddev);
    orthonormalConstraint = line.real("orthonormal-constraint", 0);
    useNaturalGradient = line.flag("use-natural-gradient", true);
    rankIn = rank(line, "rank-in", 20, splicedDim);
    rankOut = rank(line, "rank-out", 80, outputDim);
    alphaIn = line.notNegative("alpha-in", 4);
    alphaOut = line.notNegative("alpha-out", 4);
    samplesHistory = samplesHistory(line);
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    timeOffsets = f.integers("<TimeOffsets>", timeOffsets);
    linear = f.matrix("<LinearParams>", linear);
    bias = f.vector("<BiasParams>", bias);
    f.check(
        Arrays.stream(timeOffsets).distinct().count() == timeOffsets.length
            && timeOffsets.length > 0,
        "<TimeOffsets> must be distinct",
        Arrays.toString(timeOffsets));
    f.check(
        linear.rows() > 0
            && linear.cols() % timeOffsets.length == 0
            && (bias.length == 0 || bias.length == linear.rows()),
        "<LinearParams> must have columns for each offset and as many rows as <BiasParams>",
        linear);
    orthonormalConstraint = f.real("<OrthonormalConstraint>", orthonormalConstraint);
    useNaturalGradient = f.flag("<UseNaturalGradient>", useNaturalGradient);
    samplesHistory = f.real("<NumSamplesHistory>", samplesHistory);
    if (f.optional("<Alpha>", false)) {
      alphaIn = f.real(alphaIn);
      alphaOut = alphaIn;
    } else {
      alphaIn = f.real("<AlphaInOut>", alphaIn);
      alphaOut = f.real(alphaOut);
    }
    rankIn = f.integer("<RankInOut>", rankIn);
    rankOut = f.integer(rankOut);
  }

  @Override
  public int inputDim() {
    return linear.cols() / timeOffsets.length;
  }

  @Override
  public int outputDim() {
    return linear.rows();
  }

  @Override
  public Set<Property> properties() {
    var all = EnumSet.of(UPDATABLE, REORDERS_INDEXES, BACKPROP_ADDS, BACKPROP_NEEDS_INPUT);
    if (bias.length == 0) {
      all.add(PROPAGATE_ADDS);
    }
    return all;
  }

  @Override
  public Optional<TimeOffsets> reach() {
    List<Integer> all = Arrays.stream(timeOffsets).boxed().toList();
    return Optional.of(TimeOffsets.of(all, all));
  }

  @Override
  public List<Index> inputIndexes(Index output) {
    return Arrays.stream(timeOffsets)
        .mapToObj(offset -> output.at(output.t() + offset, output.x()))
        .toList();
  }

  @Override
  public boolean isComputable(Index output, Predicate<Index> available, Consumer<Index> used) {
    List<Index> all = inputIndexes(output);
    if (!all.stream().allMatch(available)) {
      return false;
    }
    all.forEach(used);
    return true;
  }

  @Override
  public NaturalGradientSettings inputPreconditioning() {
    return useNaturalGradient
        ? new NaturalGradientSettings(rankIn, UPDATE_PERIOD, samplesHistory, alphaIn)
        : null;
  }

  @Override
  public NaturalGradientSettings outputPreconditioning() {
    return useNaturalGradient
        ? new NaturalGradientSettings(rankOut, UPDATE_PERIOD, samplesHistory, alphaOut)
        : null;
  }

  @Override
  public float orthonormalConstraint() {
    return orthonormalConstraint;
  }

  @Override
  public Matrix weights() {
    return linear;
  }

  @Override
  public Matrix constrained() {
    return linear;
  }

  @Override
  public InfoText infoText() {
    InfoText info =
        super.infoText()
            .unless(0, "orthonormal-constraint", orthonormalConstraint)
            .add("time-offsets", ConfigParameters.join(",", timeOffsets))
            .norms("linear-params", linear);
    if (bias.length == 0) {
      info.add("has-bias", false);
    } else {
      info.stats("bias", bias);
    }
    if (!useNaturalGradient) {
      return info.add("use-natural-gradient", false);
    }
    return info.add("rank-in", rankIn)
        .add("rank-out", rankOut)
        .add("num-samples-history", samplesHistory)
        .add("update-period", 4)
        .add("alpha-in", alphaIn)
        .add("alpha-out", alphaOut);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return f.affine(spliced(f, f.outputRows()), linear, bias);
  }

  /**
   * Returns, for each of some output rows, the input rows at each time offset, to be concatenated
   * by columns.
   */
  private List<ForwardStep.Columns> spliced(ForwardStep f, List<Index> rows) {
    var all = new ArrayList<ForwardStep.Columns>();
    for (int offset : timeOffsets) {
      all.add(new ForwardStep.Columns(inputDim(), f.rows(f.x(), places(f, rows, offset)), 1));
    }
    return all;
  }

  /** Positions of the input rows at a time offset, or -1. */
  private static int[] places(ForwardStep f, List<Index> rows, int offset) {
    return rows.stream().mapToInt(row -> f.place(row.at(row.t() + offset, row.x()))).toArray();
  }

  @Override
  public void backward(BackwardStep b) {
    ForwardStep f = b.forward();
    Tensor<F32> dy = b.dyInMemory();
    gradient(b, dy);
    if (!b.wantsInput()) {
      return;
    }
    var products = new ArrayList<BackwardStep.Spread>();
    for (int k = 0; k < timeOffsets.length; k++) {
      int[] places = places(f, f.outputRows(), timeOffsets[k]);
      products.add(new BackwardStep.Spread(dy, columns(f, k), places));
    }
    b.input(0, inputDim(), products, () -> dx(b, dy));
  }

  /**
   * Adds the gradient. Kaldi computes rows at all times of a regular grid, also those that nothing
   * reads; their derivatives are zero, but natural gradients see their inputs.
   */
  private void gradient(BackwardStep b, Tensor<F32> dy) {
    ForwardStep f = b.forward();
    List<Index> read = f.outputRows();
    List<Index> rows = useNaturalGradient && b.wantsParameters() ? regular(read) : read;
    if (rows.size() == read.size()) {
      b.product(linear, bias, spliced(f, read), dy);
      return;
    }
    Map<Index, Integer> places = new HashMap<>();
    read.forEach(row -> places.put(row, places.size()));
    int[] derivatives = rows.stream().mapToInt(row -> places.getOrDefault(row, -1)).toArray();
    b.product(linear, bias, spliced(f, rows), f.rows(dy, derivatives));
  }

  /** Rows at the times of the coarsest regular grid that has all times, in the order of time. */
  static List<Index> regular(List<Index> rows) {
    int[] times = rows.stream().mapToInt(Index::t).distinct().sorted().toArray();
    int step = 0;
    for (int k = 1; k < times.length; k++) {
      step = ArithmeticUtils.gcd(step, times[k] - times[k - 1]);
    }
    if (step == 0 || (times[times.length - 1] - times[0]) / step + 1 == times.length) {
      return rows;
    }
    List<Index> places = rows.stream().map(row -> row.at(0, row.x())).distinct().toList();
    var all = new ArrayList<Index>();
    for (int t = times[0]; t <= times[times.length - 1]; t += step) {
      for (Index place : places) {
        all.add(place.at(t, place.x()));
      }
    }
    return all;
  }

  private Tensor<F32> columns(ForwardStep f, int offset) {
    return f.matrix(linear)
        .slice(all(), range((long) offset * inputDim(), (offset + 1L) * inputDim()));
  }

  private Expr<F32> dx(BackwardStep b, Tensor<F32> dy) {
    ForwardStep f = b.forward();
    Tensor<F32> all = b.inMemory(BackwardStep.times(dy, f.matrix(linear)));
    Expr<F32> dx = null;
    for (int k = 0; k < timeOffsets.length; k++) {
      int offset = timeOffsets[k];
      Expr<F32> part = ForwardStep.columns(all, (long) k * inputDim(), (k + 1L) * inputDim());
      Expr<F32> rows = f.spread(part, row -> row.at(row.t() + offset, row.x()));
      dx = dx == null ? rows : dx.plus(rows);
    }
    return dx;
  }
}
