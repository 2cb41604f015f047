package ristretto.expr;

import ristretto.kernels.lambda.BooleanLambda;

/** Lambdas over BOOL elements; cast expressions of other dtypes first. */
abstract class BooleanMapOps extends LongMapOps {
  BooleanMapOps() {}

  /**
   * A lambda on each element, for example {@code map(a, v -> !v)}. Its code becomes part of the
   * kernel; the package {@link ristretto.kernels.lambda} says what it may do. Captured values are
   * passed at launch: another value is no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda does anything else
   */
  public static Expr<BOOL> map(Expr<BOOL> a, BooleanLambda.ToBoolean1 f) {
    return MapExpr.of(BOOL.INSTANCE, f, a);
  }

  /**
   * The same with a result of F32. The dtype comes first, because Java does not tell lambdas apart
   * by what they return: {@code map(F32, a, v -> v ? 1f : 0f)}.
   */
  public static Expr<F32> map(F32 result, Expr<BOOL> a, BooleanLambda.ToFloat1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(F64 result, Expr<BOOL> a, BooleanLambda.ToDouble1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(I32 result, Expr<BOOL> a, BooleanLambda.ToInt1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(I64 result, Expr<BOOL> a, BooleanLambda.ToLong1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(BOOL result, Expr<BOOL> a, BooleanLambda.ToBoolean1 f) {
    return MapExpr.of(result, f, a);
  }

  /** A lambda on the elements of 2 expressions, which broadcast. */
  public static Expr<BOOL> map(Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToBoolean2 f) {
    return MapExpr.of(BOOL.INSTANCE, f, a, b);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(F32 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToFloat2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(F64 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToDouble2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(I32 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToInt2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(I64 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToLong2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(
      BOOL result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToBoolean2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** A lambda on the elements of 3 expressions, which broadcast. */
  public static Expr<BOOL> map(
      Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToBoolean3 f) {
    return MapExpr.of(BOOL.INSTANCE, f, a, b, c);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(
      F32 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToFloat3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(
      F64 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToDouble3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(
      I32 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToInt3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(
      I64 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToLong3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(
      BOOL result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToBoolean3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** A lambda on the elements of 4 expressions, which broadcast. */
  public static Expr<BOOL> map(
      Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, Expr<BOOL> d, BooleanLambda.ToBoolean4 f) {
    return MapExpr.of(BOOL.INSTANCE, f, a, b, c, d);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(
      F32 result,
      Expr<BOOL> a,
      Expr<BOOL> b,
      Expr<BOOL> c,
      Expr<BOOL> d,
      BooleanLambda.ToFloat4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(
      F64 result,
      Expr<BOOL> a,
      Expr<BOOL> b,
      Expr<BOOL> c,
      Expr<BOOL> d,
      BooleanLambda.ToDouble4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(
      I32 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, Expr<BOOL> d, BooleanLambda.ToInt4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(
      I64 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, Expr<BOOL> d, BooleanLambda.ToLong4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(
      BOOL result,
      Expr<BOOL> a,
      Expr<BOOL> b,
      Expr<BOOL> c,
      Expr<BOOL> d,
      BooleanLambda.ToBoolean4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** A lambda on each element and its row-major number, from 0. */
  public static Expr<BOOL> mapIndexed(Expr<BOOL> a, BooleanLambda.Indexed f) {
    return MapExpr.indexed(BOOL.INSTANCE, f, a);
  }
}
