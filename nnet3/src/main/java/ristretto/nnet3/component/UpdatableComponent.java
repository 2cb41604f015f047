package ristretto.nnet3.component;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.BackwardStep;

/** Base class of components with trainable parameters. */
public abstract class UpdatableComponent extends ComponentBase {
  /** Default rank of a natural gradient. */
  public static final int RANK = 20;

  /** Kaldi's rank for types that do not set one. */
  public static final int MANY = 40;

  public static final int UPDATE_PERIOD = 4;
  public static final float SAMPLES_HISTORY = 2000;
  public static final float ALPHA = 4;

  private float learningRate = 0.001f;
  private float learningRateFactor = 1;
  private float maxChange;
  private float l2Regularize;
  private boolean isGradient;

  public UpdatableComponent() {}

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    learningRate = line.notNegative("learning-rate", 0.001f);
    learningRateFactor = line.notNegative("learning-rate-factor", 1);
    maxChange = line.notNegative("max-change", 0);
    l2Regularize = line.notNegative("l2-regularize", 0);
  }

  /** Reads or writes the fields that all updatable types begin with. */
  protected final void updatableFields(Fields f) {
    learningRateFactor = f.optionalReal("<LearningRateFactor>", learningRateFactor, 1);
    isGradient = f.optional("<IsGradient>", isGradient) && f.flag(isGradient);
    maxChange = f.optionalReal("<MaxChange>", maxChange, 0);
    l2Regularize = f.optionalReal("<L2Regularize>", l2Regularize, 0);
    // Very old files lack the field.
    if (f.optional("<LearningRate>", true)) {
      learningRate = f.real(learningRate);
    }
  }

  /** Reads the obsolete position of {@code <IsGradient>} in files of old versions. */
  protected final void oldIsGradient(Fields f) {
    if (f.optional("<IsGradient>", false)) {
      isGradient = f.flag(isGradient);
    }
  }

  /** Reads or writes {@code <IsGradient>} at the end, for the types that always store it there. */
  protected final void isGradientField(Fields f) {
    isGradient = f.flag("<IsGradient>", isGradient);
  }

  @Override
  public InfoText infoText() {
    InfoText info = super.infoText().add("learning-rate", learningRate);
    if (isGradient) {
      info.add("is-gradient", true);
    }
    return info.unless(0, "l2-regularize", l2Regularize)
        .unless(1, "learning-rate-factor", learningRateFactor)
        .unless(0, "max-change", maxChange);
  }

  @Override
  public final void zeroStatistics() {
    Iterator<float[]> kept = parameters().iterator();
    scale(0);
    mapParameters(_ -> kept.next());
  }

  @Override
  public abstract long parameterCount();

  /**
   * Passes each parameter array to {@code f}, in file order, and replaces it by the result. Arrays
   * are never modified, only replaced.
   */
  public abstract void mapParameters(UnaryOperator<float[]> f);

  protected static Matrix map(UnaryOperator<float[]> f, Matrix m) {
    float[] mapped = f.apply(m.data());
    return mapped == m.data() ? m : new Matrix(m.rows(), m.cols(), mapped);
  }

  /** Returns all parameter arrays, in file order. */
  public final List<float[]> parameters() {
    var all = new ArrayList<float[]>();
    mapParameters(array -> {
      all.add(array);
      return array;
    });
    return all;
  }

  /**
   * Returns the parts that own the parameters and have learning rates of their own; empty if this
   * component owns them.
   */
  public List<UpdatableComponent> updatableParts() {
    return List.of();
  }

  /**
   * Returns the natural gradient of the input rows that parameters are multiplied with; null for
   * none.
   */
  public NaturalGradientSettings inputPreconditioning() {
    return null;
  }

  /** Returns the natural gradient of the rows of output derivatives; null for none. */
  public NaturalGradientSettings outputPreconditioning() {
    return null;
  }

  /**
   * Returns the natural gradient of rows of parameter derivatives that are summed over rows; null
   * for none.
   */
  public NaturalGradientSettings rowPreconditioning() {
    return null;
  }

  /**
   * Returns the natural gradient of the rows of the parameter gradient, in which the rows of all
   * parameter arrays are concatenated; null for none.
   */
  public NaturalGradientSettings gradientPreconditioning() {
    return null;
  }

  /**
   * Returns the natural gradient of the columns of the parameter gradient, applied after {@link
   * #gradientPreconditioning}; null for none.
   */
  public NaturalGradientSettings columnPreconditioning() {
    return null;
  }

  /** Returns the number of rows of the parameter gradient. */
  public int gradientRows() {
    return 1;
  }

  /**
   * Returns the norm of the rows of {@link #constrained} under the orthonormal constraint; negative
   * for the norm that fits best (a floating scale); 0 for no constraint.
   */
  public float orthonormalConstraint() {
    return 0;
  }

  /** Returns the parameters that an orthonormal constraint applies to; null if there are none. */
  public Matrix constrained() {
    return null;
  }

  /** Returns the learning rate, including the learning rate factor. */
  public final float learningRate() {
    return learningRate;
  }

  /** Returns the maximum norm of one parameter change (max-change), or 0 for no limit. */
  public final float maxChange() {
    return maxChange;
  }

  /** Returns the coefficient of l2 regularization. */
  public final float l2Regularize() {
    return l2Regularize;
  }

  /** Sets the learning rate to {@code rate} times the learning rate factor. */
  public void setUnderlyingLearningRate(float rate) {
    learningRate = rate * learningRateFactor;
  }

  /** Sets the learning rate, ignoring the learning rate factor. */
  public void setActualLearningRate(float rate) {
    learningRate = rate;
  }

  /** Sets the learning rate factor; the learning rate is unchanged until it is next set. */
  public void setLearningRateFactor(float factor) {
    learningRateFactor = factor;
  }

  @Override
  public void backward(BackwardStep b) {
    b.derive(this::forward, parameters().toArray(new float[0][]));
  }

  /** Marks the parameters as a gradient and sets the learning rate to 1. */
  public void setAsGradient() {
    learningRate = 1;
    isGradient = true;
  }

  /**
   * Copies learning rate, max-change, l2 regularization and gradient flag from another component.
   */
  public final void takeSettings(UpdatableComponent other) {
    learningRate = other.learningRate;
    learningRateFactor = other.learningRateFactor;
    maxChange = other.maxChange;
    l2Regularize = other.l2Regularize;
    isGradient = other.isGradient;
  }

  /**
   * Returns the rank of a natural gradient: the value of {@code key} if above 0, else half of
   * {@code dim}, rounded up, at most {@code most}.
   */
  protected static int rank(ConfigLine line, String key, int most, int dim) {
    int rank = line.integer(key, -1);
    if (rank == 0) {
      throw line.error(key, key + " must be at least 1, or negative for the default");
    }
    return rank > 0 ? rank : Math.min(most, (dim + 1) / 2);
  }

  protected static float samplesHistory(ConfigLine line) {
    float history = line.real("num-samples-history", 2000);
    if (!(history > 0 && history < 1e6f)) {
      throw line.error("num-samples-history", "num-samples-history must be above 0, below 1e6");
    }
    return history;
  }

  /** Returns one over the square root of {@code dim}. */
  public static float inverseRoot(int dim) {
    return (float) (1 / Math.sqrt(dim));
  }
}
