package ristretto.nnet3.component.time;

import static ristretto.expr.Ops.square;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.PROPAGATE_ADDS;
import static ristretto.nnet3.Property.REORDERS_INDEXES;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
import ristretto.nnet3.step.ForwardStep;

/**
 * Count, sum and optionally sum of squares of the existing inputs in each period: those with t in
 * {@code [p * floor(t / p), p * floor(t / p) + p)} for output period p.
 */
public final class StatisticsExtractionComponent extends ComponentBase {
  private int inputDim;
  private int inputPeriod = 1;
  private int outputPeriod = 1;
  private boolean includeVariance = true;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    inputDim = line.positive("input-dim");
    outputPeriod = line.positive("output-period", 1);
    inputPeriod = divisor(line, "input-period", line.positive("input-period", 1), outputPeriod);
    includeVariance = line.flag("include-variance", true);
  }

  @Override
  public void fields(Fields f) {
    inputDim = f.positive("<InputDim>", inputDim);
    inputPeriod = f.positive("<InputPeriod>", inputPeriod);
    outputPeriod = f.positive("<OutputPeriod>", outputPeriod);
    f.check(
        outputPeriod % inputPeriod == 0,
        "<OutputPeriod> must be a multiple of " + inputPeriod,
        outputPeriod);
    // Misspelled as in Kaldi.
    includeVariance = f.flag("<IncludeVarinance>", includeVariance);
  }

  @Override
  public int inputDim() {
    return inputDim;
  }

  @Override
  public int outputDim() {
    return Math.toIntExact(1L + inputDim + (includeVariance ? inputDim : 0));
  }

  @Override
  public Set<Property> properties() {
    var all = EnumSet.of(PROPAGATE_ADDS, REORDERS_INDEXES);
    if (includeVariance) {
      all.add(BACKPROP_NEEDS_INPUT);
    }
    return all;
  }

  @Override
  public Optional<TimeOffsets> reach() {
    return Optional.of(TimeOffsets.within(1 - outputPeriod, outputPeriod - 1));
  }

  @Override
  public long reads() {
    return outputPeriod / inputPeriod;
  }

  @Override
  public List<Index> inputIndexes(Index output) {
    int start = Math.floorDiv(output.t(), outputPeriod) * outputPeriod;
    return TimeRange.indexes(output, start, start + outputPeriod - 1, inputPeriod);
  }

  @Override
  public boolean isComputable(Index output, Predicate<Index> available, Consumer<Index> used) {
    return TimeRange.any(inputIndexes(output), available, used);
  }

  @Override
  public boolean readsOnce() {
    return true;
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    var use = new ArrayList<int[]>();
    for (Index row : f.outputRows()) {
      use.add(inputIndexes(row).stream().mapToInt(f::place).filter(k -> k >= 0).toArray());
    }
    var counts = new float[use.size()];
    for (int k = 0; k < counts.length; k++) {
      counts[k] = use.get(k).length;
    }
    Expr<F32> x = f.x();
    Expr<F32> count = f.perRow(counts).expand(counts.length, f.sequences(), 1);
    Expr<F32> sums = f.sums(x, use);
    return includeVariance
        ? ForwardStep.append(List.of(count, sums, f.sums(square(x), use)))
        : ForwardStep.append(count, sums);
  }
}
