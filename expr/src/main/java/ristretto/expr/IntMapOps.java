package ristretto.expr;

import ristretto.kernels.lambda.IntLambda;

/** Lambdas over I32 elements; cast expressions of other dtypes first. */
abstract class IntMapOps extends DoubleMapOps {
  IntMapOps() {}

  /**
   * A lambda on each element, for example {@code map(a, v -> v * v)}. Its code becomes part of the
   * kernel; the package {@link ristretto.kernels.lambda} says what it may do. Captured values are
   * passed at launch: another value is no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda does anything else
   */
  public static Expr<I32> map(Expr<I32> a, IntLambda.ToInt1 f) {
    return MapExpr.of(I32.INSTANCE, f, a);
  }

  /**
   * The same with a result of F32. The dtype comes first, because Java does not tell lambdas apart
   * by what they return: {@code map(BOOL, a, v -> v > 0)}.
   */
  public static Expr<F32> map(F32 result, Expr<I32> a, IntLambda.ToFloat1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(F64 result, Expr<I32> a, IntLambda.ToDouble1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(I32 result, Expr<I32> a, IntLambda.ToInt1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(I64 result, Expr<I32> a, IntLambda.ToLong1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(BOOL result, Expr<I32> a, IntLambda.ToBoolean1 f) {
    return MapExpr.of(result, f, a);
  }

  /** A lambda on the elements of 2 expressions, which broadcast. */
  public static Expr<I32> map(Expr<I32> a, Expr<I32> b, IntLambda.ToInt2 f) {
    return MapExpr.of(I32.INSTANCE, f, a, b);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(F32 result, Expr<I32> a, Expr<I32> b, IntLambda.ToFloat2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(F64 result, Expr<I32> a, Expr<I32> b, IntLambda.ToDouble2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(I32 result, Expr<I32> a, Expr<I32> b, IntLambda.ToInt2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(I64 result, Expr<I32> a, Expr<I32> b, IntLambda.ToLong2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(BOOL result, Expr<I32> a, Expr<I32> b, IntLambda.ToBoolean2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** A lambda on the elements of 3 expressions, which broadcast. */
  public static Expr<I32> map(Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToInt3 f) {
    return MapExpr.of(I32.INSTANCE, f, a, b, c);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(
      F32 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToFloat3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(
      F64 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToDouble3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(
      I32 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToInt3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(
      I64 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToLong3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(
      BOOL result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToBoolean3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** A lambda on the elements of 4 expressions, which broadcast. */
  public static Expr<I32> map(
      Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToInt4 f) {
    return MapExpr.of(I32.INSTANCE, f, a, b, c, d);
  }

  /** The same with a result of F32. */
  public static Expr<F32> map(
      F32 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToFloat4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of F64. */
  public static Expr<F64> map(
      F64 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToDouble4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of I32. */
  public static Expr<I32> map(
      I32 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToInt4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of I64. */
  public static Expr<I64> map(
      I64 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToLong4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of BOOL. */
  public static Expr<BOOL> map(
      BOOL result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToBoolean4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** A lambda on each element and its row-major number, from 0. */
  public static Expr<I32> mapIndexed(Expr<I32> a, IntLambda.Indexed f) {
    return MapExpr.indexed(I32.INSTANCE, f, a);
  }
}
