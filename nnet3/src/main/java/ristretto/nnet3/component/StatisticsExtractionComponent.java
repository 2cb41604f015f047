package ristretto.nnet3.component;

import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.PROPAGATE_ADDS;
import static ristretto.nnet3.Property.REORDERS_INDEXES;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;

/**
 * Count, sum and perhaps sum of squares of those inputs that exist in each period: of {@code t} in
 * {@code [p * floor(t / p), p * floor(t / p) + p)} for output period p.
 */
final class StatisticsExtractionComponent extends ComponentBase {
  private int inputDim;
  private int inputPeriod = 1;
  private int outputPeriod = 1;
  private boolean includeVariance = true;

  @Override
  void init(ConfigLine line, RandomGenerator random) {
    inputDim = line.positive("input-dim");
    outputPeriod = line.positive("output-period", 1);
    inputPeriod = divisor(line, "input-period", line.positive("input-period", 1), outputPeriod);
    includeVariance = line.flag("include-variance", true);
  }

  @Override
  void fields(Fields f) {
    inputDim = f.positive("<InputDim>", inputDim);
    inputPeriod = f.positive("<InputPeriod>", inputPeriod);
    outputPeriod = f.positive("<OutputPeriod>", outputPeriod);
    f.check(
        outputPeriod % inputPeriod == 0,
        "<OutputPeriod> must be a multiple of " + inputPeriod,
        outputPeriod);
    // Spelled as in Kaldi.
    includeVariance = f.flag("<IncludeVarinance>", includeVariance);
  }

  @Override
  public int inputDim() {
    return inputDim;
  }

  @Override
  public int outputDim() {
    return 1 + inputDim + (includeVariance ? inputDim : 0);
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
  public List<Index> inputIndexes(Index output) {
    int start = Math.floorDiv(output.t(), outputPeriod) * outputPeriod;
    return TimeRange.indexes(output, start, start + outputPeriod - 1, inputPeriod);
  }

  @Override
  public boolean isComputable(Index output, Predicate<Index> available, Consumer<Index> used) {
    return TimeRange.any(inputIndexes(output), available, used);
  }
}
