package ristretto.expr;

import ristretto.kernels.lambda.FloatLambda;

/** User lambdas over F32 elements; cast expressions of other dtypes first. */
abstract class FloatMapOps extends ReductionOps {
  FloatMapOps() {}

  /**
   * Maps each element with a user lambda, for example {@code map(a, v -> v * v)}. The lambda is
   * compiled into the kernel; {@link ristretto.kernels.lambda} states the operations it may use.
   * Captured values are launch scalars: other values need no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda uses an unsupported operation
   */
  public static Expr<F32> map(Expr<F32> a, FloatLambda.ToFloat1 f) {
    return MapExpr.of(F32.INSTANCE, f, a);
  }

  /**
   * Maps to F32 with a user lambda. The result dtype is an argument because Java cannot overload on
   * the return type of a lambda: {@code map(BOOL, a, v -> v > 0)} maps to BOOL.
   */
  public static Expr<F32> map(F32 result, Expr<F32> a, FloatLambda.ToFloat1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<F32> a, FloatLambda.ToDouble1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<F32> a, FloatLambda.ToInt1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<F32> a, FloatLambda.ToLong1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<F32> a, FloatLambda.ToBoolean1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps the elements of 2 expressions, which broadcast, with a user lambda. */
  public static Expr<F32> map(Expr<F32> a, Expr<F32> b, FloatLambda.ToFloat2 f) {
    return MapExpr.of(F32.INSTANCE, f, a, b);
  }

  /** Maps 2 expressions to F32 with a user lambda. */
  public static Expr<F32> map(F32 result, Expr<F32> a, Expr<F32> b, FloatLambda.ToFloat2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<F32> a, Expr<F32> b, FloatLambda.ToDouble2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<F32> a, Expr<F32> b, FloatLambda.ToInt2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<F32> a, Expr<F32> b, FloatLambda.ToLong2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<F32> a, Expr<F32> b, FloatLambda.ToBoolean2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps the elements of 3 expressions, which broadcast, with a user lambda. */
  public static Expr<F32> map(Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToFloat3 f) {
    return MapExpr.of(F32.INSTANCE, f, a, b, c);
  }

  /** Maps 3 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToFloat3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToDouble3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToInt3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToLong3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToBoolean3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps the elements of 4 expressions, which broadcast, with a user lambda. */
  public static Expr<F32> map(
      Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToFloat4 f) {
    return MapExpr.of(F32.INSTANCE, f, a, b, c, d);
  }

  /** Maps 4 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToFloat4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToDouble4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToInt4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToLong4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToBoolean4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps each element and its row-major number, from 0, with a user lambda. */
  public static Expr<F32> mapIndexed(Expr<F32> a, FloatLambda.Indexed f) {
    return MapExpr.indexed(F32.INSTANCE, f, a);
  }
}
