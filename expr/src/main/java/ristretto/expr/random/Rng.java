package ristretto.expr.random;

import static ristretto.expr.Ops.argMax;
import static ristretto.expr.Ops.argSort;
import static ristretto.expr.Ops.argTopK;
import static ristretto.expr.Ops.cos;
import static ristretto.expr.Ops.exp;
import static ristretto.expr.Ops.gammainc;
import static ristretto.expr.Ops.log;
import static ristretto.expr.Ops.log1p;
import static ristretto.expr.Ops.max;
import static ristretto.expr.Ops.min;
import static ristretto.expr.Ops.pow;
import static ristretto.expr.Ops.randomIntegers;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.scalar;
import static ristretto.expr.Ops.sigmoid;
import static ristretto.expr.Ops.sin;
import static ristretto.expr.Ops.softmax;
import static ristretto.expr.Ops.sqrt;
import static ristretto.expr.Ops.stack;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.take;
import static ristretto.expr.Ops.where;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.expr.Seed;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;
import ristretto.kernels.lambda.LongLambda;

/**
 * Generator of random numbers: each call draws other numbers, and a program that is run again draws
 * the same ones.
 *
 * <pre>{@code
 * Rng rng = Rng.of(42);
 * Expr<F32> noise = rng.normal(F32, 1000);
 * Expr<F32> other = rng.normal(F32, 1000);   // independent of noise
 * List<Rng> parts = rng.split(2);            // independent generators
 * }</pre>
 *
 * <p>A draw is an expression, computed in the kernels that read it: element k depends on the key of
 * the draw and on k only, not on threads, devices or the kernels around it. Reading an expression
 * twice reads the same numbers. Uniform numbers, integers and permutations have equal bits on every
 * device; other distributions depend on logarithms and roots, which may differ in the last places
 * between devices, and so, with a probability of about 1e-14 for each element, do results of
 * rejection methods. Keys are derived as in {@link Seed}.
 *
 * <p>{@code dims} is the shape of the result. Parameters may be expressions that broadcast to it;
 * without {@code dims} their shape is that of the result. Numbers as parameters are checked;
 * elements of expressions that are no valid parameters give NaN, or -1 for integers. Results are
 * differentiable with respect to parameters of location and scale, to the shapes of gamma, beta,
 * Dirichlet, chi-square and Student's t distributions (implicit reparameterization), and of
 * Weibull's; all others are constants of gradients.
 */
public final class Rng {
  private final Seed draws;
  private final Seed folds;
  private final Seed seed;
  private long drawn;

  private Rng(Seed seed) {
    List<Seed> parts = seed.split(2);
    this.seed = seed;
    this.draws = parts.get(0);
    this.folds = parts.get(1);
  }

  /** Creates a generator; equal seeds give equal numbers. */
  public static Rng of(long seed) {
    return new Rng(Seed.of(seed));
  }

  /**
   * Creates a generator from a key, such as {@code Seed.of(42).fold(step)} with a tensor that
   * counts the runs of a program.
   */
  public static Rng of(Seed seed) {
    return new Rng(seed);
  }

  /** Key of the next draw. */
  private synchronized Seed next() {
    return draws.fold(drawn++);
  }

  /** Creates n independent generators; each call creates others. */
  public List<Rng> split(int n) {
    return next().split(n).stream().map(Rng::new).toList();
  }

  /**
   * Creates the generator for a number, such as the number of a step or a worker; the result does
   * not depend on earlier calls.
   */
  public Rng fold(long k) {
    return new Rng(folds.fold(k));
  }

  @Override
  public String toString() {
    return "Rng[" + seed + "]";
  }

  // Uniform numbers

  /** Uniform numbers in [0, 1), with 24 bits for F32 and 53 for F64. */
  public <T> Expr<T> uniform(DType<T> dtype, long... dims) {
    requireFloat("uniform", dtype);
    return Ops.uniform(dtype, next(), dims);
  }

  /** Uniform numbers from low to high; only rounding reaches high. */
  public <T> Expr<T> uniform(double low, double high, DType<T> dtype, long... dims) {
    if (!(low < high && Double.isFinite(high - low))) {
      throw new ShapeException(
          "[uniform] low must be below high, and both finite; got low %s, high %s."
              .formatted(low, high));
    }
    Expr<T> u = uniform(dtype, dims);
    return u.times(high - low).plus(low);
  }

  /** Uniform integers in [low, high), derived from 53 random bits. */
  public Expr<I64> integers(long low, long high, long... dims) {
    return integers(I64.INSTANCE, low, high, dims);
  }

  /** Uniform integers of a dtype in [low, high), derived from 53 random bits. */
  public <T> Expr<T> integers(DType<T> dtype, long low, long high, long... dims) {
    return randomIntegers(dtype, next(), low, high, dims);
  }

  /** True with probability p. */
  public Expr<BOOL> bernoulli(double p, long... dims) {
    requireProbability("bernoulli", p);
    return Ops.uniform(F64.INSTANCE, next(), dims).lt(scalar(F64.INSTANCE, p));
  }

  /** True with the probabilities p. */
  public <P> Expr<BOOL> bernoulli(Expr<P> p, long... dims) {
    Shape shape = shape("bernoulli", "p", p, dims);
    return Ops.uniform(F64.INSTANCE, next(), shape.extents()).lt(p.cast(F64.INSTANCE));
  }

  // Location and scale families

  /** Normal numbers with mean 0 and standard deviation 1. */
  public <T> Expr<T> normal(DType<T> dtype, long... dims) {
    return Ops.normal(dtype, next(), dims);
  }

  /** Normal numbers with a mean and a standard deviation of at least 0. */
  public <T> Expr<T> normal(double mean, double std, DType<T> dtype, long... dims) {
    if (!(std >= 0 && Double.isFinite(std) && Double.isFinite(mean))) {
      throw new ShapeException(
          "[normal] mean and std must be finite, and std at least 0; got mean %s, std %s."
              .formatted(mean, std));
    }
    Expr<T> z = normal(dtype, dims);
    return z.times(std).plus(mean);
  }

  /** Exponential of normal numbers with mean 0 and standard deviation 1. */
  public <T> Expr<T> lognormal(DType<T> dtype, long... dims) {
    return exp(normal(dtype, dims));
  }

  /** Exponential distribution with scale 1; multiply by the scale. */
  public <T> Expr<T> exponential(DType<T> dtype, long... dims) {
    return inverse("exponential", dtype, dims, u -> log1p(u.neg()).neg());
  }

  /** Laplace distribution with location 0 and scale 1. */
  public <T> Expr<T> laplace(DType<T> dtype, long... dims) {
    return inverse(
        "laplace",
        dtype,
        dims,
        u -> where(u.lt(0.5), log(u.times(2)), log1p(u.times(2).minus(1).neg()).neg()));
  }

  /** Cauchy distribution with location 0 and scale 1. */
  public <T> Expr<T> cauchy(DType<T> dtype, long... dims) {
    return inverse(
        "cauchy",
        dtype,
        dims,
        u -> {
          Expr<Object> angle = u.minus(0.5).times(Math.PI);
          return sin(angle).div(cos(angle));
        });
  }

  /** Logistic distribution with location 0 and scale 1. */
  public <T> Expr<T> logistic(DType<T> dtype, long... dims) {
    return inverse("logistic", dtype, dims, u -> log(u).minus(log1p(u.neg())));
  }

  /** Gumbel distribution of maxima with location 0 and scale 1. */
  public <T> Expr<T> gumbel(DType<T> dtype, long... dims) {
    return inverse("gumbel", dtype, dims, u -> log(log(u).neg()).neg());
  }

  /** Weibull distribution with scale 1. */
  public <T> Expr<T> weibull(DType<T> dtype, double shape, long... dims) {
    requirePositive("weibull", "shape", shape);
    return weibull(dtype, scalar(F64.INSTANCE, shape), dims);
  }

  /** Weibull distribution with scale 1 and shapes that broadcast. */
  public <T, P> Expr<T> weibull(DType<T> dtype, Expr<P> shape, long... dims) {
    requireFloat("weibull", dtype);
    Shape all = shape("weibull", "shape", shape, dims);
    Expr<F64> e = exponential(F64.INSTANCE, all.extents());
    return pow(e, scalar(F64.INSTANCE, 1).div(shape.cast(F64.INSTANCE))).cast(dtype);
  }

  /**
   * Standard normal numbers between two bounds, which may be infinite. NaN where low is not below
   * high.
   */
  public <T> Expr<T> truncatedNormal(DType<T> dtype, double low, double high, long... dims) {
    if (!(low < high)) {
      throw new ShapeException(
          "[truncatedNormal] low must be below high; got low %s, high %s.".formatted(low, high));
    }
    return truncatedNormal(dtype, scalar(F64.INSTANCE, low), scalar(F64.INSTANCE, high), dims);
  }

  /** Standard normal numbers between bounds that broadcast. */
  public <T, P> Expr<T> truncatedNormal(DType<T> dtype, Expr<P> low, Expr<P> high, long... dims) {
    requireFloat("truncatedNormal", dtype);
    Shape shape = shape("truncatedNormal", "low", low, "high", high, dims);
    return draw(dtype, shape, Samplers::truncatedNormal, low, high);
  }

  // Gamma distribution and its relatives

  /** Gamma distribution with scale 1; multiply by the scale. */
  public <T> Expr<T> gamma(DType<T> dtype, double shape, long... dims) {
    requirePositive("gamma", "shape", shape);
    return gamma(dtype, scalar(F64.INSTANCE, shape), dims);
  }

  /** Gamma distribution with scale 1 and shapes that broadcast; differentiable by the shapes. */
  public <T, P> Expr<T> gamma(DType<T> dtype, Expr<P> shape, long... dims) {
    requireFloat("gamma", dtype);
    Shape all = shape("gamma", "shape", shape, dims);
    Expr<F64> a = shape.cast(F64.INSTANCE);
    Expr<F64> values = draw(F64.INSTANCE, all, Samplers::gamma, a, a);
    return Gradients.custom(
            values, () -> List.of(a), (dy, _) -> List.of(dy.times(gammaSlope(a, values))))
        .cast(dtype);
  }

  /** Derivative of gamma numbers x with respect to their shapes, where P(a, x) stays constant. */
  private static Expr<F64> gammaSlope(Expr<F64> a, Expr<F64> x) {
    Expr<F64> wide = a.plus(x.times(0));
    List<Expr<?>> slopes =
        Gradients.partial(gammainc(wide, x), scalar(F64.INSTANCE, 1), List.of(wide, x));
    return slopes.get(0).cast(F64.INSTANCE).div(slopes.get(1).cast(F64.INSTANCE)).neg();
  }

  /** Logarithms of gamma numbers, which do not underflow for small shapes. */
  private <P> Expr<F64> logGamma(Expr<P> shape, Shape all) {
    Expr<F64> a = shape.cast(F64.INSTANCE);
    Expr<F64> values = draw(F64.INSTANCE, all, Samplers::logGamma, a, a);
    return Gradients.custom(
        values,
        () -> List.of(a),
        (dy, _) -> {
          // Below, P(a, x) is x^a / gamma(a + 1).
          Expr<BOOL> tiny = values.lt(-300);
          Expr<F64> x = exp(where(tiny, 0.0, values));
          Expr<F64> far = Ops.digamma(a.plus(1)).minus(values).div(a);
          return List.of(dy.times(where(tiny, far, gammaSlope(a, x).div(x))));
        });
  }

  /** Beta distribution. */
  public <T> Expr<T> beta(DType<T> dtype, double a, double b, long... dims) {
    requirePositive("beta", "a", a);
    requirePositive("beta", "b", b);
    return beta(dtype, scalar(F64.INSTANCE, a), scalar(F64.INSTANCE, b), dims);
  }

  /** Beta distribution with parameters that broadcast; differentiable by both. */
  public <T, P> Expr<T> beta(DType<T> dtype, Expr<P> a, Expr<P> b, long... dims) {
    requireFloat("beta", dtype);
    Shape shape = shape("beta", "a", a, "b", b, dims);
    return sigmoid(logGamma(a, shape).minus(logGamma(b, shape))).cast(dtype);
  }

  /**
   * Dirichlet distribution: the last axis of {@code alpha} is that of the results, whose shape is
   * {@code dims} with that axis; differentiable by alpha.
   */
  public <T, P> Expr<T> dirichlet(DType<T> dtype, Expr<P> alpha, long... dims) {
    requireFloat("dirichlet", dtype);
    Shape shape = classes("dirichlet", "alpha", alpha, dims);
    return softmax(logGamma(alpha, shape), -1).cast(dtype);
  }

  /** Chi-square distribution. */
  public <T> Expr<T> chiSquare(DType<T> dtype, double degrees, long... dims) {
    requirePositive("chiSquare", "degrees", degrees);
    return gamma(F64.INSTANCE, degrees / 2, dims).times(2).cast(dtype);
  }

  /** Student's t distribution. */
  public <T> Expr<T> studentT(DType<T> dtype, double degrees, long... dims) {
    requirePositive("studentT", "degrees", degrees);
    Expr<F64> z = normal(F64.INSTANCE, dims);
    return z.div(sqrt(gamma(F64.INSTANCE, degrees / 2, dims).times(2 / degrees))).cast(dtype);
  }

  // Counts

  /** Poisson distribution with a rate from 0 to 2^52. */
  public Expr<I64> poisson(double lambda, long... dims) {
    if (!(lambda >= 0 && lambda <= 0x1p52)) {
      throw new ShapeException("[poisson] lambda must be from 0 to 2^52; got " + lambda + ".");
    }
    return poisson(scalar(F64.INSTANCE, lambda), dims);
  }

  /** Poisson distribution with rates that broadcast; -1 for invalid rates. */
  public <P> Expr<I64> poisson(Expr<P> lambda, long... dims) {
    Shape shape = shape("poisson", "lambda", lambda, dims);
    return draw(I64.INSTANCE, shape, Samplers::poisson, lambda, lambda);
  }

  /** Number of successes in n trials with probability p. */
  public Expr<I64> binomial(long n, double p, long... dims) {
    if (n < 0 || n > 1L << 52) {
      throw new ShapeException("[binomial] n must be from 0 to 2^52; got " + n + ".");
    }
    requireProbability("binomial", p);
    return binomial(scalar(F64.INSTANCE, (double) n), scalar(F64.INSTANCE, p), dims);
  }

  /** Number of successes, with parameters that broadcast; -1 for invalid parameters. */
  public <N, P> Expr<I64> binomial(Expr<N> n, Expr<P> p, long... dims) {
    Shape shape = shape("binomial", "n", n, "p", p, dims);
    return draw(I64.INSTANCE, shape, Samplers::binomial, n, p);
  }

  /** Number of the first success, from 1, in trials with probability p. */
  public Expr<I64> geometric(double p, long... dims) {
    if (!(p > 0 && p <= 1)) {
      throw new ShapeException("[geometric] p must be above 0 and at most 1; got " + p + ".");
    }
    return geometric(scalar(F64.INSTANCE, p), dims);
  }

  /** Number of the first success, with probabilities that broadcast; -1 for invalid ones. */
  public <P> Expr<I64> geometric(Expr<P> p, long... dims) {
    Shape shape = shape("geometric", "p", p, dims);
    return draw(I64.INSTANCE, shape, Samplers::geometric, p, p);
  }

  /**
   * Numbers of successes in each of k classes that n trials are distributed over. The last axis of
   * {@code weights}, which need not sum to 1, is that of the classes; the shape of the result is
   * {@code dims} with that axis.
   */
  public <P> Expr<I64> multinomial(long n, Expr<P> weights, long... dims) {
    if (n < 0 || n > 1L << 52) {
      throw new ShapeException("[multinomial] n must be from 0 to 2^52; got " + n + ".");
    }
    Shape shape = classes("multinomial", "weights", weights, dims);
    int axis = weights.shape().rank() - 1;
    long[] one = Arrays.copyOf(shape.extents(), shape.rank() - 1);
    Expr<F64> w = weights.cast(F64.INSTANCE);
    Expr<F64> rest = sum(w, axis);
    Expr<I64> left = Ops.fill(I64.INSTANCE, n, one);
    var counts = new ArrayList<Expr<I64>>();
    long classes = shape.at(shape.rank() - 1);
    Slice[] slices = new Slice[axis + 1];
    Arrays.fill(slices, Slice.all());
    for (long k = 0; k + 1 < classes; k++) {
      slices[axis] = Ops.at(k);
      Expr<F64> weight = w.slice(slices);
      // Each class takes its share of the trials that are left for it and the classes after it.
      Expr<F64> p = where(weight.gt(0), min(weight.div(rest), scalar(F64.INSTANCE, 1)), 0.0);
      Expr<I64> count = binomial(left, p, one);
      counts.add(count);
      left = left.minus(count);
      rest = max(rest.minus(weight), scalar(F64.INSTANCE, 0));
    }
    counts.add(left);
    return stack(-1, counts);
  }

  // Choices

  /**
   * Class numbers with probabilities proportional to {@code exp(logits)} along the last axis (the
   * Gumbel-max method, in one kernel). The other axes broadcast to {@code dims}.
   */
  public <P> Expr<I64> categorical(Expr<P> logits, long... dims) {
    Shape shape = classes("categorical", "logits", logits, dims);
    return logits.dtype() == (Object) F64.INSTANCE
        ? argMax(gumbel(F64.INSTANCE, shape.extents()).plus(logits.cast(F64.INSTANCE)), -1)
        : argMax(gumbel(F32.INSTANCE, shape.extents()).plus(logits.cast(F32.INSTANCE)), -1);
  }

  /** Random order of the numbers from 0 to n - 1. */
  public Expr<I64> permutation(long n) {
    return argSort(Ops.uniform(I64.INSTANCE, next(), n), 0);
  }

  /** Copy of {@code a} with its entries along axis 0 in random order. */
  public <T> Expr<T> shuffle(Expr<T> a) {
    if (a.shape().rank() == 0) {
      throw new ShapeException("[shuffle] a must have an axis; got " + a.label() + ".");
    }
    return take(a, permutation(a.shape().at(0)), 0);
  }

  /** k different numbers from 0 to n - 1, in random order. */
  public Expr<I64> choice(long n, long k) {
    return choice(n, k, false);
  }

  /** k numbers from 0 to n - 1, which may repeat if {@code replace} is true. */
  public Expr<I64> choice(long n, long k, boolean replace) {
    requireChoice(n, k, replace);
    return replace ? integers(0, n, k) : permutation(n).slice(range(0, k));
  }

  /**
   * k different positions in a vector of weights, in the order in which they are drawn. Weights of
   * 0 are drawn after all others.
   */
  public <P> Expr<I64> choice(Expr<P> weights, long k) {
    return choice(weights, k, false);
  }

  /** k positions in a vector of weights, which may repeat if {@code replace} is true. */
  public <P> Expr<I64> choice(Expr<P> weights, long k, boolean replace) {
    if (weights.shape().rank() != 1) {
      throw new ShapeException(
          "[choice] weights must be a vector; got " + weights.label() + "; reshape them.");
    }
    long n = weights.shape().at(0);
    requireChoice(n, k, replace);
    Expr<F64> logits = log(weights.cast(F64.INSTANCE));
    return replace
        ? categorical(logits, k)
        : argTopK(gumbel(F64.INSTANCE, n).plus(logits), Math.toIntExact(k), 0);
  }

  private static void requireChoice(long n, long k, boolean replace) {
    if (k < 0 || n < 0 || (replace ? n == 0 && k > 0 : k > n)) {
      throw new ShapeException(
          ("[choice] k must be at least 0, and without replacement at most n; got n %s, k %s,"
                  + " replace %s.")
              .formatted(n, k, replace));
    }
  }

  // Methods for all distributions

  /** Draws by the inverse of a distribution function, of uniform numbers in (0, 1). */
  @SuppressWarnings("unchecked")
  private <T> Expr<T> inverse(
      String name, DType<T> dtype, long[] dims, UnaryOperator<Expr<Object>> quantile) {
    requireFloat(name, dtype);
    boolean wide = dtype == (Object) F64.INSTANCE;
    DType<?> inner = wide ? F64.INSTANCE : F32.INSTANCE;
    Expr<Object> u = (Expr<Object>) Ops.uniform(inner, next(), dims);
    Expr<Object> open = max(u, scalar((DType<Object>) inner, wide ? 0x1p-54 : 0x1p-25));
    return quantile.apply(open).cast(dtype);
  }

  private <T> Expr<T> draw(
      DType<T> dtype, Shape shape, LongLambda.ToDouble4 sampler, Expr<?> a, Expr<?> b) {
    return Draw.of(
        dtype, shape, sampler, next().value(), a.cast(F64.INSTANCE), b.cast(F64.INSTANCE));
  }

  /** Shape of draws with one parameter. */
  private static Shape shape(String op, String name, Expr<?> a, long[] dims) {
    Shape shape = dims.length == 0 ? a.shape() : Shape.of(dims);
    if (!a.shape().expandsTo(shape)) {
      throw new ShapeException(
          "[%s] %s must broadcast to the dims of the result; got %s, dims %s."
              .formatted(op, name, a.label(), Arrays.toString(dims)));
    }
    return shape;
  }

  /** Shape of draws with two parameters. */
  private static Shape shape(
      String op, String first, Expr<?> a, String second, Expr<?> b, long[] dims) {
    if (dims.length > 0) {
      shape(op, first, a, dims);
      return shape(op, second, b, dims);
    }
    Shape shape = Shape.broadcast(a.shape(), b.shape());
    if (shape == null) {
      throw new ShapeException(
          "[%s] shapes must broadcast; got %s %s, %s %s. Reshape one of them."
              .formatted(op, first, a.label(), second, b.label()));
    }
    return shape;
  }

  /** Shape of the dims with the last axis of a parameter. */
  private static Shape classes(String op, String name, Expr<?> a, long[] dims) {
    int rank = a.shape().rank();
    if (!a.dtype().isFloat() || rank == 0 || a.shape().at(rank - 1) == 0) {
      throw new ShapeException(
          "[%s] %s must be floating point with a last axis of classes; got %s."
              .formatted(op, name, a.label()));
    }
    if (dims.length == 0) {
      return a.shape();
    }
    long[] all = Arrays.copyOf(dims, dims.length + 1);
    all[dims.length] = a.shape().at(rank - 1);
    return shape(op, name, a, all);
  }

  private static void requireFloat(String op, DType<?> dtype) {
    if (!dtype.isFloat()) {
      throw new ShapeException(
          "[%s] the dtype must be floating point; got %s; use F32 or F64.".formatted(op, dtype));
    }
  }

  private static void requirePositive(String op, String name, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw new ShapeException(
          "[%s] %s must be positive and finite; got %s.".formatted(op, name, value));
    }
  }

  private static void requireProbability(String op, double p) {
    if (!(p >= 0 && p <= 1)) {
      throw new ShapeException("[%s] p must be from 0 to 1; got %s.".formatted(op, p));
    }
  }
}
