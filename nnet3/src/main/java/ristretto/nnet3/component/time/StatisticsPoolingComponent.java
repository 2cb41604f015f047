package ristretto.nnet3.component.time;

import static ristretto.expr.Ops.log;
import static ristretto.expr.Ops.max;
import static ristretto.expr.Ops.sqrt;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.stopGradient;
import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_OUTPUT;
import static ristretto.nnet3.Property.REORDERS_INDEXES;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;
import ristretto.nnet3.TimeOffsets;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/**
 * Mean and optionally standard deviation over a window of time, from rows of count, sum and sum of
 * squares.
 */
public final class StatisticsPoolingComponent extends ComponentBase {
  private int inputDim;
  private int inputPeriod = 1;
  private int leftContext;
  private int rightContext;
  private int numLogCountFeatures;
  private boolean outputStddevs;
  private float varianceFloor = 1e-10f;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    inputDim = line.positive("input-dim");
    inputPeriod = line.positive("input-period", 1);
    leftContext = line.integer("left-context");
    rightContext = line.integer("right-context");
    numLogCountFeatures = line.integer("num-log-count-features", 0);
    outputStddevs = line.flag("output-stddevs", false);
    varianceFloor = line.real("variance-floor", 1e-10f);
    if (!isContext(leftContext)) {
      throw line.error("left-context", "left-context must be a multiple of input-period");
    }
    if (!isContext(rightContext) || leftContext + rightContext == 0) {
      throw line.error(
          "right-context",
          "right-context must be a multiple of input-period, and the contexts not both 0");
    }
    if (numLogCountFeatures < 0) {
      throw line.error("num-log-count-features", "num-log-count-features must not be negative");
    }
    if (!(varianceFloor > 0 && varianceFloor < 1)) {
      throw line.error("variance-floor", "variance-floor must be above 0, below 1");
    }
    if (outputStddevs && inputDim % 2 == 0) {
      throw line.error("input-dim", "input-dim must be 1 + 2 n for output-stddevs");
    }
  }

  private boolean isContext(int frames) {
    return frames >= 0 && frames % inputPeriod == 0;
  }

  @Override
  public void fields(Fields f) {
    inputDim = f.positive("<InputDim>", inputDim);
    inputPeriod = f.positive("<InputPeriod>", inputPeriod);
    leftContext = f.integer("<LeftContext>", leftContext);
    rightContext = f.integer("<RightContext>", rightContext);
    f.check(
        isContext(leftContext) && isContext(rightContext),
        "contexts must be multiples of " + inputPeriod,
        leftContext + " and " + rightContext);
    numLogCountFeatures = f.integer("<NumLogCountFeatures>", numLogCountFeatures);
    f.check(
        numLogCountFeatures >= 0,
        "<NumLogCountFeatures> must not be negative",
        numLogCountFeatures);
    outputStddevs = f.flag("<OutputStddevs>", outputStddevs);
    varianceFloor = f.real("<VarianceFloor>", varianceFloor);
  }

  @Override
  public int inputDim() {
    return inputDim;
  }

  @Override
  public int outputDim() {
    return Math.toIntExact((long) inputDim + numLogCountFeatures - 1);
  }

  @Override
  public Set<Property> properties() {
    var all = EnumSet.of(REORDERS_INDEXES, BACKPROP_ADDS);
    if (outputStddevs || numLogCountFeatures > 0) {
      all.add(BACKPROP_NEEDS_OUTPUT);
    }
    if (numLogCountFeatures == 0) {
      all.add(BACKPROP_NEEDS_INPUT);
    }
    return all;
  }

  @Override
  public Optional<TimeOffsets> reach() {
    return Optional.of(TimeOffsets.within(-leftContext, rightContext));
  }

  @Override
  public long reads() {
    return ((long) leftContext + rightContext) / inputPeriod + 1;
  }

  @Override
  public List<Index> inputIndexes(Index output) {
    int t = output.t();
    return TimeRange.indexes(output, t - leftContext, t + rightContext, inputPeriod);
  }

  @Override
  public boolean isComputable(Index output, Predicate<Index> available, Consumer<Index> used) {
    return output.t() % inputPeriod == 0 && TimeRange.any(inputIndexes(output), available, used);
  }

  @Override
  public boolean readsOnce() {
    return true;
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return formula(f, (variance, stddev) -> stddev);
  }

  /** Computes derivatives; counts are constants, and the variance floor is ignored. */
  @Override
  public void backward(BackwardStep b) {
    b.derive(f -> formula(f, (variance, stddev) -> variance.div(stopGradient(stddev).times(2))));
  }

  private Expr<F32> formula(ForwardStep f, BinaryOperator<Expr<F32>> stddevs) {
    var use = new ArrayList<int[]>();
    for (Index row : f.outputRows()) {
      use.add(inputIndexes(row).stream().mapToInt(f::place).filter(k -> k >= 0).toArray());
    }
    Expr<F32> sums = f.sums(f.x(), use);
    Expr<F32> count = stopGradient(ForwardStep.columns(sums, 0, 1));
    Expr<F32> means = ForwardStep.columns(sums, 1, inputDim).div(count);
    var out = new ArrayList<Expr<F32>>();
    for (int k = 0; k < numLogCountFeatures; k++) {
      out.add(log(count));
    }
    if (outputStddevs) {
      long dim = (inputDim - 1) / 2;
      Expr<F32> mean = ForwardStep.columns(means, 0, dim);
      Expr<F32> variance = ForwardStep.columns(means, dim, 2 * dim).minus(square(mean));
      out.add(mean);
      out.add(stddevs.apply(variance, sqrt(max(variance, varianceFloor))));
    } else {
      out.add(means);
    }
    return ForwardStep.append(out);
  }
}
