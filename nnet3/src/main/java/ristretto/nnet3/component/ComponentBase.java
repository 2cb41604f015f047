package ristretto.nnet3.component;

import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;
import ristretto.nnet3.step.StatisticsSink;

/**
 * Base class of all component types. A component is created empty, then initialized from a config
 * line or a file.
 */
public abstract class ComponentBase implements Component, Cloneable {
  public ComponentBase() {}

  /** Initializes the component from a config line. */
  public abstract void init(ConfigLine line, RandomGenerator random);

  /** Reads or writes the fields between the opening and closing tokens of the type. */
  public abstract void fields(Fields f);

  /**
   * Returns the expression of the output rows of a step: {@code y[p,n,k]} for positions p (t, x)
   * and sequences n.
   */
  public abstract Expr<F32> forward(ForwardStep f);

  /** Returns the scale if the forward function is {@code y = scale * x}; else NaN. */
  public float factor() {
    return Float.NaN;
  }

  /**
   * Returns true if the forward pass reads each input element once, so that the input can be fused
   * and need not be stored.
   */
  public boolean readsOnce() {
    return isSimple();
  }

  /** Returns the scale if the backward function is {@code dx = scale * dy}; else NaN. */
  public float backwardFactor() {
    return factor();
  }

  /**
   * Passes the derivatives of the input and of the parameters to {@code b}. The default
   * differentiates {@link #forward}, which must then have no parameters.
   */
  public void backward(BackwardStep b) {
    b.derive(this::forward);
  }

  /** Passes statistics of the output of all rows to {@code sink}. */
  public void statistics(ForwardStep f, Expr<F32> y, StatisticsSink sink) {}

  /** Adds sums over rows to the statistics of a name, which the component chose. */
  public void addStatistics(String name, float[] sum, double rows) {
    throw new IllegalArgumentException(type() + " says no " + name);
  }

  /**
   * Sums over rows that are stored under a name and that training continues to accumulate.
   *
   * @param sums by column; empty for none
   * @param rows number of rows in the sums
   */
  public record Gathered(double[] sums, double rows) {}

  /**
   * Returns the stored statistics of a name; empty if training does not continue to accumulate
   * them.
   */
  public Gathered gathered(String name) {
    return new Gathered(new double[0], 0);
  }

  /** Sets parameters and statistics to {@code scale * this + alpha * other}. */
  public void blend(LinearCombination blend, Component other) {}

  /** Sets all statistics to zero. */
  public void zeroStatistics() {
    scale(0);
  }

  /**
   * Returns true if statistics are accumulated even if the user requests none, because training
   * reads them.
   */
  public boolean alwaysGathersStatistics() {
    return false;
  }

  /** Returns true if statistics decay in training, so that the last minibatches dominate. */
  public boolean fadingStatistics() {
    return false;
  }

  /**
   * Returns true if the derivative needs sums over rows for so few columns that a kernel computes
   * partial sums, split in a way that depends on the kernel's other work. Recomputing such terms in
   * another kernel changes the last bit.
   */
  public boolean hasFewSums() {
    return false;
  }

  /** Returns the maximum number of input rows per output row, for components that read many. */
  public long reads() {
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

  /** Returns the number of output columns; by default that of the input. */
  @Override
  public int outputDim() {
    return inputDim();
  }

  /** Returns the info text; by default type and dimensions. */
  public InfoText infoText() {
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
    blend(new LinearCombination(factor, 0), this);
  }

  @Override
  public final void add(float factor, Component other) {
    blend(new LinearCombination(1, factor), other);
  }

  /** Returns true if the component draws random numbers with its current settings. */
  public boolean isRandomNow() {
    return false;
  }

  /** Returns normally distributed numbers. */
  protected static float[] gaussian(RandomGenerator random, int size, float mean, float stddev) {
    var values = new float[size];
    for (int i = 0; i < size; i++) {
      values[i] = (float) random.nextGaussian() * stddev + mean;
    }
    return values;
  }

  /**
   * Returns the product of three dimensions.
   *
   * @throws ArithmeticException if the product overflows an int
   */
  protected static int product(int a, int b, int c) {
    return Math.multiplyExact(Math.multiplyExact(a, b), c);
  }

  protected static Matrix gaussianMatrix(RandomGenerator random, int rows, int cols, float stddev) {
    return new Matrix(rows, cols, gaussian(random, Math.multiplyExact(rows, cols), 0, stddev));
  }

  /** Returns the value of {@code block-dim}, which must divide {@code dim}, its default. */
  protected static int blockDim(ConfigLine line, int dim) {
    return divisor(line, "block-dim", line.positive("block-dim", dim), dim);
  }

  protected static int divisor(ConfigLine line, String key, int part, int whole) {
    if (whole % part != 0) {
      throw line.error(key, key + " must divide " + whole);
    }
    return part;
  }
}
