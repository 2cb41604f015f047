package ristretto.jmh.scripting;

import java.util.Optional;
import java.util.function.Function;
import ristretto.expr.Complex;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.F64;
import ristretto.jmh.twin.BareLapack;

/**
 * Work that is measured beside that of a peer: NumPy's or SciPy's, which has the same label in
 * {@code numpy_server.py} and equal data, or a bare call of LAPACK.
 *
 * @param what description for people
 * @param wanted least ratio of the peer's time to ours, or least speed in MB/s of work with a size
 * @param work makes the expression or the call whose result is read
 * @param bare makes the bare call, if that is the peer
 * @param bytes size of the input whose speed is measured; 0 for others
 */
record ScriptingLine(
    String label,
    String what,
    double wanted,
    Function<Data, Work> work,
    Optional<Function<BareLapack, Runnable>> bare,
    long bytes) {
  /** Prepared work: each call computes the result again. */
  @FunctionalInterface
  interface Work {
    /** Computes the result, and waits for it. */
    Tensor<?> run();
  }

  /** Line whose work is one expression of tensors, assigned to memory that exists. */
  static ScriptingLine of(
      String label, String what, double wanted, Function<Data, Expr<?>> expression) {
    return called(label, what, wanted, d -> assigned(d.ctx(), expression.apply(d)));
  }

  /** Line whose work is a call. */
  static ScriptingLine called(String label, String what, double wanted, Function<Data, Work> work) {
    return new ScriptingLine(label, what, wanted, work, Optional.empty(), 0);
  }

  /** Line whose work is a complex expression, assigned to memory for both parts. */
  static ScriptingLine complex(
      String label, String what, double wanted, Function<Data, Complex<F64>> expression) {
    return called(label, what, wanted, d -> parts(d.ctx(), expression.apply(d)));
  }

  /** This line beside a bare call. */
  ScriptingLine against(Function<BareLapack, Runnable> call) {
    return new ScriptingLine(label, what, wanted, work, Optional.of(call), bytes);
  }

  private static <T> Work assigned(Context ctx, Expr<T> e) {
    Tensor<T> result = ctx.empty(e.dtype(), e.shape());
    return () -> {
      ctx.assign(result, e);
      ctx.synchronize();
      return result;
    };
  }

  private static <T> Work parts(Context ctx, Complex<T> e) {
    Tensor<T> re = ctx.empty(e.dtype(), e.shape());
    Tensor<T> im = ctx.empty(e.dtype(), e.shape());
    return () -> {
      ctx.assignAll(Pair.of(re, e.re()), Pair.of(im, e.im()));
      ctx.synchronize();
      return re;
    };
  }
}
