package ristretto.nnet3.component.convolution;

import static ristretto.expr.Ops.dot;
import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.PROPAGATE_ADDS;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ConfigParameters;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearCombination;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.ForwardStep;

/**
 * Convolution over x and y of a volume with z channels in each row; superseded by {@link
 * TimeHeightConvolutionComponent}.
 */
public final class ConvolutionComponent extends UpdatableComponent {
  private static final List<String> ORDERS = List.of("yzx", "zyx");

  private int inputX;
  private int inputY;
  private int inputZ;
  private int filterX;
  private int filterY;
  private int stepX;
  private int stepY;
  private int vectorization;

  /** Filters, one per row. */
  Matrix filters;

  float[] bias;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    inputX = line.positive("input-x-dim");
    inputY = line.positive("input-y-dim");
    inputZ = line.positive("input-z-dim");
    filterX = line.positive("filt-x-dim");
    filterY = line.positive("filt-y-dim");
    stepX = line.positive("filt-x-step");
    stepY = line.positive("filt-y-step");
    String order = line.string("input-vectorization-order", "zyx");
    vectorization = ORDERS.indexOf(order);
    if (vectorization < 0) {
      throw line.error("input-vectorization-order", "the order must be zyx or yzx");
    }
    int dim = filterDim();
    if (line.has("matrix")) {
      Matrix both = ConfigParameters.read(line);
      if (both.cols() != dim + 1) {
        throw line.error(
            "matrix", String.format(Locale.ROOT, "the matrix must have %d columns", dim + 1));
      }
      filters = ConfigParameters.withoutLastColumn(both);
      bias = ConfigParameters.lastColumn(both);
    } else {
      int count = line.positive("num-filters");
      float stddev = line.notNegative("param-stddev", inverseRoot(dim));
      filters = gaussianMatrix(random, count, dim, stddev);
      bias = gaussian(random, count, 0, line.notNegative("bias-stddev", 1));
    }
    if (!fits()) {
      throw line.error(
          "input dimension minus filter size must be a non-negative multiple of the step, in x and"
              + " y; got other sizes");
    }
  }

  private int filterDim() {
    return Math.multiplyExact(Math.multiplyExact(filterX, filterY), inputZ);
  }

  private boolean fits() {
    return inputX >= filterX
        && inputY >= filterY
        && (inputX - filterX) % stepX == 0
        && (inputY - filterY) % stepY == 0;
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    inputX = f.positive("<InputXDim>", inputX);
    inputY = f.positive("<InputYDim>", inputY);
    inputZ = f.positive("<InputZDim>", inputZ);
    filterX = f.positive("<FiltXDim>", filterX);
    filterY = f.positive("<FiltYDim>", filterY);
    stepX = f.positive("<FiltXStep>", stepX);
    stepY = f.positive("<FiltYStep>", stepY);
    vectorization = f.integer("<InputVectorization>", vectorization);
    filters = f.matrix("<FilterParams>", filters);
    bias = f.vector("<BiasParams>", bias);
    f.check(
        fits() && filters.rows() == bias.length && filters.cols() == filterDim(),
        "<FilterParams> must fit the dimensions before it",
        filters);
    isGradientField(f);
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    var other = (ConvolutionComponent) o;
    filters = blend.of(filters, other.filters);
    bias = blend.of(bias, other.bias);
  }

  @Override
  public void mapParameters(UnaryOperator<float[]> f) {
    filters = map(f, filters);
    bias = f.apply(bias);
  }

  @Override
  public long parameterCount() {
    return (filters.cols() + 1L) * filters.rows();
  }

  @Override
  public int inputDim() {
    return product(inputX, inputY, inputZ);
  }

  @Override
  public int outputDim() {
    return product(1 + (inputX - filterX) / stepX, 1 + (inputY - filterY) / stepY, filters.rows());
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, UPDATABLE, BACKPROP_NEEDS_INPUT, BACKPROP_ADDS, PROPAGATE_ADDS);
  }

  @Override
  public InfoText infoText() {
    return super.infoText()
        .add("input-x-dim", inputX)
        .add("input-y-dim", inputY)
        .add("input-z-dim", inputZ)
        .add("filt-x-dim", filterX)
        .add("filt-y-dim", filterY)
        .add("filt-x-step", stepX)
        .add("filt-y-step", stepY)
        .add("input-vectorization", vectorization)
        .add("num-filters", filters.rows())
        .rms("filter-params", filters.data())
        .stats("bias-params", bias);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    int stepsX = 1 + (inputX - filterX) / stepX;
    int stepsY = 1 + (inputY - filterY) / stepY;
    var columns = new int[stepsX * stepsY * filterDim()];
    int k = 0;
    for (int px = 0; px < stepsX; px++) {
      for (int py = 0; py < stepsY; py++) {
        for (int x = px * stepX; x < px * stepX + filterX; x++) {
          for (int y = py * stepY; y < py * stepY + filterY; y++) {
            for (int z = 0; z < inputZ; z++) {
              columns[k++] =
                  vectorization == 1
                      ? (x * inputY + y) * inputZ + z
                      : (x * inputZ + z) * inputY + y;
            }
          }
        }
      }
    }
    long places = f.x().shape().dim(0);
    long rows = places * f.sequences() * stepsX * stepsY;
    Expr<F32> patches = f.takeColumns(columns).reshape(rows, filterDim());
    Expr<F32> y = dot(patches, f.matrix(filters).t()).plus(f.vector(bias));
    return y.reshape(places, f.sequences(), outputDim());
  }
}
