package ristretto.jmh.scripting;

import ristretto.expr.Complex;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;

/** Numbers that both sides make by the same formula. */
record Data(Context ctx) {
  private static final long STEP = 40_503;
  private static final long FACTOR = 2_654_435_761L;

  /** Numbers in [0, 1) with 24 bits; another {@code number} gives others. */
  private static double[] values(int number, int length) {
    double[] values = new double[length];
    for (int k = 0; k < length; k++) {
      values[k] = (((k + STEP * number) * FACTOR & 0xFFFFFFFFL) >>> 8) * 0x1p-24;
    }
    return values;
  }

  Tensor<F64> f64(int number, long... dims) {
    return ctx.tensor(values(number, (int) size(dims)), dims);
  }

  Tensor<F32> f32(int number, long... dims) {
    return ctx.eval(f64(number, dims).cast(Ops.F32));
  }

  /** Complex numbers with parts in [0, 1). */
  Complex<F64> complex(long... dims) {
    return Complex.of(f64(1, dims), f64(2, dims));
  }

  /** Symmetric positive definite matrix. */
  Tensor<F64> definite(int n) {
    Tensor<F64> a = f64(1, n, n);
    Expr<F64> diagonal = ctx.eye(Ops.F64, n).times((double) n);
    return ctx.eval(a.plus(a.t()).div(2).plus(diagonal));
  }

  /** Whole numbers in [0, limit). */
  Tensor<I64> i64(int number, long limit, long... dims) {
    return ctx.eval(f64(number, dims).times((double) limit).cast(Ops.I64));
  }

  /** Whole numbers in [0, limit). */
  Tensor<I32> i32(int number, long limit, long... dims) {
    return ctx.eval(f64(number, dims).times((double) limit).cast(Ops.I32));
  }

  private static long size(long... dims) {
    long size = 1;
    for (long d : dims) {
      size *= d;
    }
    return size;
  }
}
