package ristretto.nnet3.component;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;

/** Block x mod k of the columns of the input at floor(x / k), where k blocks make an input row. */
final class DistributeComponent extends ComponentBase {
  private int inputDim;
  private int outputDim;

  @Override
  void init(ConfigLine line, RandomGenerator random) {
    inputDim = line.positive("input-dim");
    outputDim = divisor(line, "output-dim", line.positive("output-dim"), inputDim);
  }

  @Override
  void fields(Fields f) {
    inputDim = f.positive("<InputDim>", inputDim);
    outputDim = f.positive("<OutputDim>", outputDim);
    f.check(inputDim % outputDim == 0, "<OutputDim> must divide " + inputDim, outputDim);
  }

  @Override
  public int inputDim() {
    return inputDim;
  }

  @Override
  public int outputDim() {
    return outputDim;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.noneOf(Property.class);
  }

  @Override
  public List<Index> inputIndexes(Index output) {
    return List.of(output.at(output.t(), Math.floorDiv(output.x(), inputDim / outputDim)));
  }

  @Override
  public boolean isComputable(Index output, Predicate<Index> available, Consumer<Index> used) {
    Index input = inputIndexes(output).get(0);
    if (!available.test(input)) {
      return false;
    }
    used.accept(input);
    return true;
  }
}
