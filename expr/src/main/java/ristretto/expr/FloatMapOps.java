package ristretto.expr;

import ristretto.kernels.lambda.FloatLambda;

/** Lambdas over F32 elements; cast expressions of other dtypes first. */
abstract class FloatMapOps extends ReductionOps {
  FloatMapOps() {}

  /**
   * A lambda on each element, for example {@code map(a, v -> v * v)}. Its code becomes part of the
   * kernel; the package {@link ristretto.kernels.lambda} says what it may do. Captured values are
   * passed at launch: another value is no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda does anything else
   */
  public static Expr<F32> map(Expr<F32> a, FloatLambda.ToFloat1 f) {
    return MapExpr.of(F32.INSTANCE, f, a);
  }

  /**
   * The same with a result of F32. The dtype comes first, because Java does not tell lambdas apart
   * by what they return: {@code map(BOOL, a, v -> v > 0)}.
   */
  public static Expr<F32> map(F32 result, Expr<F32> a, FloatLambda.ToFloat1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(F64 result, Expr<F32> a, FloatLambda.ToDouble1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(I32 result, Expr<F32> a, FloatLambda.ToInt1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(I64 result, Expr<F32> a, FloatLambda.ToLong1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(BOOL result, Expr<F32> a, FloatLambda.ToBoolean1 f) {
    return MapExpr.of(result, f, a);
  }

  /** A lambda on the elements of 2 expressions, which broadcast. */
  public static Expr<F32> map(Expr<F32> a, Expr<F32> b, FloatLambda.ToFloat2 f) {
    return MapExpr.of(F32.INSTANCE, f, a, b);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(F32 result, Expr<F32> a, Expr<F32> b, FloatLambda.ToFloat2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(F64 result, Expr<F32> a, Expr<F32> b, FloatLambda.ToDouble2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(I32 result, Expr<F32> a, Expr<F32> b, FloatLambda.ToInt2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(I64 result, Expr<F32> a, Expr<F32> b, FloatLambda.ToLong2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(BOOL result, Expr<F32> a, Expr<F32> b, FloatLambda.ToBoolean2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** A lambda on the elements of 3 expressions, which broadcast. */
  public static Expr<F32> map(Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToFloat3 f) {
    return MapExpr.of(F32.INSTANCE, f, a, b, c);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(
      F32 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToFloat3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(
      F64 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToDouble3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(
      I32 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToInt3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(
      I64 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToLong3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(
      BOOL result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToBoolean3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** A lambda on the elements of 4 expressions, which broadcast. */
  public static Expr<F32> map(
      Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToFloat4 f) {
    return MapExpr.of(F32.INSTANCE, f, a, b, c, d);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(
      F32 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToFloat4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(
      F64 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToDouble4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(
      I32 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToInt4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(
      I64 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToLong4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(
      BOOL result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToBoolean4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** A lambda on each element and its row-major number, from 0. */
  public static Expr<F32> mapIndexed(Expr<F32> a, FloatLambda.Indexed f) {
    return MapExpr.indexed(F32.INSTANCE, f, a);
  }
}
