package ristretto.nnet3.component.column;

import java.util.random.RandomGenerator;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.config.ConfigLine;

/**
 * Component that combines blocks of input columns; its output dimension divides its input
 * dimension.
 */
public abstract class BlockComponent extends ComponentBase {
  public int inputDim;
  public int outputDim;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    inputDim = line.positive("input-dim");
    outputDim = divisor(line, "output-dim", line.positive("output-dim"), inputDim);
  }

  @Override
  public void fields(Fields f) {
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
