package ristretto.nnet3.component.affine;

import static ristretto.expr.Ops.dot;
import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.INPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.OUTPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ConfigParameters;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearAndBias;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.ForwardStep;

/**
 * Affine component with shared parameters: {@code y = x W' + b} for each block of columns, with one
 * W and b for all blocks.
 */
public class RepeatedAffineComponent extends LinearAndBias {
  private int numRepeats;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    int inputDim = line.positive("input-dim");
    int outputDim = line.positive("output-dim");
    numRepeats = divisor(line, "num-repeats", line.positive("num-repeats"), inputDim);
    divisor(line, "num-repeats", numRepeats, outputDim);
    int cols = inputDim / numRepeats;
    int rows = outputDim / numRepeats;
    linear =
        gaussianMatrix(random, rows, cols, line.notNegative("param-stddev", inverseRoot(cols)));
    float mean = line.real("bias-mean", 0);
    bias = gaussian(random, rows, mean, line.notNegative("bias-stddev", 0));
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    numRepeats = f.positive("<NumRepeats>", numRepeats);
    matrices(f);
    oldIsGradient(f);
  }

  /** Returns a component of the same function with separate parameters for each block. */
  public final BlockAffineComponent toBlockAffine() {
    return new BlockAffineComponent(
        this,
        numRepeats,
        new Matrix(
            linear.rows() * numRepeats,
            linear.cols(),
            ConfigParameters.repeat(linear.data(), numRepeats)),
        ConfigParameters.repeat(bias, numRepeats));
  }

  @Override
  public int inputDim() {
    return Math.multiplyExact(linear.cols(), numRepeats);
  }

  @Override
  public int outputDim() {
    return Math.multiplyExact(linear.rows(), numRepeats);
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(
        SIMPLE,
        UPDATABLE,
        BACKPROP_NEEDS_INPUT,
        BACKPROP_ADDS,
        INPUT_CONTIGUOUS,
        OUTPUT_CONTIGUOUS);
  }

  @Override
  public InfoText infoText() {
    return super.infoText()
        .add("num-repeats", numRepeats)
        .rms("linear-params", linear.data())
        .stats("bias", bias);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    Expr<F32> x = f.x();
    long rows = x.shape().dim(0) * x.shape().dim(1);
    Expr<F32> blocks = x.reshape(rows * numRepeats, linear.cols());
    Expr<F32> y = dot(blocks, f.matrix(linear).t()).plus(f.vector(bias));
    return y.reshape(x.shape().dim(0), x.shape().dim(1), outputDim());
  }
}
