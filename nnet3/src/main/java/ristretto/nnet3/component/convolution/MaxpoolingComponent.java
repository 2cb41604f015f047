package ristretto.nnet3.component.convolution;

import static ristretto.expr.Ops.max;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.where;
import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_OUTPUT;
import static ristretto.nnet3.Property.SIMPLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/** Max pooling over a volume in each row. */
public final class MaxpoolingComponent extends ComponentBase {
  private int inputX;
  private int inputY;
  private int inputZ;
  private int sizeX;
  private int sizeY;
  private int sizeZ;
  private int stepX;
  private int stepY;
  private int stepZ;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    inputX = line.positive("input-x-dim");
    inputY = line.positive("input-y-dim");
    inputZ = line.positive("input-z-dim");
    sizeX = line.positive("pool-x-size");
    sizeY = line.positive("pool-y-size");
    sizeZ = line.positive("pool-z-size");
    stepX = line.positive("pool-x-step");
    stepY = line.positive("pool-y-step");
    stepZ = line.positive("pool-z-step");
    if (!fits()) {
      throw line.error(
          "input dimension minus pool size must be a non-negative multiple of the step, which must"
              + " not exceed the pool size, in x, y and z; got other sizes");
    }
  }

  private boolean fits() {
    return fits(inputX, sizeX, stepX) && fits(inputY, sizeY, stepY) && fits(inputZ, sizeZ, stepZ);
  }

  private static boolean fits(int input, int size, int step) {
    return input >= size && size >= step && (input - size) % step == 0;
  }

  @Override
  public void fields(Fields f) {
    inputX = f.positive("<InputXDim>", inputX);
    inputY = f.positive("<InputYDim>", inputY);
    inputZ = f.positive("<InputZDim>", inputZ);
    sizeX = f.positive("<PoolXSize>", sizeX);
    sizeY = f.positive("<PoolYSize>", sizeY);
    sizeZ = f.positive("<PoolZSize>", sizeZ);
    stepX = f.positive("<PoolXStep>", stepX);
    stepY = f.positive("<PoolYStep>", stepY);
    stepZ = f.positive("<PoolZStep>", stepZ);
    f.check(fits(), "pools must cover the input in a whole number of steps", "other sizes");
  }

  @Override
  public int inputDim() {
    return product(inputX, inputY, inputZ);
  }

  @Override
  public int outputDim() {
    return product(
        1 + (inputX - sizeX) / stepX, 1 + (inputY - sizeY) / stepY, 1 + (inputZ - sizeZ) / stepZ);
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, BACKPROP_NEEDS_INPUT, BACKPROP_NEEDS_OUTPUT, BACKPROP_ADDS);
  }

  @Override
  public InfoText infoText() {
    return new InfoText(type())
        .add("input-x-dim", inputX)
        .add("input-y-dim", inputY)
        .add("input-z-dim", inputZ)
        .add("pool-x-size", sizeX)
        .add("pool-y-size", sizeY)
        .add("pool-z-size", sizeZ)
        .add("pool-x-step", stepX)
        .add("pool-y-step", stepY)
        .add("pool-z-step", stepZ);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return max(pools(f), 3);
  }

  private Expr<F32> pools(ForwardStep f) {
    int poolsX = 1 + (inputX - sizeX) / stepX;
    int poolsY = 1 + (inputY - sizeY) / stepY;
    int poolsZ = 1 + (inputZ - sizeZ) / stepZ;
    int size = sizeX * sizeY * sizeZ;
    var columns = new int[poolsX * poolsY * poolsZ * size];
    for (int pool = 0; pool < columns.length / size; pool++) {
      int x0 = pool / (poolsY * poolsZ) * stepX;
      int y0 = pool / poolsZ % poolsY * stepY;
      int z0 = pool % poolsZ * stepZ;
      for (int k = 0; k < size; k++) {
        int x = x0 + k / (sizeY * sizeZ);
        int y = y0 + k / sizeZ % sizeY;
        int z = z0 + k % sizeZ;
        columns[pool * size + k] = (x * inputY + y) * inputZ + z;
      }
    }
    return f.takeColumns(columns)
        .reshape(f.x().shape().dim(0), f.x().shape().dim(1), columns.length / size, size);
  }

  /**
   * Computes the input derivative; every element equal to the maximum of its pool receives the
   * derivative, as in Kaldi.
   */
  @Override
  public void backward(BackwardStep b) {
    b.derive(f -> {
      Expr<F32> pools = pools(f);
      Expr<F32> largest = max(pools, 3).keepDims();
      return sum(where(pools.eq(largest), pools, 0), 3);
    });
  }
}
