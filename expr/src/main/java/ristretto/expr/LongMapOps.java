package ristretto.expr;

import ristretto.kernels.lambda.LongLambda;

/** User lambdas over I64 elements; cast expressions of other dtypes first. */
abstract class LongMapOps extends IntMapOps {
  LongMapOps() {}

  /**
   * Maps each element with a user lambda, for example {@code map(a, v -> v * v)}. The lambda is
   * compiled into the kernel; {@link ristretto.kernels.lambda} states the operations it may use.
   * Captured values are launch scalars: other values need no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda uses an unsupported operation
   */
  public static Expr<I64> map(Expr<I64> a, LongLambda.ToLong1 f) {
    return MapExpr.of(I64.INSTANCE, f, a);
  }

  /**
   * Maps to F32 with a user lambda. The result dtype is an argument because Java cannot overload on
   * the return type of a lambda: {@code map(BOOL, a, v -> v > 0)} maps to BOOL.
   */
  public static Expr<F32> map(F32 result, Expr<I64> a, LongLambda.ToFloat1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<I64> a, LongLambda.ToDouble1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<I64> a, LongLambda.ToInt1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<I64> a, LongLambda.ToLong1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<I64> a, LongLambda.ToBoolean1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps the elements of 2 expressions, which broadcast, with a user lambda. */
  public static Expr<I64> map(Expr<I64> a, Expr<I64> b, LongLambda.ToLong2 f) {
    return MapExpr.of(I64.INSTANCE, f, a, b);
  }

  /** Maps 2 expressions to F32 with a user lambda. */
  public static Expr<F32> map(F32 result, Expr<I64> a, Expr<I64> b, LongLambda.ToFloat2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<I64> a, Expr<I64> b, LongLambda.ToDouble2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<I64> a, Expr<I64> b, LongLambda.ToInt2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<I64> a, Expr<I64> b, LongLambda.ToLong2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<I64> a, Expr<I64> b, LongLambda.ToBoolean2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps the elements of 3 expressions, which broadcast, with a user lambda. */
  public static Expr<I64> map(Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToLong3 f) {
    return MapExpr.of(I64.INSTANCE, f, a, b, c);
  }

  /** Maps 3 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToFloat3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToDouble3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToInt3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToLong3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToBoolean3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps the elements of 4 expressions, which broadcast, with a user lambda. */
  public static Expr<I64> map(
      Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToLong4 f) {
    return MapExpr.of(I64.INSTANCE, f, a, b, c, d);
  }

  /** Maps 4 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToFloat4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToDouble4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToInt4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToLong4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToBoolean4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps each element and its row-major number, from 0, with a user lambda. */
  public static Expr<I64> mapIndexed(Expr<I64> a, LongLambda.Indexed f) {
    return MapExpr.indexed(I64.INSTANCE, f, a);
  }
}
