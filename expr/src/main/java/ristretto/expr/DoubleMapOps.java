package ristretto.expr;

import ristretto.kernels.lambda.DoubleLambda;

/** Lambdas over F64 elements; cast expressions of other dtypes first. */
abstract class DoubleMapOps extends FloatMapOps {
  DoubleMapOps() {}

  /**
   * A lambda on each element, for example {@code map(a, v -> v * v)}. Its code becomes part of the
   * kernel; the package {@link ristretto.kernels.lambda} says what it may do. Captured values are
   * passed at launch: another value is no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda does anything else
   */
  public static Expr<F64> map(Expr<F64> a, DoubleLambda.ToDouble1 f) {
    return MapExpr.of(F64.INSTANCE, f, a);
  }

  /**
   * The same with a result of F32. The dtype comes first, because Java does not tell lambdas apart
   * by what they return: {@code map(BOOL, a, v -> v > 0)}.
   */
  public static Expr<F32> map(F32 result, Expr<F64> a, DoubleLambda.ToFloat1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(F64 result, Expr<F64> a, DoubleLambda.ToDouble1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(I32 result, Expr<F64> a, DoubleLambda.ToInt1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(I64 result, Expr<F64> a, DoubleLambda.ToLong1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(BOOL result, Expr<F64> a, DoubleLambda.ToBoolean1 f) {
    return MapExpr.of(result, f, a);
  }

  /** A lambda on the elements of 2 expressions, which broadcast. */
  public static Expr<F64> map(Expr<F64> a, Expr<F64> b, DoubleLambda.ToDouble2 f) {
    return MapExpr.of(F64.INSTANCE, f, a, b);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(F32 result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToFloat2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(F64 result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToDouble2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(I32 result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToInt2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(I64 result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToLong2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(BOOL result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToBoolean2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** A lambda on the elements of 3 expressions, which broadcast. */
  public static Expr<F64> map(Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToDouble3 f) {
    return MapExpr.of(F64.INSTANCE, f, a, b, c);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(
      F32 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToFloat3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(
      F64 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToDouble3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(
      I32 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToInt3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(
      I64 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToLong3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(
      BOOL result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToBoolean3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** A lambda on the elements of 4 expressions, which broadcast. */
  public static Expr<F64> map(
      Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToDouble4 f) {
    return MapExpr.of(F64.INSTANCE, f, a, b, c, d);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(
      F32 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToFloat4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(
      F64 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToDouble4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(
      I32 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToInt4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(
      I64 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToLong4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(
      BOOL result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToBoolean4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** A lambda on each element and its row-major number, from 0. */
  public static Expr<F64> mapIndexed(Expr<F64> a, DoubleLambda.Indexed f) {
    return MapExpr.indexed(F64.INSTANCE, f, a);
  }
}
