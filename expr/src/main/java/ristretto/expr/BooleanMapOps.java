package ristretto.expr;

import ristretto.kernels.lambda.BooleanLambda;

/** Lambdas over BOOL elements. */
abstract class BooleanMapOps extends LongMapOps {
  BooleanMapOps() {}

  /**
   * A lambda on each element, for example {@code map(a, v -> v * v)}; see the package
   * ristretto.kernels.lambda for what it may do.
   */
  public static Expr<BOOL> map(Expr<BOOL> a, BooleanLambda.ToBoolean1 f) {
    return MapExpr.of(BOOL.INSTANCE, f, a);
  }

  /** The same with a result of another dtype. */
  public static Expr<F32> map(F32 result, Expr<BOOL> a, BooleanLambda.ToFloat1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of another dtype. */
  public static Expr<F64> map(F64 result, Expr<BOOL> a, BooleanLambda.ToDouble1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of another dtype. */
  public static Expr<I32> map(I32 result, Expr<BOOL> a, BooleanLambda.ToInt1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of another dtype. */
  public static Expr<I64> map(I64 result, Expr<BOOL> a, BooleanLambda.ToLong1 f) {
    return MapExpr.of(result, f, a);
  }

  /** The same with a result of another dtype. */
  public static Expr<BOOL> map(BOOL result, Expr<BOOL> a, BooleanLambda.ToBoolean1 f) {
    return MapExpr.of(result, f, a);
  }

  /** A lambda on elements of 2 expressions, broadcast. */
  public static Expr<BOOL> map(Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToBoolean2 f) {
    return MapExpr.of(BOOL.INSTANCE, f, a, b);
  }

  /** The same with a result of another dtype. */
  public static Expr<F32> map(F32 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToFloat2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of another dtype. */
  public static Expr<F64> map(F64 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToDouble2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of another dtype. */
  public static Expr<I32> map(I32 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToInt2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of another dtype. */
  public static Expr<I64> map(I64 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToLong2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** The same with a result of another dtype. */
  public static Expr<BOOL> map(
      BOOL result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToBoolean2 f) {
    return MapExpr.of(result, f, a, b);
  }

  /** A lambda on elements of 3 expressions, broadcast. */
  public static Expr<BOOL> map(
      Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToBoolean3 f) {
    return MapExpr.of(BOOL.INSTANCE, f, a, b, c);
  }

  /** The same with a result of another dtype. */
  public static Expr<F32> map(
      F32 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToFloat3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of another dtype. */
  public static Expr<F64> map(
      F64 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToDouble3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of another dtype. */
  public static Expr<I32> map(
      I32 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToInt3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of another dtype. */
  public static Expr<I64> map(
      I64 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToLong3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** The same with a result of another dtype. */
  public static Expr<BOOL> map(
      BOOL result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToBoolean3 f) {
    return MapExpr.of(result, f, a, b, c);
  }

  /** A lambda on elements of 4 expressions, broadcast. */
  public static Expr<BOOL> map(
      Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, Expr<BOOL> d, BooleanLambda.ToBoolean4 f) {
    return MapExpr.of(BOOL.INSTANCE, f, a, b, c, d);
  }

  /** The same with a result of another dtype. */
  public static Expr<F32> map(
      F32 result,
      Expr<BOOL> a,
      Expr<BOOL> b,
      Expr<BOOL> c,
      Expr<BOOL> d,
      BooleanLambda.ToFloat4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of another dtype. */
  public static Expr<F64> map(
      F64 result,
      Expr<BOOL> a,
      Expr<BOOL> b,
      Expr<BOOL> c,
      Expr<BOOL> d,
      BooleanLambda.ToDouble4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of another dtype. */
  public static Expr<I32> map(
      I32 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, Expr<BOOL> d, BooleanLambda.ToInt4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of another dtype. */
  public static Expr<I64> map(
      I64 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, Expr<BOOL> d, BooleanLambda.ToLong4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** The same with a result of another dtype. */
  public static Expr<BOOL> map(
      BOOL result,
      Expr<BOOL> a,
      Expr<BOOL> b,
      Expr<BOOL> c,
      Expr<BOOL> d,
      BooleanLambda.ToBoolean4 f) {
    return MapExpr.of(result, f, a, b, c, d);
  }

  /** A lambda on each element and its row-major number. */
  public static Expr<BOOL> mapIndexed(Expr<BOOL> a, BooleanLambda.Indexed f) {
    return MapExpr.indexed(BOOL.INSTANCE, f, a);
  }
}
