package ristretto.jmh.scripting;

import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;

/**
 * Work that is measured on both sides. The work of NumPy has the same label in {@code
 * numpy_server.py}, and equal data.
 *
 * @param what description for people
 * @param wanted least ratio of NumPy's time to ours
 * @param work makes the expression or the call whose result is read
 */
record ScriptingLine(String label, String what, double wanted, Function<Context, Work> work) {
  /** Prepared work: each call computes the result again. */
  @FunctionalInterface
  interface Work {
    /** Computes the result, and waits for it. */
    Tensor<?> run();
  }

  /** Line whose work is one expression of tensors, assigned to memory that exists. */
  static ScriptingLine of(
      String label, String what, double wanted, Function<Data, Expr<?>> expression) {
    return new ScriptingLine(
        label, what, wanted, ctx -> assigned(ctx, expression.apply(new Data(ctx))));
  }

  private static <T> Work assigned(Context ctx, Expr<T> e) {
    Tensor<T> result = ctx.empty(e.dtype(), e.shape());
    return () -> {
      ctx.assign(result, e);
      ctx.synchronize();
      return result;
    };
  }
}
