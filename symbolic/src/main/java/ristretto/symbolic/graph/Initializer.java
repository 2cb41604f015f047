package ristretto.symbolic.graph;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;

/**
 * Initial value of a parameter or a state, as an expression for a given shape. The result is
 * converted to the variable's dtype.
 */
@FunctionalInterface
public interface Initializer {
  /**
   * Returns the initial values, which depend on nothing but shape and seed; each variable has its
   * own seed.
   */
  Expr<F32> values(Shape shape, long seed);

  /** Constant. */
  static Initializer constant(double value) {
    return (shape, _) -> Ops.fill(Ops.F32, value, shape.toArray());
  }

  /** Zeros. */
  static Initializer zeros() {
    return constant(0);
  }

  /** Ones. */
  static Initializer ones() {
    return constant(1);
  }

  /** Uniform distribution over [low, high). */
  static Initializer uniform(double low, double high) {
    return (shape, seed) -> Ops.uniform(Ops.F32, seed, shape.toArray()).times(high - low).plus(low);
  }

  /** Normal distribution with mean 0. */
  static Initializer normal(double deviation) {
    return (shape, seed) -> Ops.normal(Ops.F32, seed, shape.toArray()).times(deviation);
  }

  /**
   * Uniform distribution with variance {@code 2 / (in + out)} (Glorot and Bengio, 2010), for
   * weights {@code [in, out]} or {@code [out, in, window...]}.
   */
  static Initializer xavier() {
    return (shape, seed) -> {
      double bound = Math.sqrt(6 / (FanInOut.in(shape) + FanInOut.out(shape)));
      return uniform(-bound, bound).values(shape, seed);
    };
  }

  /** Normal distribution with variance {@code 2 / (in + out)} (Glorot and Bengio, 2010). */
  static Initializer xavierNormal() {
    return (shape, seed) ->
        normal(Math.sqrt(2 / (FanInOut.in(shape) + FanInOut.out(shape)))).values(shape, seed);
  }

  /**
   * Uniform distribution with variance {@code 2 / in} (He et al., 2015), for layers followed by
   * ReLU.
   */
  static Initializer heUniform() {
    return (shape, seed) -> {
      double bound = Math.sqrt(6 / FanInOut.in(shape));
      return uniform(-bound, bound).values(shape, seed);
    };
  }

  /** {@link #he}: the name in PyTorch, {@code kaiming_normal_}. */
  static Initializer kaimingNormal() {
    return he();
  }

  /** {@link #heUniform}: the name in PyTorch, {@code kaiming_uniform_} for ReLU. */
  static Initializer kaimingUniform() {
    return heUniform();
  }

  /**
   * Uniform distribution with variance {@code 2 / ((1 + slope^2) in)} (He et al., 2015), for layers
   * followed by leaky ReLU.
   *
   * @param slope slope of the leaky ReLU below 0; {@code sqrt(5)} gives the weights of PyTorch's
   *     layers, uniform within {@code 1 / sqrt(in)}
   */
  static Initializer kaimingUniform(double slope) {
    return (shape, seed) -> {
      double bound = Math.sqrt(6 / ((1 + slope * slope) * FanInOut.in(shape)));
      return uniform(-bound, bound).values(shape, seed);
    };
  }

  /** {@link #xavier}: the name in PyTorch, {@code xavier_uniform_}. */
  static Initializer xavierUniform() {
    return xavier();
  }

  /**
   * Normal distribution with mean 0, truncated to within two deviations.
   *
   * @param deviation standard deviation before the truncation, as in PyTorch's {@code
   *     trunc_normal_}; that of the result is 0.88 times as large
   */
  static Initializer truncatedNormal(double deviation) {
    return (shape, seed) -> TruncatedNormal.values(shape, seed).times(deviation);
  }

  /** {@link #orthogonal(double)} with a gain of 1. */
  static Initializer orthogonal() {
    return orthogonal(1);
  }

  /**
   * Random orthogonal rows or columns, whichever are fewer, of length {@code gain} (Saxe et al.,
   * 2014); all axes but the first are merged into one.
   *
   * @param gain 1 preserves lengths; {@code sqrt(2)} if ReLU follows
   */
  static Initializer orthogonal(double gain) {
    return (shape, seed) -> new Orthogonal(shape, seed, gain);
  }

  /**
   * Normal distribution with variance {@code 2 / in} (He et al., 2015), for layers followed by
   * ReLU.
   */
  static Initializer he() {
    return (shape, seed) -> normal(Math.sqrt(2 / FanInOut.in(shape))).values(shape, seed);
  }
}
