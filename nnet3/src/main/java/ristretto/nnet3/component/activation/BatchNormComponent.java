package ristretto.nnet3.component.activation;

import static ristretto.expr.Ops.mean;
import static ristretto.expr.Ops.rsqrt;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;
import static ristretto.nnet3.Property.BACKPROP_IN_PLACE;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_OUTPUT;
import static ristretto.nnet3.Property.INPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.OUTPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.PROPAGATE_IN_PLACE;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.STORES_STATS;
import static ristretto.nnet3.Property.USES_MEMO;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearCombination;
import ristretto.nnet3.component.StatisticsFormat;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;
import ristretto.nnet3.step.StatisticsSink;

/**
 * Batch normalization of each column over all rows of a minibatch: {@code y = (x - mean) *
 * targetRms / sqrt(variance + epsilon)}. In test mode, mean and variance come from the accumulated
 * statistics.
 */
public final class BatchNormComponent extends ComponentBase {
  /**
   * Number of column sums from which a kernel computes each sum as a whole instead of in partial
   * sums.
   */
  private static final int FEW_SUMS = 16;

  private int dim;
  private int blockDim;
  private float epsilon = 1e-3f;
  private float targetRms = 1;
  private boolean testMode;
  private double count;
  private double[] sum;
  private double[] sumOfSquares;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    dim = line.positive("dim");
    blockDim = blockDim(line, dim);
    epsilon = positive(line, "epsilon", 1e-3f);
    targetRms = positive(line, "target-rms", 1);
    testMode = line.flag("test-mode", false);
    sum = new double[blockDim];
    sumOfSquares = new double[blockDim];
  }

  private static float positive(ConfigLine line, String key, float none) {
    float value = line.real(key, none);
    if (!(value > 0)) {
      throw line.error(key, key + " must be above 0");
    }
    return value;
  }

  @Override
  public void fields(Fields f) {
    dim = f.positive("<Dim>", dim);
    blockDim = f.positive("<BlockDim>", blockDim);
    f.check(dim % blockDim == 0, "<BlockDim> must divide " + dim, blockDim);
    epsilon = f.real("<Epsilon>", epsilon);
    targetRms = f.real("<TargetRms>", targetRms);
    f.check(epsilon > 0 && targetRms > 0, "<Epsilon> and <TargetRms> must be above 0", epsilon);
    testMode = f.flag("<TestMode>", testMode);
    count = f.longReal("<Count>", count);
    f.token("<StatsMean>");
    if (f.reading()) {
      readStats(f);
    } else {
      float[] mean = StatisticsFormat.averages(sum, count);
      f.vector(mean);
      f.vector("<StatsVar>", variance(mean));
    }
  }

  private void readStats(Fields f) {
    double[] mean = f.doubles(null);
    f.token("<StatsVar>");
    double[] square = f.doubles(null);
    f.check(
        mean.length == blockDim && square.length == blockDim,
        String.format(Locale.ROOT, "<StatsMean> and <StatsVar> must have %d elements", blockDim),
        mean.length + " and " + square.length);
    for (int i = 0; i < square.length; i++) {
      square[i] += mean[i] * mean[i];
    }
    sum = StatisticsFormat.sums(mean, count);
    sumOfSquares = StatisticsFormat.sums(square, count);
  }

  private float[] variance(float[] mean) {
    float[] variance = StatisticsFormat.averages(sumOfSquares, count);
    if (count != 0) {
      for (int i = 0; i < variance.length; i++) {
        variance[i] -= mean[i] * mean[i];
      }
    }
    return variance;
  }

  /**
   * Sets the test mode.
   *
   * @param on true to take mean and variance from the accumulated statistics
   */
  public void setTestMode(boolean on) {
    testMode = on;
  }

  public double count() {
    return count;
  }

  /**
   * Returns scale and offset of test mode, {@code y = x * scale + offset}, with {@code blockDim}
   * elements each. Empty statistics count as mean 0 and variance 1.
   */
  float[][] scaleAndOffset() {
    var scale = new float[blockDim];
    var offset = new float[blockDim];
    float factor = count == 0 ? 0 : (float) (1.0 / count);
    for (int i = 0; i < blockDim; i++) {
      float mean = (float) sum[i] * factor;
      float square = count == 0 ? 1 : (float) sumOfSquares[i] * factor;
      float variance = Math.max(0, square - mean * mean);
      scale[i] = (float) Math.pow(variance + epsilon, -0.5) * targetRms;
      offset[i] = -mean * scale[i];
    }
    return new float[][] {scale, offset};
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    var other = (BatchNormComponent) o;
    count = blend.of(count, other.count);
    sum = blend.of(sum, other.sum);
    sumOfSquares = blend.of(sumOfSquares, other.sumOfSquares);
  }

  @Override
  public boolean hasFewSums() {
    return blockDim < FEW_SUMS;
  }

  @Override
  public int inputDim() {
    return dim;
  }

  @Override
  public Set<Property> properties() {
    var all = EnumSet.of(SIMPLE, BACKPROP_NEEDS_OUTPUT, PROPAGATE_IN_PLACE, BACKPROP_IN_PLACE);
    if (blockDim < dim) {
      all.addAll(EnumSet.of(INPUT_CONTIGUOUS, OUTPUT_CONTIGUOUS));
    }
    if (!testMode) {
      all.addAll(EnumSet.of(USES_MEMO, STORES_STATS));
    }
    return all;
  }

  @Override
  public InfoText infoText() {
    InfoText info =
        new InfoText(type())
            .add("dim", dim)
            .add("block-dim", blockDim)
            .add("epsilon", epsilon)
            .add("target-rms", targetRms)
            .add("count", count)
            .add("test-mode", testMode);
    if (count > 0) {
      float[] mean = StatisticsFormat.averages(sum, count);
      float[] stddev = variance(mean);
      for (int i = 0; i < stddev.length; i++) {
        stddev[i] = (float) Math.sqrt(Math.max(0, stddev[i]));
      }
      info.summarized("data-mean", mean).summarized("data-stddev", stddev);
    }
    return info;
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    Expr<F32> x = f.x();
    if (testMode) {
      Expr<F32> scale = f.derived(this, "scale" + count, () -> tiled(0), dim);
      Expr<F32> offset = f.derived(this, "offset" + count, () -> tiled(1), dim);
      return x.times(scale).plus(offset);
    }
    Expr<F32> rows = blocks(x);
    Expr<F32> mean = f.keep("mean", () -> mean(rows, 0, 1, 2).keepDims());
    Expr<F32> variance =
        f.keep("variance", () -> mean(square(rows.minus(mean)), 0, 1, 2).keepDims());
    Expr<F32> scale = f.keep("scale", () -> rsqrt(variance.plus(epsilon)).times(targetRms));
    f.keep("share", () -> scale.div(rowCount(rows)));
    return rows.minus(mean).times(scale).reshape(x.shape().toArray());
  }

  @Override
  public void statistics(ForwardStep f, Expr<F32> y, StatisticsSink sink) {
    if (testMode) {
      return;
    }
    double rows = y.shape().size() / (double) blockDim;
    Expr<F32> mean = f.kept("mean");
    Expr<F32> variance = f.kept("variance");
    sink.statistics(this, "sums", mean.times(rows).reshape(blockDim), rows);
    sink.statistics(
        this, "squares", variance.plus(square(mean)).times(rows).reshape(blockDim), rows);
  }

  @Override
  public void addStatistics(String name, float[] more, double rows) {
    switch (name) {
      case "sums" -> {
        sum = StatisticsFormat.plus(sum, more);
        count += rows;
      }
      case "squares" -> sumOfSquares = StatisticsFormat.plus(sumOfSquares, more);
      default -> super.addStatistics(name, more, rows);
    }
  }

  @Override
  public Gathered gathered(String name) {
    return new Gathered(name.equals("sums") ? sum : sumOfSquares, count);
  }

  @Override
  public boolean fadingStatistics() {
    return true;
  }

  private double rowCount(Expr<F32> rows) {
    return (double) rows.shape().size() / blockDim;
  }

  private Expr<F32> blocks(Expr<F32> x) {
    return x.reshape(x.shape().dim(0), x.shape().dim(1), dim / blockDim, blockDim);
  }

  @Override
  public void backward(BackwardStep b) {
    if (testMode) {
      b.derive(this::forward);
      return;
    }
    Expr<F32> dy = blocks(b.dyForSeveral());
    Expr<F32> y = blocks(b.y());
    // Sums, scaled once per column by scale / rows, avoid a division per element.
    Expr<F32> share = b.forward().kept("share");
    List<Tensor<F32>> sums =
        b.inMemory(sum(dy, 0, 1, 2).keepDims(), sum(dy.times(y), 0, 1, 2).keepDims());
    Expr<F32> ofMean = sums.get(0);
    Expr<F32> ofScale = sums.get(1);
    double once = 1.0 / ((double) targetRms * targetRms);
    Expr<F32> all = dy.times(rowCount(dy)).minus(ofMean).minus(y.times(ofScale.times(once)));
    Expr<F32> dx = all.times(share);
    b.input(dx.reshape(b.dy().shape().toArray()));
  }

  private float[] tiled(int which) {
    float[] block = scaleAndOffset()[which];
    var all = new float[dim];
    for (int k = 0; k < dim; k++) {
      all[k] = block[k % blockDim];
    }
    return all;
  }
}
