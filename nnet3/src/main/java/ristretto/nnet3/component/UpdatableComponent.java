package ristretto.nnet3.component;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.forward.Backward;
import ristretto.nnet3.io.Matrix;

/** A component with parameters. */
public abstract class UpdatableComponent extends ComponentBase {
  /** Of natural gradients, where no setting says otherwise. */
  static final int RANK = 20;

  /** Kaldi's rank where a type does not choose one. */
  static final int MANY = 40;

  static final int UPDATE_PERIOD = 4;
  static final float SAMPLES_HISTORY = 2000;
  static final float ALPHA = 4;

  private float learningRate = 0.001f;
  private float learningRateFactor = 1;
  private float maxChange;
  private float l2Regularize;
  private boolean isGradient;

  UpdatableComponent() {}

  @Override
  void init(ConfigLine line, RandomGenerator random) {
    learningRate = line.notNegative("learning-rate", 0.001f);
    learningRateFactor = line.notNegative("learning-rate-factor", 1);
    maxChange = line.notNegative("max-change", 0);
    l2Regularize = line.notNegative("l2-regularize", 0);
  }

  /** The fields that come first. */
  final void updatableFields(Fields f) {
    learningRateFactor = f.optionalReal("<LearningRateFactor>", learningRateFactor, 1);
    isGradient = f.optional("<IsGradient>", isGradient) && f.flag(isGradient);
    maxChange = f.optionalReal("<MaxChange>", maxChange, 0);
    l2Regularize = f.optionalReal("<L2Regularize>", l2Regularize, 0);
    // Very old files have none.
    if (f.optional("<LearningRate>", true)) {
      learningRate = f.real(learningRate);
    }
  }

  /** Files of old versions say here, too, whether the parameters are a gradient. */
  final void oldIsGradient(Fields f) {
    if (f.optional("<IsGradient>", false)) {
      isGradient = f.flag(isGradient);
    }
  }

  /** For the types that always say so at the end. */
  final void isGradientField(Fields f) {
    isGradient = f.flag("<IsGradient>", isGradient);
  }

  @Override
  InfoText infoText() {
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
   * Gives all parameters to {@code f}, one array after the other in the order of files, and takes
   * what comes back in their place. Arrays are never changed, but replaced.
   */
  public abstract void mapParameters(UnaryOperator<float[]> f);

  static Matrix map(UnaryOperator<float[]> f, Matrix m) {
    float[] mapped = f.apply(m.data());
    return mapped == m.data() ? m : new Matrix(m.rows(), m.cols(), mapped);
  }

  /** All parameters, in the order of files. */
  public final List<float[]> parameters() {
    var all = new ArrayList<float[]>();
    mapParameters(array -> {
      all.add(array);
      return array;
    });
    return all;
  }

  /** Components that the parameters are those of, with learning rates of their own. */
  public List<UpdatableComponent> updatableParts() {
    return List.of();
  }

  /** How rows that parameters are multiplied with are made a natural gradient's; null if not. */
  public Preconditioning inputPreconditioning() {
    return null;
  }

  /** As {@link #inputPreconditioning}, of rows of derivatives of products. */
  public Preconditioning outputPreconditioning() {
    return null;
  }

  /** As {@link #inputPreconditioning}, of rows that are derivatives and are added up. */
  public Preconditioning rowPreconditioning() {
    return null;
  }

  /**
   * As {@link #inputPreconditioning}, of the rows of the derivative by all parameters: those of
   * their arrays side by side.
   */
  public Preconditioning gradientPreconditioning() {
    return null;
  }

  /** As {@link #gradientPreconditioning}, of the columns, after the rows. */
  public Preconditioning columnPreconditioning() {
    return null;
  }

  /** How many rows the derivative by all parameters has. */
  public int gradientRows() {
    return 1;
  }

  /**
   * The length to which the rows of {@link #constrained} are drawn, orthogonal to each other;
   * negative for the length that suits best; 0 if they are free.
   */
  public float orthonormalConstraint() {
    return 0;
  }

  /** Parameters that may have to be orthonormal; null if there are none. */
  public Matrix constrained() {
    return null;
  }

  /** The step size, with the factor in it. */
  public final float learningRate() {
    return learningRate;
  }

  /** What a rate for the whole network is multiplied by. */
  public final float learningRateFactor() {
    return learningRateFactor;
  }

  /** The largest norm of one change, or 0 for any. */
  public final float maxChange() {
    return maxChange;
  }

  /** How strongly parameters are drawn to zero. */
  public final float l2Regularize() {
    return l2Regularize;
  }

  /** Whether the parameters are a gradient. */
  public final boolean isGradient() {
    return isGradient;
  }

  /** Sets the rate to {@code rate} times the factor. */
  public void setUnderlyingLearningRate(float rate) {
    learningRate = rate * learningRateFactor;
  }

  /** Sets the rate, whatever the factor. */
  public void setActualLearningRate(float rate) {
    learningRate = rate;
  }

  /** Sets the factor, and changes the rate accordingly. */
  public void setLearningRateFactor(float factor) {
    learningRateFactor = factor;
  }

  @Override
  public void backward(Backward b) {
    b.derive(this::forward, parameters().toArray(new float[0][]));
  }

  /** Makes the parameters stand for a gradient. */
  public void setAsGradient() {
    learningRate = 1;
    isGradient = true;
  }

  /** Takes the learning rates and such of another component. */
  final void takeSettings(UpdatableComponent other) {
    learningRate = other.learningRate;
    learningRateFactor = other.learningRateFactor;
    maxChange = other.maxChange;
    l2Regularize = other.l2Regularize;
    isGradient = other.isGradient;
  }

  /** Of a natural gradient: what the line says, or half of {@code dim} up to {@code most}. */
  static int rank(ConfigLine line, String key, int most, int dim) {
    int rank = line.integer(key, -1);
    if (rank == 0) {
      throw line.error(key, key + " must be at least 1, or negative for the default");
    }
    return rank > 0 ? rank : Math.min(most, (dim + 1) / 2);
  }

  static float samplesHistory(ConfigLine line) {
    float history = line.real("num-samples-history", 2000);
    if (!(history > 0 && history < 1e6f)) {
      throw line.error("num-samples-history", "num-samples-history must be above 0, below 1e6");
    }
    return history;
  }

  /** One over the square root. */
  static float inverseRoot(int dim) {
    return (float) (1 / Math.sqrt(dim));
  }
}
