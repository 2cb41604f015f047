package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.linalg.Linalg;
import ristretto.expr.linalg.LinalgException;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;

/** Full texts of the errors of linear algebra. */
class LinalgErrorsTest {
  private static final Context CTX = TestDevice.open();
  private static final Tensor<F64> SQUARE = CTX.ones(F64, 3, 3);
  private static final Tensor<F64> WIDE = CTX.ones(F64, 2, 3);

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static void refused(String message, ThrowingCallable what) {
    assertThatThrownBy(what).isInstanceOf(ShapeException.class).hasMessage(message);
  }

  private static void failed(String message, ThrowingCallable what) {
    assertThatThrownBy(what).isInstanceOf(LinalgException.class).hasMessage(message);
  }

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"})
  void shapes() {
    refused(
        "[inv] matrices must be square; got f64[2,3]; use lstsq, pinv, qr or svd for others.",
        () -> Linalg.inv(WIDE));
    refused(
        "[det] a must be a matrix or a batch of matrices; got f64[3]; reshape it.",
        () -> Linalg.det(CTX.ones(F64, 3)));
    refused(
        "[svd] operands must be F32 or F64; got i32[2,2]; cast first, as in a.cast(F64).",
        () -> Linalg.svd(CTX.ones(I32, 2, 2)));
    refused(
        "[solve] dtypes must be equal; got a f64[3,3], b f32[3]; cast one of them.",
        () -> Linalg.solve((Expr) SQUARE, CTX.ones(F32, 3)));
    refused(
        "[lstsq] b must have as many rows as a; got a f64[2,3], b f64[3]; reshape b.",
        () -> Linalg.lstsq(WIDE, CTX.ones(F64, 3)));
    refused(
        "[triangularSolve] leading axes must broadcast; got a f64[2,3,3], b f64[4,3,1]; reshape one"
            + " of them.",
        () -> Linalg.triangularSolve(CTX.ones(F64, 2, 3, 3), CTX.ones(F64, 4, 3, 1), true));
    refused(
        "[matrixPower] the exponent must be above -2^63; got -9223372036854775808.",
        () -> Linalg.matrixPower(SQUARE, Long.MIN_VALUE));
  }

  @Test
  void norms() {
    refused(
        "[norm] the order of a matrix norm must be 1, -1, 2, -2 or an infinity; got 3.0 for"
            + " f64[2,3]; name one axis for vectors.",
        () -> Linalg.norm(WIDE, 3));
    refused(
        "[norm] the order of a matrix norm must be \"fro\" or \"nuc\"; got \"max\" for f64[2,3];"
            + " name one axis for vectors.",
        () -> Linalg.norm(WIDE, "max"));
    refused(
        "[norm] a norm must be of one axis or two; got 3 axes of f64[1,2,3]; name the axes.",
        () -> Linalg.norm(CTX.ones(F64, 1, 2, 3), 2));
    refused(
        "[norm] a matrix norm must be of two axes; got 1 axes of f64[3]; name two axes.",
        () -> Linalg.norm(CTX.ones(F64, 3), "fro"));
    refused(
        "[norm] the axes must be distinct; got 1 and -1 for f64[2,3]; name two.",
        () -> Linalg.norm(WIDE, 1, 1, -1));
    refused(
        "[norm] the order must be a number; got NaN for f64[3]; use 2.",
        () -> Linalg.norm(CTX.ones(F64, 3), Double.NaN));
  }

  @Test
  void valuesOfMatrices() {
    failed(
        "[inv] the matrix must not be singular; got f64[3,3] whose pivot 2 is zero; use lstsq or"
            + " pinv, or add a multiple of the identity.",
        () -> CTX.eval(Linalg.inv(SQUARE)));
    Tensor<F32> batch = CTX.tensor(new float[] {1, 0, 0, 1, 1, 2, 2, 1}, 1, 2, 2, 2);
    failed(
        "[cholesky] the matrix must be positive definite; got f32[1,2,2,2], matrix [0,1], whose"
            + " leading minor of order 2 is not positive; check that it is symmetric, or add a"
            + " small multiple of the identity.",
        () -> CTX.eval(Linalg.cholesky(batch)));
    failed(
        "[triangularSolve] the matrix must not be singular; got f32[1,2,2,2], matrix [0,0], whose"
            + " pivot 1 is zero; use lstsq or pinv, or add a multiple of the identity.",
        () -> CTX.eval(Linalg.triangularSolve(batch.flip(2), CTX.ones(F32, 2), true)));
  }

  @Test
  void gradients() {
    Tensor<F64> tall = CTX.eval(uniform(F64, 1, 4, 2));
    refused(
        "[gradient] a full qr of a matrix with more rows than columns has no derivative; got"
            + " f64[4,2]; use the reduced one.",
        () -> gradient(Linalg.qr(tall, true).q(), tall));
    refused(
        "[gradient] singular vectors of a full svd have no derivative unless matrices are square;"
            + " got f64[4,2]; use the reduced one.",
        () -> gradient(Linalg.svd(tall, true).u(), tall));
    refused(
        "[gradient] eigenvectors of eig have no derivative; got a of f64[3,3]; stop there with"
            + " stopGradient.",
        () -> gradient(Linalg.eig(SQUARE).vectors().re(), SQUARE));
  }
}
