package ristretto.expr;

import ristretto.expr.type.BOOL;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.kernels.lambda.BooleanLambda;
import ristretto.kernels.lambda.DoubleLambda;
import ristretto.kernels.lambda.FloatLambda;
import ristretto.kernels.lambda.IntLambda;
import ristretto.kernels.lambda.LongLambda;

/**
 * Element-wise application of user lambdas, for each dtype of operands: cast expressions of other
 * dtypes first.
 *
 * @hidden its operations are documented as those of {@link Ops}
 */
public abstract class LambdaOps extends ReductionOps {
  LambdaOps() {}

  // Lambdas over F32

  /**
   * Maps each element with a user lambda, for example {@code map(a, v -> v * v)}. The lambda is
   * compiled into the kernel; {@link ristretto.kernels.lambda} states the operations it may use.
   * Captured values are launch scalars: other values need no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda uses an unsupported operation
   */
  public static Expr<F32> map(Expr<F32> a, FloatLambda.ToFloat1 f) {
    return Apply.map(F32.INSTANCE, f, a);
  }

  /**
   * Maps to F32 with a user lambda. The result dtype is an argument because Java cannot overload on
   * the return type of a lambda: {@code map(BOOL, a, v -> v > 0)} maps to BOOL.
   */
  public static Expr<F32> map(F32 result, Expr<F32> a, FloatLambda.ToFloat1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<F32> a, FloatLambda.ToDouble1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<F32> a, FloatLambda.ToInt1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<F32> a, FloatLambda.ToLong1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<F32> a, FloatLambda.ToBoolean1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps the elements of 2 expressions, which broadcast, with a user lambda. */
  public static Expr<F32> map(Expr<F32> a, Expr<F32> b, FloatLambda.ToFloat2 f) {
    return Apply.map(F32.INSTANCE, f, a, b);
  }

  /** Maps 2 expressions to F32 with a user lambda. */
  public static Expr<F32> map(F32 result, Expr<F32> a, Expr<F32> b, FloatLambda.ToFloat2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<F32> a, Expr<F32> b, FloatLambda.ToDouble2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<F32> a, Expr<F32> b, FloatLambda.ToInt2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<F32> a, Expr<F32> b, FloatLambda.ToLong2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<F32> a, Expr<F32> b, FloatLambda.ToBoolean2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps the elements of 3 expressions, which broadcast, with a user lambda. */
  public static Expr<F32> map(Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToFloat3 f) {
    return Apply.map(F32.INSTANCE, f, a, b, c);
  }

  /** Maps 3 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToFloat3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToDouble3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToInt3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToLong3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<F32> a, Expr<F32> b, Expr<F32> c, FloatLambda.ToBoolean3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps the elements of 4 expressions, which broadcast, with a user lambda. */
  public static Expr<F32> map(
      Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToFloat4 f) {
    return Apply.map(F32.INSTANCE, f, a, b, c, d);
  }

  /** Maps 4 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToFloat4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToDouble4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToInt4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToLong4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<F32> a, Expr<F32> b, Expr<F32> c, Expr<F32> d, FloatLambda.ToBoolean4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps each element and its row-major number, from 0, with a user lambda. */
  public static Expr<F32> mapIndexed(Expr<F32> a, FloatLambda.Indexed f) {
    return Apply.mapIndexed(F32.INSTANCE, f, a);
  }

  // Lambdas over F64

  /**
   * Maps each element with a user lambda, for example {@code map(a, v -> v * v)}. The lambda is
   * compiled into the kernel; {@link ristretto.kernels.lambda} states the operations it may use.
   * Captured values are launch scalars: other values need no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda uses an unsupported operation
   */
  public static Expr<F64> map(Expr<F64> a, DoubleLambda.ToDouble1 f) {
    return Apply.map(F64.INSTANCE, f, a);
  }

  /**
   * Maps to F32 with a user lambda. The result dtype is an argument because Java cannot overload on
   * the return type of a lambda: {@code map(BOOL, a, v -> v > 0)} maps to BOOL.
   */
  public static Expr<F32> map(F32 result, Expr<F64> a, DoubleLambda.ToFloat1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<F64> a, DoubleLambda.ToDouble1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<F64> a, DoubleLambda.ToInt1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<F64> a, DoubleLambda.ToLong1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<F64> a, DoubleLambda.ToBoolean1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps the elements of 2 expressions, which broadcast, with a user lambda. */
  public static Expr<F64> map(Expr<F64> a, Expr<F64> b, DoubleLambda.ToDouble2 f) {
    return Apply.map(F64.INSTANCE, f, a, b);
  }

  /** Maps 2 expressions to F32 with a user lambda. */
  public static Expr<F32> map(F32 result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToFloat2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToDouble2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToInt2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToLong2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<F64> a, Expr<F64> b, DoubleLambda.ToBoolean2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps the elements of 3 expressions, which broadcast, with a user lambda. */
  public static Expr<F64> map(Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToDouble3 f) {
    return Apply.map(F64.INSTANCE, f, a, b, c);
  }

  /** Maps 3 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToFloat3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToDouble3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToInt3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToLong3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<F64> a, Expr<F64> b, Expr<F64> c, DoubleLambda.ToBoolean3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps the elements of 4 expressions, which broadcast, with a user lambda. */
  public static Expr<F64> map(
      Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToDouble4 f) {
    return Apply.map(F64.INSTANCE, f, a, b, c, d);
  }

  /** Maps 4 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToFloat4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToDouble4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToInt4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToLong4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<F64> a, Expr<F64> b, Expr<F64> c, Expr<F64> d, DoubleLambda.ToBoolean4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps each element and its row-major number, from 0, with a user lambda. */
  public static Expr<F64> mapIndexed(Expr<F64> a, DoubleLambda.Indexed f) {
    return Apply.mapIndexed(F64.INSTANCE, f, a);
  }

  // Lambdas over I32

  /**
   * Maps each element with a user lambda, for example {@code map(a, v -> v * v)}. The lambda is
   * compiled into the kernel; {@link ristretto.kernels.lambda} states the operations it may use.
   * Captured values are launch scalars: other values need no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda uses an unsupported operation
   */
  public static Expr<I32> map(Expr<I32> a, IntLambda.ToInt1 f) {
    return Apply.map(I32.INSTANCE, f, a);
  }

  /**
   * Maps to F32 with a user lambda. The result dtype is an argument because Java cannot overload on
   * the return type of a lambda: {@code map(BOOL, a, v -> v > 0)} maps to BOOL.
   */
  public static Expr<F32> map(F32 result, Expr<I32> a, IntLambda.ToFloat1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<I32> a, IntLambda.ToDouble1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<I32> a, IntLambda.ToInt1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<I32> a, IntLambda.ToLong1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<I32> a, IntLambda.ToBoolean1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps the elements of 2 expressions, which broadcast, with a user lambda. */
  public static Expr<I32> map(Expr<I32> a, Expr<I32> b, IntLambda.ToInt2 f) {
    return Apply.map(I32.INSTANCE, f, a, b);
  }

  /** Maps 2 expressions to F32 with a user lambda. */
  public static Expr<F32> map(F32 result, Expr<I32> a, Expr<I32> b, IntLambda.ToFloat2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<I32> a, Expr<I32> b, IntLambda.ToDouble2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<I32> a, Expr<I32> b, IntLambda.ToInt2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<I32> a, Expr<I32> b, IntLambda.ToLong2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<I32> a, Expr<I32> b, IntLambda.ToBoolean2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps the elements of 3 expressions, which broadcast, with a user lambda. */
  public static Expr<I32> map(Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToInt3 f) {
    return Apply.map(I32.INSTANCE, f, a, b, c);
  }

  /** Maps 3 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToFloat3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToDouble3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToInt3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToLong3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<I32> a, Expr<I32> b, Expr<I32> c, IntLambda.ToBoolean3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps the elements of 4 expressions, which broadcast, with a user lambda. */
  public static Expr<I32> map(
      Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToInt4 f) {
    return Apply.map(I32.INSTANCE, f, a, b, c, d);
  }

  /** Maps 4 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToFloat4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToDouble4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToInt4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToLong4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<I32> a, Expr<I32> b, Expr<I32> c, Expr<I32> d, IntLambda.ToBoolean4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps each element and its row-major number, from 0, with a user lambda. */
  public static Expr<I32> mapIndexed(Expr<I32> a, IntLambda.Indexed f) {
    return Apply.mapIndexed(I32.INSTANCE, f, a);
  }

  // Lambdas over I64

  /**
   * Maps each element with a user lambda, for example {@code map(a, v -> v * v)}. The lambda is
   * compiled into the kernel; {@link ristretto.kernels.lambda} states the operations it may use.
   * Captured values are launch scalars: other values need no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda uses an unsupported operation
   */
  public static Expr<I64> map(Expr<I64> a, LongLambda.ToLong1 f) {
    return Apply.map(I64.INSTANCE, f, a);
  }

  /**
   * Maps to F32 with a user lambda. The result dtype is an argument because Java cannot overload on
   * the return type of a lambda: {@code map(BOOL, a, v -> v > 0)} maps to BOOL.
   */
  public static Expr<F32> map(F32 result, Expr<I64> a, LongLambda.ToFloat1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<I64> a, LongLambda.ToDouble1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<I64> a, LongLambda.ToInt1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<I64> a, LongLambda.ToLong1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<I64> a, LongLambda.ToBoolean1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps the elements of 2 expressions, which broadcast, with a user lambda. */
  public static Expr<I64> map(Expr<I64> a, Expr<I64> b, LongLambda.ToLong2 f) {
    return Apply.map(I64.INSTANCE, f, a, b);
  }

  /** Maps 2 expressions to F32 with a user lambda. */
  public static Expr<F32> map(F32 result, Expr<I64> a, Expr<I64> b, LongLambda.ToFloat2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<I64> a, Expr<I64> b, LongLambda.ToDouble2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<I64> a, Expr<I64> b, LongLambda.ToInt2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<I64> a, Expr<I64> b, LongLambda.ToLong2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<I64> a, Expr<I64> b, LongLambda.ToBoolean2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps the elements of 3 expressions, which broadcast, with a user lambda. */
  public static Expr<I64> map(Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToLong3 f) {
    return Apply.map(I64.INSTANCE, f, a, b, c);
  }

  /** Maps 3 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToFloat3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToDouble3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToInt3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToLong3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<I64> a, Expr<I64> b, Expr<I64> c, LongLambda.ToBoolean3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps the elements of 4 expressions, which broadcast, with a user lambda. */
  public static Expr<I64> map(
      Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToLong4 f) {
    return Apply.map(I64.INSTANCE, f, a, b, c, d);
  }

  /** Maps 4 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToFloat4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToDouble4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToInt4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToLong4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<I64> a, Expr<I64> b, Expr<I64> c, Expr<I64> d, LongLambda.ToBoolean4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps each element and its row-major number, from 0, with a user lambda. */
  public static Expr<I64> mapIndexed(Expr<I64> a, LongLambda.Indexed f) {
    return Apply.mapIndexed(I64.INSTANCE, f, a);
  }

  // Lambdas over BOOL

  /**
   * Maps each element with a user lambda, for example {@code map(a, v -> !v)}. The lambda is
   * compiled into the kernel; {@link ristretto.kernels.lambda} states the operations it may use.
   * Captured values are launch scalars: other values need no new kernel.
   *
   * @throws ristretto.kernels.LambdaException if the lambda uses an unsupported operation
   */
  public static Expr<BOOL> map(Expr<BOOL> a, BooleanLambda.ToBoolean1 f) {
    return Apply.map(BOOL.INSTANCE, f, a);
  }

  /**
   * Maps to F32 with a user lambda, for example {@code map(F32, a, v -> v ? 1f : 0f)}. The result
   * dtype is an argument because Java cannot overload on the return type of a lambda.
   */
  public static Expr<F32> map(F32 result, Expr<BOOL> a, BooleanLambda.ToFloat1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<BOOL> a, BooleanLambda.ToDouble1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<BOOL> a, BooleanLambda.ToInt1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<BOOL> a, BooleanLambda.ToLong1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps to BOOL with a user lambda. */
  public static Expr<BOOL> map(BOOL result, Expr<BOOL> a, BooleanLambda.ToBoolean1 f) {
    return Apply.map(result, f, a);
  }

  /** Maps the elements of 2 expressions, which broadcast, with a user lambda. */
  public static Expr<BOOL> map(Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToBoolean2 f) {
    return Apply.map(BOOL.INSTANCE, f, a, b);
  }

  /** Maps 2 expressions to F32 with a user lambda. */
  public static Expr<F32> map(F32 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToFloat2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to F64 with a user lambda. */
  public static Expr<F64> map(F64 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToDouble2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to I32 with a user lambda. */
  public static Expr<I32> map(I32 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToInt2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to I64 with a user lambda. */
  public static Expr<I64> map(I64 result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToLong2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps 2 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<BOOL> a, Expr<BOOL> b, BooleanLambda.ToBoolean2 f) {
    return Apply.map(result, f, a, b);
  }

  /** Maps the elements of 3 expressions, which broadcast, with a user lambda. */
  public static Expr<BOOL> map(
      Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToBoolean3 f) {
    return Apply.map(BOOL.INSTANCE, f, a, b, c);
  }

  /** Maps 3 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToFloat3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToDouble3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToInt3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToLong3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps 3 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, BooleanLambda.ToBoolean3 f) {
    return Apply.map(result, f, a, b, c);
  }

  /** Maps the elements of 4 expressions, which broadcast, with a user lambda. */
  public static Expr<BOOL> map(
      Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, Expr<BOOL> d, BooleanLambda.ToBoolean4 f) {
    return Apply.map(BOOL.INSTANCE, f, a, b, c, d);
  }

  /** Maps 4 expressions to F32 with a user lambda. */
  public static Expr<F32> map(
      F32 result,
      Expr<BOOL> a,
      Expr<BOOL> b,
      Expr<BOOL> c,
      Expr<BOOL> d,
      BooleanLambda.ToFloat4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to F64 with a user lambda. */
  public static Expr<F64> map(
      F64 result,
      Expr<BOOL> a,
      Expr<BOOL> b,
      Expr<BOOL> c,
      Expr<BOOL> d,
      BooleanLambda.ToDouble4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I32 with a user lambda. */
  public static Expr<I32> map(
      I32 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, Expr<BOOL> d, BooleanLambda.ToInt4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to I64 with a user lambda. */
  public static Expr<I64> map(
      I64 result, Expr<BOOL> a, Expr<BOOL> b, Expr<BOOL> c, Expr<BOOL> d, BooleanLambda.ToLong4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps 4 expressions to BOOL with a user lambda. */
  public static Expr<BOOL> map(
      BOOL result,
      Expr<BOOL> a,
      Expr<BOOL> b,
      Expr<BOOL> c,
      Expr<BOOL> d,
      BooleanLambda.ToBoolean4 f) {
    return Apply.map(result, f, a, b, c, d);
  }

  /** Maps each element and its row-major number, from 0, with a user lambda. */
  public static Expr<BOOL> mapIndexed(Expr<BOOL> a, BooleanLambda.Indexed f) {
    return Apply.mapIndexed(BOOL.INSTANCE, f, a);
  }
}
