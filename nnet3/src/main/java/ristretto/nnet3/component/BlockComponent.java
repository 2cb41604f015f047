package ristretto.nnet3.component;

import java.util.random.RandomGenerator;
import ristretto.nnet3.ConfigLine;

/**
 * Component that combines blocks of input columns; its output dimension divides its input
 * dimension.
 */
abstract class BlockComponent extends ComponentBase {
  int inputDim;
  int outputDim;

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
}
