package ristretto.symbolic.layers;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;

/** Losses of pairs: divergences of distributions, distances of embeddings. */
public abstract class SimilarityLosses extends NormLayers {
  /** Added to each difference by PyTorch's pairwise distance, which has a gradient at 0 then. */
  private static final double DISTANCE_EPSILON = 1e-6;

  /** Least squared length that a row is divided by. */
  private static final double SQUARED_LENGTH = 1e-24;

  SimilarityLosses() {}

  /** Kullback-Leibler divergence of targets from a model, mean over the rows. */
  public static <T> Variable<T> klDivergence(Variable<T> logProbabilities, Variable<T> targets) {
    return klDivergence(logProbabilities, targets, Summary.MEAN);
  }

  /**
   * Kullback-Leibler divergence of targets from a model, {@code sum(targets (log targets -
   * logProbabilities))} over the last axis; a target of 0 contributes 0. With {@link Summary#MEAN},
   * PyTorch's {@code batchmean} of matrices.
   *
   * @param logProbabilities log-probabilities of the model, {@code [..., classes]}, for example by
   *     {@code logSoftmax}
   * @param targets probabilities, {@code [..., classes]}
   */
  public static <T> Variable<T> klDivergence(
      Variable<T> logProbabilities, Variable<T> targets, Summary summary) {
    if (CrossEntropy.activation(logProbabilities).equals("softmax")) {
      throw new ShapeException(
          "[klDivergence] the model must yield log-probabilities; got "
              + logProbabilities
              + ", which are probabilities; use logSoftmax.");
    }
    return apply(
        "klDivergence",
        targets.dtype(),
        x -> {
          Expr<T> log = x.get(logProbabilities);
          Expr<T> t = x.get(targets);
          requireSame("klDivergence", log, t);
          // Both branches are computed: 1 in place of 0 keeps infinities out of the gradient.
          Expr<T> safe = Ops.where(t.gt(0), t, 1);
          Expr<T> terms = safe.times(Ops.log(safe).minus(Ops.where(t.gt(0), log, 0)));
          return summary.of(
              Ops.sum(Ops.where(t.eq(0), 0, Ops.where(t.gt(0), terms, Double.NaN)), -1));
        },
        logProbabilities,
        targets);
  }

  /**
   * Kullback-Leibler divergence of normal distributions from the standard normal distribution,
   * {@code sum(mean^2 + exp(logVariance) - 1 - logVariance) / 2} over the last axis, mean over the
   * rows: the regularizer of variational autoencoders (Kingma and Welling, 2014).
   *
   * @param mean {@code [..., width]}
   * @param logVariance logarithms of the variances, {@code [..., width]}
   */
  public static <T> Variable<T> normalKlDivergence(Variable<T> mean, Variable<T> logVariance) {
    return normalKlDivergence(mean, logVariance, Summary.MEAN);
  }

  /**
   * Kullback-Leibler divergence of normal distributions from the standard normal distribution,
   * summarized over the rows or one value per row.
   *
   * @param mean {@code [..., width]}
   * @param logVariance logarithms of the variances, {@code [..., width]}
   */
  public static <T> Variable<T> normalKlDivergence(
      Variable<T> mean, Variable<T> logVariance, Summary summary) {
    return apply(
        "normalKlDivergence",
        mean.dtype(),
        x -> {
          Expr<T> m = x.get(mean);
          Expr<T> log = x.get(logVariance);
          requireSame("normalKlDivergence", m, log);
          Expr<T> terms = Ops.square(m).plus(Ops.expm1(log)).minus(log);
          return summary.of(Ops.sum(terms, -1).times(0.5));
        },
        mean,
        logVariance);
  }

  /** Triplet loss, mean over the rows. */
  public static <T> Variable<T> triplet(
      Variable<T> anchor, Variable<T> positive, Variable<T> negative, double margin) {
    return triplet(anchor, positive, negative, margin, Summary.MEAN);
  }

  /**
   * Triplet loss (Schroff et al., 2015) with Euclidean distances, {@code max(|anchor - positive| -
   * |anchor - negative| + margin, 0)} for each row; 1e-6 is added to each difference, as in
   * PyTorch.
   *
   * @param anchor {@code [..., width]}
   * @param positive rows to be near the anchors, {@code [..., width]}
   * @param negative rows to be far from the anchors, {@code [..., width]}
   */
  public static <T> Variable<T> triplet(
      Variable<T> anchor,
      Variable<T> positive,
      Variable<T> negative,
      double margin,
      Summary summary) {
    if (!(margin > 0)) {
      throw new ShapeException("[triplet] the margin must be above 0; got " + margin + ".");
    }
    return apply(
        "triplet",
        anchor.dtype(),
        x -> {
          Expr<T> a = x.get(anchor);
          Expr<T> p = x.get(positive);
          Expr<T> n = x.get(negative);
          requireSame("triplet", a, p);
          requireSame("triplet", a, n);
          Expr<T> gap = distance(a, p).minus(distance(a, n)).plus(margin);
          return summary.of(Ops.max(gap, 0.0));
        },
        anchor,
        positive,
        negative);
  }

  private static <T> Expr<T> distance(Expr<T> a, Expr<T> b) {
    return Ops.sqrt(Ops.sum(Ops.square(a.minus(b).plus(DISTANCE_EPSILON)), -1));
  }

  /** Contrastive loss InfoNCE, mean over the rows. */
  public static <T> Variable<T> infoNce(Variable<T> a, Variable<T> b, double temperature) {
    return infoNce(a, b, temperature, Summary.MEAN);
  }

  /**
   * Contrastive loss InfoNCE (van den Oord et al., 2018): cross-entropy of finding row k of b from
   * row k of a among all rows of b, by cosine similarities divided by a temperature. The mean with
   * the loss of exchanged arguments is the loss of CLIP (Radford et al., 2021).
   *
   * @param a {@code [n, width]}
   * @param b {@code [n, width]}; row k belongs to row k of a
   * @param temperature above 0, for example 0.07
   */
  public static <T> Variable<T> infoNce(
      Variable<T> a, Variable<T> b, double temperature, Summary summary) {
    if (!(temperature > 0)) {
      throw new ShapeException(
          "[infoNce] the temperature must be above 0; got " + temperature + ".");
    }
    if (a.dims().rank() != 2) {
      throw new ShapeException("[infoNce] the inputs must be [n, width]; got " + a + ".");
    }
    return apply(
        "infoNce",
        a.dtype(),
        x -> {
          requireSame("infoNce", x.get(a), x.get(b));
          Expr<T> u = unit(x.get(a));
          Expr<T> v = unit(x.get(b));
          Expr<T> all = Ops.dot(u, v.t()).div(temperature);
          Expr<T> own = Ops.sum(u.times(v), -1).div(temperature);
          return summary.of(Ops.logSumExp(all, -1).minus(own));
        },
        a,
        b);
  }

  private static <T> Expr<T> unit(Expr<T> rows) {
    Expr<T> squares = Ops.sum(Ops.square(rows), -1).keepDims();
    return rows.times(Ops.rsqrt(Ops.max(squares, SQUARED_LENGTH)));
  }

  /** Throws unless two operands have the same shape; broadcasting here is always a mistake. */
  static void requireSame(String op, Expr<?> a, Expr<?> b) {
    if (!a.shape().canEqual(b.shape())) {
      throw new ShapeException(
          "[%s] the inputs must have the same shape; got %s and %s."
              .formatted(op, a.shape(), b.shape()));
    }
  }

  /**
   * Throws unless two operands have the same shape or one is a scalar: {@code [n, 1]} and {@code
   * [n]} would compare each element with all others.
   */
  static void requireSameOrScalar(String op, Expr<?> a, Expr<?> b) {
    boolean scalar = a.shape().rank() == 0 || b.shape().rank() == 0;
    if (!scalar && !a.shape().canEqual(b.shape())) {
      throw new ShapeException(
          "[%s] the inputs must have the same shape, or one be a scalar; got %s and %s; reshape one."
              .formatted(op, a.shape(), b.shape()));
    }
  }
}
