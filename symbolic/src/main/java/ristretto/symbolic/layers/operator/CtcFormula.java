package ristretto.symbolic.layers.operator;

import java.util.List;
import java.util.function.UnaryOperator;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.automaton.AutomatonInput;

/**
 * Expressions of connectionist temporal classification for the values of one run. The states of a
 * sequence are its labels, with blanks before, between and after them.
 *
 * @param logits {@code [steps, n, classes]}
 * @param labels {@code [n, most]}
 * @param steps steps of each sequence, {@code [n]}
 * @param lengths labels of each sequence, {@code [n]}
 * @param blank class that separates labels
 * @param zeroInfinity true for losses of 0, without gradient, in place of infinite ones
 */
record CtcFormula<T>(
    Expr<T> logits,
    Expr<I32> labels,
    Expr<I32> steps,
    Expr<I32> lengths,
    int blank,
    boolean zeroInfinity) {
  /** Log-probability of what is impossible; finite, so that differences do not become NaN. */
  static final double NEVER = AutomatonInput.NEVER;

  CtcFormula {
    boolean fits =
        logits.shape().rank() == 3
            && logits.shape().dim(0) > 0
            && labels.shape().rank() == 2
            && labels.shape().dim(0) == logits.shape().dim(1)
            && isRow(steps, logits)
            && isRow(lengths, logits);
    if (!fits) {
      throw new ShapeException(
          ("[ctc] logits must be [steps, n, classes] with at least one step, labels [n, most], and"
                  + " both lengths [n]; got %s, %s, %s and %s; permute or reshape them.")
              .formatted(logits.shape(), labels.shape(), steps.shape(), lengths.shape()));
    }
    requireBlank(blank, logits.shape().dim(2));
  }

  static void requireBlank(int blank, long classes) {
    if (blank < 0 || blank >= classes) {
      throw new ShapeException(
          "[ctc] the blank must be one of the classes 0 to %s; got %s."
              .formatted(classes - 1, blank));
    }
  }

  private static boolean isRow(Expr<?> lengths, Expr<?> logits) {
    return lengths.shape().rank() == 1 && lengths.shape().dim(0) == logits.shape().dim(1);
  }

  long count() {
    return logits.shape().dim(0);
  }

  long n() {
    return logits.shape().dim(1);
  }

  long classes() {
    return logits.shape().dim(2);
  }

  long most() {
    return labels.shape().dim(1);
  }

  /** Number of states. */
  long states() {
    return 2 * most() + 1;
  }

  private Expr<I64> state() {
    return Ops.coordinate(Shape.of(n(), states()), 1);
  }

  /** True for the states of a sequence, {@code [n, states]}. */
  Expr<BOOL> exists() {
    return state().lt(lengths.cast(Ops.I64).times(2).plus(1).unsqueeze(1));
  }

  /** Classes of the states, {@code [n, states]}. */
  private Expr<I64> symbols() {
    Expr<I64> state = state();
    if (most() == 0) {
      return Ops.fill(Ops.I64, blank, n(), states());
    }
    Expr<I64> place = Ops.where(state.lt(2 * most()), state.div(2), most() - 1);
    Expr<I64> own = Ops.takeAlongAxis(labels.cast(Ops.I64), place, 1);
    Expr<I64> all = Ops.where(state.rem(2).eq(1).and(exists()), own, blank);
    return Ops.where(all.lt(0).or(all.ge(classes())), blank, all);
  }

  /** True for states that may follow the state two before them: labels that differ from it. */
  Expr<BOOL> skips() {
    Expr<I64> symbols = symbols();
    Expr<I64> before = shifted(symbols, 2, -1);
    return state().rem(2).eq(1).and(state().ge(2)).and(symbols.ne(before));
  }

  /** Log-probabilities of the states' classes, {@code [steps, n, states]}. */
  Expr<T> emitted() {
    Expr<I64> classes = symbols().unsqueeze(0).expand(count(), n(), states());
    return Ops.takeAlongAxis(Ops.logSoftmax(logits, 2), classes, 2);
  }

  /** Log-probabilities of the states after the first step. */
  Expr<T> first(Expr<T> emitted) {
    return Ops.where(state().le(1).and(exists()), emitted, NEVER);
  }

  /** Log-probabilities of the states after a step, from those before it. */
  static <T> Expr<T> next(
      Expr<T> before,
      Expr<T> one,
      Expr<T> two,
      Expr<T> emitted,
      Expr<BOOL> skips,
      Expr<BOOL> exists,
      Expr<BOOL> runs) {
    Expr<T> next = logSum(List.of(before, one, Ops.where(skips, two, NEVER))).plus(emitted);
    return Ops.where(runs, Ops.where(exists, next, NEVER), before);
  }

  private static <T> Expr<T> logSum(List<Expr<T>> parts) {
    Expr<T> most = parts.get(0);
    for (Expr<T> part : parts) {
      most = Ops.max(most, part);
    }
    Expr<T> shift = Ops.stopGradient(most);
    Expr<T> sum = null;
    for (Expr<T> part : parts) {
      Expr<T> term = Ops.exp(part.minus(shift));
      sum = sum == null ? term : sum.plus(term);
    }
    return shift.plus(Ops.log(sum));
  }

  /** Log-probabilities of the states with which a sequence may end; impossible for the others. */
  private Expr<T> ends(Expr<T> last) {
    Expr<I64> end = lengths.cast(Ops.I64).times(2).unsqueeze(1);
    return Ops.where(state().eq(end).or(state().eq(end.minus(1))), last, NEVER);
  }

  /** Log-probability of each sequence, {@code [n]}, from the states after the last step. */
  Expr<T> total(Expr<T> last) {
    Expr<T> ends = ends(last);
    Expr<T> shift = Ops.stopGradient(Ops.max(ends, 1));
    return shift.plus(Ops.log(Ops.sum(Ops.exp(ends.minus(shift.unsqueeze(1))), 1)));
  }

  /** Probability of each state as the end of its sequence; 0 for impossible sequences. */
  Expr<T> shares(Expr<T> last, Expr<T> total) {
    Expr<T> share = Ops.exp(ends(last).minus(total.unsqueeze(1)));
    return Ops.where(total.gt(NEVER / 2).unsqueeze(1), share, 0);
  }

  /**
   * Losses, {@code [n]}: NaN where a label or a length is out of range; infinity, or 0 on request,
   * where a sequence has too few steps for its labels.
   */
  Expr<T> losses(Expr<T> total) {
    double impossible = zeroInfinity ? 0 : Double.POSITIVE_INFINITY;
    return Ops.where(
        isValid(), Ops.where(total.gt(NEVER / 2), total.neg(), impossible), Double.NaN);
  }

  private Expr<BOOL> isValid() {
    Expr<BOOL> sizes =
        steps.ge(1).and(steps.le(count())).and(lengths.ge(0)).and(lengths.le(most()));
    if (most() == 0) {
      return sizes;
    }
    Expr<BOOL> unused = Ops.coordinate(labels.shape(), 1).ge(lengths.cast(Ops.I64).unsqueeze(1));
    Expr<BOOL> known = labels.ge(0).and(labels.lt(classes())).and(labels.ne(blank));
    return sizes.and(Ops.all(unused.or(known), 1));
  }

  /**
   * Losses by expressions unrolled over the time steps, for gradients that are differentiated
   * again.
   *
   * @param stored stores the result of a time step
   */
  Expr<T> unrolled(UnaryOperator<Expr<T>> stored) {
    Expr<T> emitted = stored.apply(emitted());
    Expr<BOOL> exists = exists();
    Expr<BOOL> skips = skips();
    Expr<T> alpha = first(emitted.slice(Ops.at(0)));
    for (long t = 1; t < count(); t++) {
      Expr<BOOL> runs = steps.unsqueeze(1).gt(t);
      alpha =
          stored.apply(
              next(
                  alpha,
                  shifted(alpha, 1, NEVER),
                  shifted(alpha, 2, NEVER),
                  emitted.slice(Ops.at(t)),
                  skips,
                  exists,
                  runs));
    }
    return losses(total(alpha));
  }

  /** Moves columns to the right. */
  private <U> Expr<U> shifted(Expr<U> a, long by, double fill) {
    long columns = Math.min(by, states());
    Expr<U> fresh = Ops.fill(a.dtype(), fill, n(), columns);
    return columns == states()
        ? fresh
        : Ops.concat(1, fresh, a.slice(Ops.all(), Ops.range(0, states() - columns)));
  }
}
