package ristretto.expr;

import ristretto.kernels.lambda.DoubleLambda;

/** User lambdas over F64 elements; cast expressions of other dtypes first. */
abstract class DoubleMapOps extends FloatMapOps {
  DoubleMapOps() {}

  /**
   * Maps each element with a user lambda, for example {@code map(a, v -> v * v)}. The lambda is
   * compiled into the kernel; {@link ristretto.kernels.lambda} states the operations it may use.
   * Captured values are launch scalars: other values need no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda uses an unsupported operation
   */
  public static Expr<F64> map(Expr<F64> a, DoubleLambda.ToDouble1 f) {
    return MapExpr.of(F64.INSTANCE, f, a);
  }

  /**
   * Maps to F32 with a user lambda. The result dtype is an argument because Java cannot overload on
   * the return type of a lambda: {@code map(BOOL, a, v -> v > 0)} maps to BOOL.
   */
  public static Expr<F32> map(F32 result, Expr<F64> a, DoubleLambda.ToFloat1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<F64> a, DoubleLambda.ToDouble1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<F64> a, DoubleLambda.ToInt1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<F64> a, DoubleLambda.ToLong1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<F64> a, DoubleLambda.ToBoolean1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps the elements of 2 expressions, which broadcast, with a user lambda. */
  public static Expr<F64> map(Expr<F64> a, Expr<F64> b, DoubleLambda.ToDouble2 f) {
    return MapExpr.of(F64.INSTANCE, f, a, b);
  }

  /** Maps 2 expressions to F32 with a user lambda. */
  public static Expr<F32> map(F32 result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToFloat2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToDouble2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToInt2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToLong2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToBoolean2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps the elements of 3 expressions, which broadcast, with a user lambda. */
  public static Expr<F64> map(Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToDouble3 f) {
    return MapExpr.of(F64.INSTANCE, f, a, b, c);
  }

  /** Maps 3 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToFloat3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToDouble3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToInt3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToLong3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToBoolean3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps the elements of 4 expressions, which broadcast, with a user lambda. */
  public static Expr<F64> map(
      Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToDouble4 f) {
    return MapExpr.of(F64.INSTANCE, f, a, b, c, d);
  }

  /** Maps 4 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToFloat4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToDouble4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToInt4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToLong4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToBoolean4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps each element and its row-major number, from 0, with a user lambda. */
  public static Expr<F64> mapIndexed(Expr<F64> a, DoubleLambda.Indexed f) {
    return MapExpr.indexed(F64.INSTANCE, f, a);
  }
}
