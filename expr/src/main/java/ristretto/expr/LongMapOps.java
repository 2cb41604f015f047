package ristretto.expr;

import ristretto.kernels.lambda.LongLambda;

/** Lambdas over I64 elements; cast expressions of other dtypes first. */
abstract class LongMapOps extends IntMapOps {
  LongMapOps() {}

  /**
   * A lambda on each element, for example {@code map(a, v -> v * v)}. Its code becomes part of the
   * kernel; the package {@link ristretto.kernels.lambda} says what it may do. Captured values are
   * passed at launch: another value is no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda does anything else
   */
  public static Expr<I64> map(Expr<I64> a, LongLambda.ToLong1 f) {
    return MapExpr.of(I64.INSTANCE, f, a);
  }

  /**
   * The same with a result of F32. The dtype comes first, because Java does not tell lambdas apart
   * by what they return: {@code map(BOOL, a, v -> v > 0)}.
   */
  public static Expr<F32> map(F32 result, Expr<I64> a, LongLambda.ToFloat1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(F64 result, Expr<I64> a, LongLambda.ToDouble1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(I32 result, Expr<I64> a, LongLambda.ToInt1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(I64 result, Expr<I64> a, LongLambda.ToLong1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(BOOL result, Expr<I64> a, LongLambda.ToBoolean1 f) {
    return MapExpr.of(result, f, a);
  }

  /** A lambda on the elements of 2 expressions, which broadcast. */
  public static Expr<I64> map(Expr<I64> a, Expr<I64> b, LongLambda.ToLong2 f) {
    return MapExpr.of(I64.INSTANCE, f, a, b);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(F32 result, Expr<I64> a, Expr<I64> b, LongLambda.ToFloat2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(F64 result, Expr<I64> a, Expr<I64> b, LongLambda.ToDouble2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(I32 result, Expr<I64> a, Expr<I64> b, LongLambda.ToInt2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(I64 result, Expr<I64> a, Expr<I64> b, LongLambda.ToLong2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(BOOL result, Expr<I64> a, Expr<I64> b, LongLambda.ToBoolean2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** A lambda on the elements of 3 expressions, which broadcast. */
  public static Expr<I64> map(Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToLong3 f) {
    return MapExpr.of(I64.INSTANCE, f, a, b, c);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(
      F32 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToFloat3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(
      F64 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToDouble3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(
      I32 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToInt3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(
      I64 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToLong3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(
      BOOL result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToBoolean3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** A lambda on the elements of 4 expressions, which broadcast. */
  public static Expr<I64> map(
      Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToLong4 f) {
    return MapExpr.of(I64.INSTANCE, f, a, b, c, d);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(
      F32 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToFloat4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(
      F64 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToDouble4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(
      I32 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToInt4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(
      I64 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToLong4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(
      BOOL result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToBoolean4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** A lambda on each element and its row-major number, from 0. */
  public static Expr<I64> mapIndexed(Expr<I64> a, LongLambda.Indexed f) {
    return MapExpr.indexed(I64.INSTANCE, f, a);
  }
}
