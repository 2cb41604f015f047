package ristretto.nnet3.component;

import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.forward.Backward;
import ristretto.nnet3.forward.Forward;
import ristretto.nnet3.forward.StatisticsSink;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.io.Matrix;

/**
 * What all types have in common. A component is made empty, and then initialized from a config line
 * or from a file.
 */
public abstract class ComponentBase implements Component, Cloneable {
  ComponentBase() {}

  /** Takes what a config line says. */
  abstract void init(ConfigLine line, RandomGenerator random);

  /** Names what stands in a file between the tokens of the type. */
  abstract void fields(Fields f);

  /** The formula: the value of the step's rows. */
  public abstract Expr<F32> forward(Forward f);

  /** The factor by which forward multiplies what it reads, if that is all that it does; or NaN. */
  public float factor() {
    return Float.NaN;
  }

  /** Whether forward reads each element once, so that its value need not be in memory. */
  public boolean readsOnce() {
    return isSimple();
  }

  /** As {@link #factor}, of derivatives. */
  public float backwardFactor() {
    return factor();
  }

  /**
   * Says the derivatives of what forward read and of the parameters. By default they are those of
   * the formula, which then must have no parameters.
   */
  public void backward(Backward b) {
    b.derive(this::forward);
  }

  /** Says statistics of what forward made of all rows. */
  public void statistics(Forward f, Expr<F32> y, StatisticsSink sink) {}

  /** Adds sums over rows that the component said under a name. */
  public void addStatistics(String name, float[] sum, double rows) {
    throw new IllegalArgumentException(type() + " says no " + name);
  }

  /**
   * Sums over rows that the component has under a name: those that training goes on with.
   *
   * @param sums empty for none
   */
  public record Gathered(double[] sums, double rows) {}

  /** What there is of a name; nothing where training does not go on with it. */
  public Gathered gathered(String name) {
    return new Gathered(new double[0], 0);
  }

  /** Makes parameters and statistics {@code scale * this + alpha * other}. */
  void blend(Blend blend, Component other) {}

  /** Forgets statistics. */
  public void zeroStatistics() {
    scale(0);
  }

  /** Whether statistics are gathered even where none are wanted, as training needs them itself. */
  public boolean alwaysGathersStatistics() {
    return false;
  }

  /** Whether statistics fade in training, so that they are those of the last minibatches. */
  public boolean fadingStatistics() {
    return false;
  }

  /**
   * Whether its derivative needs sums over rows and columns, so few that a kernel adds up parts of
   * each, whose sizes depend on what else it does: the same terms from elsewhere differ in the last
   * bit.
   */
  public boolean hasFewSums() {
    return false;
  }

  /** Most input rows that an output row is computed from, of a component that reads many. */
  long reads() {
    return 1;
  }

  @Override
  public String type() {
    return getClass().getSimpleName();
  }

  @Override
  public String info() {
    return infoText().toString();
  }

  @Override
  public String info(boolean singularValues) {
    return singularValues ? infoText().withSingularValues() : info();
  }

  /** Type and dimensions, where a type has nothing else to tell. */
  InfoText infoText() {
    return new InfoText(type()).add("input-dim", inputDim()).add("output-dim", outputDim());
  }

  @Override
  public void write(KaldiOutput out) {
    out.writeToken("<" + type() + ">");
    fields(new FieldWriter(out));
    out.writeToken("</" + type() + ">");
  }

  @Override
  public ComponentBase copy() {
    try {
      return (ComponentBase) clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public final void scale(float factor) {
    blend(new Blend(factor, 0), this);
  }

  @Override
  public final void add(float factor, Component other) {
    blend(new Blend(1, factor), other);
  }

  /** Whether it draws random numbers, as it is set. */
  public boolean isRandomNow() {
    return false;
  }

  /** Normally distributed numbers. */
  static float[] gaussian(RandomGenerator random, int size, float mean, float stddev) {
    var values = new float[size];
    for (int i = 0; i < size; i++) {
      values[i] = (float) random.nextGaussian() * stddev + mean;
    }
    return values;
  }

  /**
   * Size of three dimensions.
   *
   * @throws ArithmeticException if no integer holds it
   */
  static int product(int a, int b, int c) {
    return Math.multiplyExact(Math.multiplyExact(a, b), c);
  }

  static Matrix gaussianMatrix(RandomGenerator random, int rows, int cols, float stddev) {
    return new Matrix(rows, cols, gaussian(random, Math.multiplyExact(rows, cols), 0, stddev));
  }

  /** The value of {@code key} if it divides {@code dim}, which is its default. */
  static int blockDim(ConfigLine line, int dim) {
    return divisor(line, "block-dim", line.positive("block-dim", dim), dim);
  }

  static int divisor(ConfigLine line, String key, int part, int whole) {
    if (whole % part != 0) {
      throw line.error(key, key + " must divide " + whole);
    }
    return part;
  }
}
