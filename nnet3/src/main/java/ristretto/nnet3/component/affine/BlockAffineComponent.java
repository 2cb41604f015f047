package ristretto.nnet3.component.affine;

import static ristretto.expr.Ops.dot;
import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearAndBias;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.ForwardStep;

/**
 * Block-diagonal affine component: {@code y = x W' + b} for each block of columns. The matrices W
 * are stacked by rows, the vectors b are concatenated.
 */
public final class BlockAffineComponent extends LinearAndBias {
  private int numBlocks;

  public BlockAffineComponent() {}

  BlockAffineComponent(UpdatableComponent settings, int numBlocks, Matrix linear, float[] bias) {
    takeSettings(settings);
    this.numBlocks = numBlocks;
    this.linear = linear;
    this.bias = bias;
  }

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    int inputDim = line.positive("input-dim");
    int outputDim = line.positive("output-dim");
    numBlocks = divisor(line, "num-blocks", line.positive("num-blocks"), inputDim);
    divisor(line, "num-blocks", numBlocks, outputDim);
    int cols = inputDim / numBlocks;
    float stddev = line.notNegative("param-stddev", inverseRoot(cols));
    linear = gaussianMatrix(random, outputDim, cols, stddev);
    float mean = line.real("bias-mean", 0);
    bias = gaussian(random, outputDim, mean, line.notNegative("bias-stddev", 1));
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    numBlocks = f.positive("<NumBlocks>", numBlocks);
    linear = f.matrix("<LinearParams>", linear);
    bias = f.vector("<BiasParams>", bias);
    f.check(
        linear.rows() == bias.length && bias.length > 0 && bias.length % numBlocks == 0,
        "<LinearParams> must have as many rows as <BiasParams> has elements, a multiple of "
            + numBlocks,
        linear.rows() + " and " + bias.length);
    oldIsGradient(f);
  }

  @Override
  public int inputDim() {
    return Math.multiplyExact(linear.cols(), numBlocks);
  }

  @Override
  public int outputDim() {
    return linear.rows();
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, UPDATABLE, BACKPROP_NEEDS_INPUT, BACKPROP_ADDS);
  }

  @Override
  public InfoText infoText() {
    return super.infoText()
        .add("num-blocks", numBlocks)
        .rms("linear-params", linear.data())
        .stats("bias", bias);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    Expr<F32> x = f.x();
    long rows = x.shape().dim(0) * x.shape().dim(1);
    long outputs = linear.rows() / numBlocks;
    Expr<F32> blocks = x.reshape(rows, numBlocks, linear.cols()).permute(1, 0, 2);
    Expr<F32> weights = f.matrix(linear).reshape(numBlocks, outputs, linear.cols());
    Expr<F32> y = dot(blocks, weights.permute(0, 2, 1)).permute(1, 0, 2);
    return y.reshape(x.shape().dim(0), x.shape().dim(1), outputDim()).plus(f.vector(bias));
  }
}
