package ristretto.expr;

import ristretto.kernels.lambda.BooleanLambda;

/** User lambdas over BOOL elements; cast expressions of other dtypes first. */
abstract class BooleanMapOps extends LongMapOps {
  BooleanMapOps() {}

  /**
   * Maps each element with a user lambda, for example {@code map(a, v -> !v)}. The lambda is
   * compiled into the kernel; {@link ristretto.kernels.lambda} states the operations it may use.
   * Captured values are launch scalars: other values need no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda uses an unsupported operation
   */
  public static Expr<BOOL> map(Expr<BOOL> a, BooleanLambda.ToBoolean1 f) {
    return MapExpr.of(BOOL.INSTANCE, f, a);
  }

  /**
   * Maps to F32 with a user lambda, for example {@code map(F32, a, v -> v ? 1f : 0f)}. The result
   * dtype is an argument because Java cannot overload on the return type of a lambda.
   */
  public static Expr<F32> map(F32 result, Expr<BOOL> a, BooleanLambda.ToFloat1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<BOOL> a, BooleanLambda.ToDouble1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<BOOL> a, BooleanLambda.ToInt1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<BOOL> a, BooleanLambda.ToLong1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<BOOL> a, BooleanLambda.ToBoolean1 f) {
    return MapExpr.of(result, f, a);
  }

  /** Maps the elements of 2 expressions, which broadcast, with a user lambda. */
  public static Expr<BOOL> map(Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToBoolean2 f) {
    return MapExpr.of(BOOL.INSTANCE, f, a, b);
  }

  /** Maps 2 expressions to F32 with a user lambda. */
  public static Expr<F32> map(F32 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToFloat2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToDouble2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToInt2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToLong2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps 2 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToBoolean2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** Maps the elements of 3 expressions, which broadcast, with a user lambda. */
  public static Expr<BOOL> map(
      Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToBoolean3 f) {
    return MapExpr.of(BOOL.INSTANCE, f, a, b, c);
  }

  /** Maps 3 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToFloat3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToDouble3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToInt3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToLong3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps 3 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToBoolean3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** Maps the elements of 4 expressions, which broadcast, with a user lambda. */
  public static Expr<BOOL> map(
      Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, Expr<BOOL> d, BooleanLambda.ToBoolean4 f) {
    return MapExpr.of(BOOL.INSTANCE, f, a, b, c, d);
  }

  /** Maps 4 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result,
      Expr<BOOL> a,
      Expr<BOOL> b,
      Expr<BOOL> c,
      Expr<BOOL> d,
      BooleanLambda.ToFloat4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result,
      Expr<BOOL> a,
      Expr<BOOL> b,
      Expr<BOOL> c,
      Expr<BOOL> d,
      BooleanLambda.ToDouble4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, Expr<BOOL> d, BooleanLambda.ToInt4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, Expr<BOOL> d, BooleanLambda.ToLong4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result,
      Expr<BOOL> a,
      Expr<BOOL> b,
      Expr<BOOL> c,
      Expr<BOOL> d,
      BooleanLambda.ToBoolean4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** Maps each element and its row-major number, from 0, with a user lambda. */
  public static Expr<BOOL> mapIndexed(Expr<BOOL> a, BooleanLambda.Indexed f) {
    return MapExpr.indexed(BOOL.INSTANCE, f, a);
  }
}
