package ristretto.symbolic.run;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.Variable;

/** Search for the origin of a NaN or an infinity among all values of a step. */
public final class NonFiniteTracer {
  private final Context ctx;
  private final Function<Variable<?>, Tensor<?>> values;

  /**
   * Creates a search.
   *
   * @param values returns the value of every variable in the step
   */
  public NonFiniteTracer(Context ctx, Function<Variable<?>, Tensor<?>> values) {
    this.ctx = ctx;
    this.values = values;
  }

  /**
   * Describes the first variable that is not finite.
   *
   * @param operators operators in topological order
   */
  public String first(
      List<Variable<?>> inputs, List<Variable<?>> parameters, List<Operator> operators) {
    for (Variable<?> v : inputs) {
      if (has(v, false)) {
        return "the input " + v + " is not finite";
      }
    }
    for (Variable<?> v : parameters) {
      if (has(v, false)) {
        return "the parameter " + v + " is not finite, so its gradient was not in an earlier step";
      }
    }
    for (boolean nan : new boolean[] {true, false}) {
      for (Operator op : operators) {
        for (Variable<?> v : op.outputs()) {
          if (has(v, nan)) {
            return "the first operator to yield %s is %s, from %s%s"
                .formatted(
                    nan ? "NaN" : "infinity",
                    v,
                    op.inputs().stream().map(this::described).collect(Collectors.joining(", ")),
                    labels(op));
          }
        }
      }
    }
    return "running it again gave finite numbers";
  }

  /**
   * Returns a note if the labels of a loss are out of range: an operator of logits and whole
   * numbers yields NaN for a number that is no class.
   */
  private String labels(Operator op) {
    Variable<?> logits = op.inputs().getFirst();
    long classes = logits.dims().rank() == 0 ? 0 : logits.dims().at(-1);
    for (Variable<?> v : op.inputs()) {
      Tensor<?> t = values.apply(v);
      if (v.dtype() == Ops.I32
          && logits.dtype().isFloat()
          && classes > 0
          && t.shape().size() > 0
          && (ctx.eval(Ops.min(t)).item() < 0 || ctx.eval(Ops.max(t)).item() >= classes)) {
        return "; %s must be a class from 0 to %s".formatted(v.name(), classes - 1);
      }
    }
    return "";
  }

  private String described(Variable<?> v) {
    Tensor<?> t = values.apply(v);
    if (t.shape().size() == 0) {
      return v + ", which is empty";
    }
    double low = ctx.eval(Ops.min(t)).item();
    double high = ctx.eval(Ops.max(t)).item();
    return String.format(Locale.ROOT, "%s of %.4g to %.4g", v, low, high);
  }

  private boolean has(Variable<?> v, boolean nan) {
    Tensor<?> t = values.apply(v);
    if (!t.dtype().isFloat() || t.shape().size() == 0) {
      return false;
    }
    Expr<BOOL> bad = nan ? Ops.isNaN(t) : Ops.isFinite(t).not();
    return ctx.eval(Ops.any(bad)).item() != 0;
  }
}
