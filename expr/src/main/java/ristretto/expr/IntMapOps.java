package ristretto.expr;

import ristretto.kernels.lambda.IntLambda;

/** User lambdas over I32 elements; cast expressions of other dtypes first. */
abstract class IntMapOps extends DoubleMapOps {
  IntMapOps() {}

  /**
   * Maps each element with a user lambda, for example {@code map(a, v -> v * v)}. The lambda is
   * compiled into the kernel; {@link ristretto.kernels.lambda} states the operations it may use.
   * Captured values are launch scalars: other values need no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda uses an unsupported operation
   */
  public static Expr<I32> map(Expr<I32> a, IntLambda.ToInt1 f) {
    return MapExpr.of(I32.INSTANCE, f, a);
  }

  /**
   * Maps to F32 with a user lambda. The result dtype is an argument because Java cannot overload on
   * the return type of a lambda: {@code map(BOOL, a, v -> v > 0)} maps to BOOL.
   */
  public static Expr<F32> map(F32 result, Expr<I32> a, IntLambda.ToFloat1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<I32> a, IntLambda.ToDouble1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<I32> a, IntLambda.ToInt1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<I32> a, IntLambda.ToLong1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<I32> a, IntLambda.ToBoolean1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps the elements of 2 expressions, which broadcast, with a user lambda. */
  public static Expr<I32> map(Expr<I32> a, Expr<I32> b, IntLambda.ToInt2 f) {
    return MapExpr.of(I32.INSTANCE, f, a, b);
  }

  /** Maps 2 expressions to F32 with a user lambda. */
  public static Expr<F32> map(F32 result, Expr<I32> a, Expr<I32> b, IntLambda.ToFloat2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<I32> a, Expr<I32> b, IntLambda.ToDouble2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<I32> a, Expr<I32> b, IntLambda.ToInt2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<I32> a, Expr<I32> b, IntLambda.ToLong2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<I32> a, Expr<I32> b, IntLambda.ToBoolean2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps the elements of 3 expressions, which broadcast, with a user lambda. */
  public static Expr<I32> map(Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToInt3 f) {
    return MapExpr.of(I32.INSTANCE, f, a, b, c);
  }

  /** Maps 3 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToFloat3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToDouble3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToInt3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToLong3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToBoolean3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps the elements of 4 expressions, which broadcast, with a user lambda. */
  public static Expr<I32> map(
      Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToInt4 f) {
    return MapExpr.of(I32.INSTANCE, f, a, b, c, d);
  }

  /** Maps 4 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToFloat4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToDouble4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToInt4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToLong4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToBoolean4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps each element and its row-major number, from 0, with a user lambda. */
  public static Expr<I32> mapIndexed(Expr<I32> a, IntLambda.Indexed f) {
    return MapExpr.indexed(I32.INSTANCE, f, a);
  }
}
