package ristretto.symbolic.train;

import java.util.Locale;
import java.util.OptionalInt;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;

/** Number of labels that are no classes; a metric would count them as errors of the model. */
final class OtherLabels {
  private final Variable<I32> labels;
  private final OptionalInt ignored;
  private Tensor<I64> count;
  private long classes;

  /**
   * Creates a count.
   *
   * @param ignored label of rows that do not count
   */
  OtherLabels(Variable<I32> labels, OptionalInt ignored) {
    this.labels = labels;
    this.ignored = ignored;
  }

  /** Returns true for the labels that are classes. */
  static Expr<BOOL> isClass(Expr<I32> label, long classes) {
    return label.ge(0).and(label.lt(classes));
  }

  /** Counts the labels of a batch. */
  void add(Context ctx, Expr<I32> label, long classes) {
    if (count == null) {
      count = ctx.zeros(Ops.I64);
    }
    this.classes = classes;
    Expr<BOOL> other = isClass(label, classes).not();
    Expr<BOOL> counts = ignored.isEmpty() ? other : other.and(label.ne(ignored.getAsInt()));
    ctx.assignAdd(count, Ops.sum(counts.cast(Ops.I64)));
  }

  /**
   * Checks that all labels are classes.
   *
   * @param metric name of the metric for the message
   * @param remedy remedy besides other labels, or ""
   * @throws ShapeException if not
   */
  void require(String metric, String remedy) {
    long others = count == null ? 0 : Math.round(count.item());
    if (others > 0) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[%s] labels must be from 0 to %d; got %d others in %s; correct the labels%s.",
              metric,
              classes - 1,
              others,
              labels,
              remedy));
    }
  }

  void reset() {
    count = null;
  }
}
