package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Complex;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Fft;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;

/** Fourier transforms and complex numbers against sums in double precision and SciPy's numbers. */
class FourierTest {
  private static final Context CTX = TestDevice.open();

  /** Lengths of one pass, several passes, two phases, odd lengths, and primes. */
  private static final int[] LENGTHS = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 24, 31, 32, 34, 49, 60, 64, 65,
    97, 100, 121, 128, 143, 169, 243, 256, 257
  };

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static double[] random(int count, int seed) {
    return new Random(seed).doubles(count, -1, 1).toArray();
  }

  private static <T> double[] values(Expr<T> e) {
    return CTX.eval(e.cast(F64)).toDoubleArray();
  }

  private static <T> Tensor<T> tensor(DType<T> dtype, double[] v, long... dims) {
    return CTX.eval(CTX.tensor(v, dims).cast(dtype));
  }

  /** Sums of {@code x[j] exp(sign 2 pi i j k / n)} of rows of n elements. */
  private static double[][] sums(double[] re, double[] im, int n, int sign) {
    double[][] y = new double[2][re.length];
    for (int row = 0; row < re.length; row += n) {
      for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++) {
          double angle = sign * 2 * Math.PI * ((long) j * k % n) / n;
          double c = Math.cos(angle);
          double s = Math.sin(angle);
          y[0][row + k] += re[row + j] * c - im[row + j] * s;
          y[1][row + k] += re[row + j] * s + im[row + j] * c;
        }
      }
    }
    return y;
  }

  private static void close(double[] actual, double[] expected, double tolerance, String what) {
    double scale = 1e-300;
    double worst = 0;
    assertThat(actual).as(what).hasSameSizeAs(expected);
    for (int k = 0; k < actual.length; k++) {
      scale = Math.max(scale, Math.abs(expected[k]));
      worst = Math.max(worst, Math.abs(actual[k] - expected[k]));
      assertThat(actual[k]).as(what).isNotNaN();
    }
    assertThat(worst / scale).as(what).isLessThan(tolerance);
  }

  private static double tolerance(DType<?> dtype) {
    return dtype == (Object) F64 ? 1e-14 : 2e-6;
  }

  @Test
  void allLengthsOfComplexNumbersInF64() {
    complex(F64);
  }

  @Test
  void allLengthsOfComplexNumbersInF32() {
    complex(F32);
  }

  private static <T> void complex(DType<T> dtype) {
    int turn = 0;
    for (int n : LENGTHS) {
      for (int rows : new int[] {1, 3, 9}) {
        if (!TestDevice.isCpu() && turn++ % 29 != 0) {
          continue;
        }
        Tensor<T> re = tensor(dtype, random(rows * n, 1), rows, n);
        Tensor<T> im = tensor(dtype, random(rows * n, 2), rows, n);
        var x = Complex.of(re, im);
        double[][] expected = sums(values(re), values(im), n, -1);
        String what = rows + " of " + n;
        Complex<T> y = Fft.fft(x);
        close(values(y.re()), expected[0], tolerance(dtype), what);
        close(values(y.im()), expected[1], tolerance(dtype), what);
        Complex<T> columns = Fft.fft(x.t(), -1, 0);
        close(values(columns.re().t()), expected[0], tolerance(dtype), what + ", columns");
        close(values(columns.im().t()), expected[1], tolerance(dtype), what + ", columns");
        Complex<T> back = Fft.ifft(y);
        close(values(back.re()), values(re), tolerance(dtype), what + ", back");
        close(values(back.im()), values(im), tolerance(dtype), what + ", back");
      }
    }
  }

  @Test
  void allLengthsOfRealNumbersInF64() {
    real(F64);
  }

  @Test
  void allLengthsOfRealNumbersInF32() {
    real(F32);
  }

  private static <T> void real(DType<T> dtype) {
    int turn = 0;
    for (int n : LENGTHS) {
      for (int rows : new int[] {1, 3, 9}) {
        if (!TestDevice.isCpu() && turn++ % 29 != 0) {
          continue;
        }
        Tensor<T> x = tensor(dtype, random(rows * n, 1), rows, n);
        double[][] expected = sums(values(x), new double[rows * n], n, -1);
        String what = rows + " of " + n;
        Complex<T> all = Fft.fft(x);
        close(values(all.re()), expected[0], tolerance(dtype), what + ", all");
        for (int k = 0; k < rows * n; k++) {
          expected[1][k]++;
        }
        close(values(all.im().plus(1)), expected[1], tolerance(dtype), what + ", all");
        Complex<T> half = Fft.rfft(x);
        assertThat(half.shape().at(1)).isEqualTo(n / 2 + 1);
        close(
            values(half.re()),
            values(all.re().slice(all(), range(0, n / 2 + 1))),
            tolerance(dtype),
            what);
        close(
            values(half.im().plus(1)),
            values(all.im().plus(1).slice(all(), range(0, n / 2 + 1))),
            tolerance(dtype),
            what);
        close(values(Fft.irfft(half, n)), values(x), tolerance(dtype), what + ", back");
        var columns = Fft.irfft(Fft.rfft(x.t(), -1, 0), n, 0);
        close(values(columns.t()), values(x), tolerance(dtype), what + ", columns");
      }
    }
  }

  @Test
  void longTransformsAreSplitIntoTwoPhases() {
    int n = 1 << 15;
    for (int rows : new int[] {1, 2}) {
      double[] x = new double[rows * n];
      x[rows * n - n + 5] = 1;
      Complex<F64> y = Fft.fft(Complex.of(CTX.tensor(x, rows, n)));
      double[] re = values(y.re().slice(at(rows - 1)));
      double[] im = values(y.im().slice(at(rows - 1)));
      for (int k = 0; k < n; k += 101) {
        double angle = -2 * Math.PI * (5L * k % n) / n;
        assertThat(re[k]).isCloseTo(Math.cos(angle), within(2e-15));
        assertThat(im[k]).isCloseTo(Math.sin(angle), within(2e-15));
      }
    }
    double[] noise = random(3 * 20_000, 5);
    Tensor<F64> a = CTX.tensor(noise, 3, 20_000);
    close(values(Fft.irfft(Fft.rfft(a))), noise, 1e-14, "back");
    close(values(Fft.ifft(Fft.fft(a)).re()), noise, 1e-14, "back");
  }

  @Test
  void viewsWithAnyStrides() {
    double[] v = random(5 * 12 * 7, 3);
    Tensor<F64> x = CTX.tensor(v, 5, 12, 7);
    Expr<F64> dense = CTX.eval(x.flip(1));
    for (Expr<F64> y : List.of(x.flip(1), x.flip(1).plus(0))) {
      close(values(Fft.fft(y, -1, 1).im()), values(Fft.fft(dense, -1, 1).im()), 1e-15, "flipped");
      close(values(Fft.rfft(y, -1, 1).im()), values(Fft.rfft(dense, -1, 1).im()), 1e-15, "real");
    }
    Expr<F64> every = x.slice(from(0, 2), all(), from(1, 3));
    Tensor<F64> copy = CTX.eval(every.plus(0));
    close(values(Fft.fft(every).re()), values(Fft.fft(copy).re()), 1e-15, "steps");
    Expr<F64> row = CTX.tensor(random(8, 1), 1, 8).expand(20, 8);
    close(
        values(Fft.fft(row).re()), values(Fft.fft(CTX.eval(row.plus(0))).re()), 1e-15, "broadcast");
    var mixed = Complex.of(x.flip(1), dense);
    var plain = Complex.of(dense, dense);
    close(values(Fft.fft(mixed, -1, 1).re()), values(Fft.fft(plain, -1, 1).re()), 1e-15, "mixed");
  }

  @Test
  void emptyBatchesAndSpecialValues() {
    assertThat(Fft.fft(CTX.zeros(F64, 0, 8)).shape().toArray()).containsExactly(0, 8);
    assertThat(values(Fft.rfft(CTX.zeros(F64, 0, 8)).re())).isEmpty();
    assertThat(values(Fft.irfft(Fft.rfft(CTX.zeros(F64, 0, 8))))).isEmpty();
    double[] v = random(16, 1);
    v[3] = Double.NaN;
    Complex<F64> spoilt = Fft.fft(CTX.tensor(v));
    assertThat(values(spoilt.re().plus(spoilt.im()))).containsOnly(Double.NaN);
    v[3] = Double.POSITIVE_INFINITY;
    Complex<F64> infinite = Fft.fft(CTX.tensor(v));
    for (double y : values(infinite.re().plus(infinite.im()))) {
      assertThat(Double.isFinite(y)).isFalse();
    }
    assertThat(values(Fft.fft(CTX.tensor(new double[] {-0.0})).re())).containsExactly(-0.0);
  }

  @Test
  void numbersOfSciPy() {
    double[] v = {1, -2, 3.5, .25, -1, 4, 0.5};
    Tensor<F64> x = CTX.tensor(v);
    Complex<F64> y = Fft.fft(Complex.of(x, x.flip()));
    close(
        values(y.re()),
        new double[] {
          6.25,
          0.981885150920205,
          -0.8592501442787128,
          4.545821536555083,
          9.843213495967648,
          -10.922954775176732,
          -2.838715263987493
        },
        1e-14,
        "fft");
    close(values(Fft.fft(x, 4).im()), new double[] {0, 2.25, 0, -2.25}, 1e-14, "cropped");
    close(
        values(Fft.fft(x, 9).re()),
        new double[] {
          6.25,
          -3.118398126761425,
          -0.7130871987276062,
          -0.5,
          5.70648532548903,
          5.706485325489031,
          -0.5,
          -0.7130871987276053,
          -3.1183981267614245
        },
        1e-14,
        "padded");
    var s = Complex.of(CTX.tensor(new double[] {1, 3, -.5}), CTX.tensor(new double[] {2, -1, .25}));
    close(values(Fft.irfft(s)), new double[] {1.625, 0.875, -1.375, -0.125}, 1e-14, "even");
    close(
        values(Fft.irfft(s, 5)),
        new double[] {
          1.2000000000000002,
          1.0542678734137405,
          -0.5024040395784218,
          -1.162843544671431,
          0.41097971083611234
        },
        1e-14,
        "odd");
    Expr<F64> matrix = x.slice(range(0, 6)).reshape(2, 3);
    double[] re = {5.75, -1, -1, -0.75, 1.5, 1.5};
    double a = 9.093266739736606;
    double b = 0.43301270189221963;
    close(values(Fft.fft2(matrix).re().flatten()), re, 1e-14, "fft2");
    close(
        values(Fft.fft2(matrix).im().flatten()), new double[] {0, a, -a, 0, b, -b}, 1e-14, "fft2");
    close(values(Fft.rfft2(matrix).im().flatten()), new double[] {0, a, 0, b}, 1e-14, "rfft2");
    close(values(Fft.irfft2(Fft.rfft2(matrix), 3)), values(matrix), 1e-14, "irfft2");
    close(values(Fft.ifft2(Fft.fft2(matrix)).re()), values(matrix), 1e-14, "ifft2");
    close(values(Fft.ifftn(Fft.fftn(matrix)).re()), values(matrix), 1e-14, "ifftn");
  }

  @Test
  void frequenciesAndShifts() {
    assertThat(values(Fft.fftfreq(F64, 5, 0.5))).containsExactly(0, 0.4, 0.8, -0.8, -0.4);
    close(
        values(Fft.fftfreq(F64, 6, 0.5)),
        new double[] {0, 1 / 3., 2 / 3., -1, -2 / 3., -1 / 3.},
        1e-15,
        "even");
    assertThat(values(Fft.rfftfreq(F64, 5, 0.5))).containsExactly(0, 0.4, 0.8);
    Tensor<F64> x = CTX.arange(F64, 5);
    assertThat(values(Fft.fftshift(x))).containsExactly(3, 4, 0, 1, 2);
    assertThat(values(Fft.ifftshift(x))).containsExactly(2, 3, 4, 0, 1);
    assertThat(values(Fft.fftshift(Complex.of(x, x)).im())).containsExactly(3, 4, 0, 1, 2);
    assertThat(values(Fft.ifftshift(Complex.of(x, x)).im())).containsExactly(2, 3, 4, 0, 1);
    assertThat(Fft.nextFastLength(1009)).isEqualTo(1024);
    assertThat(Fft.nextFastLength(577)).isEqualTo(600);
    assertThat(Fft.nextFastLength(1)).isEqualTo(1);
  }

  @Test
  void errorIsAFewUnitsAgainstDecimalNumbers() {
    for (int n : new int[] {128, 120, 127}) {
      double[] v = random(n, 9);
      double f64 = relativeError(F64, v);
      double f32 = relativeError(F32, v);
      boolean prime = n == 127;
      assertThat(f64).as("f64 %d", n).isLessThan(prime ? 1e-15 : 2.5e-16);
      assertThat(f32).as("f32 %d", n).isLessThan(prime ? 5e-7 : 1.2e-7);
    }
  }

  /** Relative root mean square error of a transform of numbers that F32 holds. */
  private static <T> double relativeError(DType<T> dtype, double[] v) {
    int n = v.length;
    for (int k = 0; k < n; k++) {
      v[k] = (float) v[k];
    }
    Complex<T> y = Fft.fft(tensor(dtype, v));
    double[] re = values(y.re());
    double[] im = values(y.im());
    var precision = new MathContext(40);
    BigDecimal[] cos = new BigDecimal[n];
    BigDecimal[] sin = new BigDecimal[n];
    roots(cos, sin, precision);
    double error = 0;
    double total = 0;
    for (int k = 0; k < n; k++) {
      BigDecimal a = BigDecimal.ZERO;
      BigDecimal b = BigDecimal.ZERO;
      for (int j = 0; j < n; j++) {
        var x = new BigDecimal(v[j]);
        a = a.add(x.multiply(cos[j * k % n], precision), precision);
        b = b.subtract(x.multiply(sin[j * k % n], precision), precision);
      }
      double da = a.subtract(new BigDecimal(re[k])).doubleValue();
      double db = b.subtract(new BigDecimal(im[k])).doubleValue();
      error += da * da + db * db;
      total += a.doubleValue() * a.doubleValue() + b.doubleValue() * b.doubleValue();
    }
    return Math.sqrt(error / total);
  }

  private static void roots(BigDecimal[] cos, BigDecimal[] sin, MathContext precision) {
    int n = cos.length;
    BigDecimal angle =
        new BigDecimal("6.283185307179586476925286766559005768394338798750")
            .divide(BigDecimal.valueOf(n), precision);
    BigDecimal c = BigDecimal.ZERO;
    BigDecimal s = BigDecimal.ZERO;
    BigDecimal term = BigDecimal.ONE;
    for (int k = 0; k < 40; k++) {
      BigDecimal signed = k / 2 % 2 == 0 ? term : term.negate();
      c = k % 2 == 0 ? c.add(signed) : c;
      s = k % 2 == 0 ? s : s.add(signed);
      term = term.multiply(angle).divide(BigDecimal.valueOf(k + 1L), precision);
    }
    cos[0] = BigDecimal.ONE;
    sin[0] = BigDecimal.ZERO;
    for (int k = 1; k < n; k++) {
      cos[k] = cos[k - 1].multiply(c).subtract(sin[k - 1].multiply(s)).round(precision);
      sin[k] = cos[k - 1].multiply(s).add(sin[k - 1].multiply(c)).round(precision);
    }
  }

  @Test
  void complexArithmetic() {
    Tensor<F64> ones = CTX.ones(F64, 2);
    var a = Complex.of(CTX.tensor(new double[] {1, -3}), CTX.tensor(new double[] {2, 0.5}));
    var b = Complex.of(CTX.tensor(new double[] {-2, 4}), CTX.tensor(new double[] {0.5, 1}));
    same(a.plus(b), -1, 1, 2.5, 1.5);
    same(a.minus(b), 3, -7, 1.5, -0.5);
    same(a.times(b), -3, -12.5, -3.5, -1);
    same(a.div(b).times(b), 1, -3, 2, 0.5);
    same(a.neg(), -1, 3, -2, -0.5);
    same(a.conj(), 1, -3, -2, -0.5);
    same(a.plus(1), 2, -2, 2, 0.5);
    same(a.minus(ones), 0, -4, 2, 0.5);
    same(a.plus(ones), 2, -2, 2, 0.5);
    same(a.minus(1), 0, -4, 2, 0.5);
    same(a.times(2), 2, -6, 4, 1);
    same(a.div(2), 0.5, -1.5, 1, 0.25);
    same(a.times(ones), 1, -3, 2, 0.5);
    same(a.div(ones), 1, -3, 2, 0.5);
    same(Complex.polar(a.abs(), a.angle()), 1, -3, 2, 0.5);
    same(
        a.exp(),
        Math.E * Math.cos(2),
        Math.exp(-3) * Math.cos(.5),
        Math.E * Math.sin(2),
        Math.exp(-3) * Math.sin(.5));
    close(values(a.abs2()), new double[] {5, 9.25}, 1e-15, "abs2");
    same(
        a.slice(from(0, 1))
            .reshape(1, 2)
            .squeeze(0)
            .unsqueeze(0)
            .t()
            .permute(1, 0)
            .expand(1, 2)
            .reshape(2),
        1,
        -3,
        2,
        0.5);
    assertThat(values(a.interleaved().flatten())).containsExactly(1, 2, -3, 0.5);
    assertThat(a.toString()).isEqualTo("complex f64[2]");
    assertThat(a.cast(F32).dtype()).isEqualTo(F32);
    var large = Complex.of(fill(F64, 1e300, 2), fill(F64, -1e300, 2));
    close(
        values(large.abs()),
        new double[] {Math.sqrt(2e300) * 1e150, Math.sqrt(2) * 1e300},
        1e-15,
        "abs");
    same(large.div(large), 1, 1, 0, 0);
    var small = Complex.of(fill(F64, 1e-300, 2), fill(F64, 1e-300, 2));
    same(small.div(small), 1, 1, 0, 0);
  }

  private static void same(Complex<F64> z, double re0, double re1, double im0, double im1) {
    close(values(z.re()), new double[] {re0, re1}, 1e-15, "re");
    double[] im = values(z.im());
    assertThat(im[0]).isCloseTo(im0, within(1e-15));
    assertThat(im[1]).isCloseTo(im1, within(1e-15));
  }

  @Test
  void oneTransformForAllReaders() {
    Tensor<F32> x = CTX.ones(F32, 4, 30);
    // With a library: pairs, transform, planes, reader. Elsewhere: roots, both halves of the
    // operand, radix 5 and 3, reader.
    List<Integer> counts = TestDevice.kernelCounts(2, 4, 5);
    assertThat(CTX.explain(Fft.rfft(x).abs2()).kernelCount()).isIn(counts);
    assertThat(CTX.explain(Fft.fft(Complex.of(x, x)).abs()).kernelCount()).isIn(counts);
    if (TestDevice.isCpu()) {
      // Both transforms and the product, without copies.
      var product = Fft.irfft(Fft.rfft(x).times(2));
      assertThat(CTX.explain(product).kernelCount()).isEqualTo(3);
      assertThat(CTX.explain(Fft.fft2(x).abs2()).kernelCount()).isEqualTo(3);
    }
  }

  @Test
  void partsAreWrittenToTwoTensors() {
    Tensor<F64> x = CTX.eval(Ops.uniform(F64, 1, 6, 30));
    Tensor<F64> y = CTX.eval(Ops.uniform(F64, 2, 6, 30));
    for (int axis = 0; axis < 2; axis++) {
      Complex<F64> forward = Fft.fft(Complex.of(x, y), -1, axis);
      Complex<F64> back = Fft.ifft(Complex.of(x, y), -1, axis);
      for (Complex<F64> z : List.of(forward, back)) {
        double[] re = values(z.re());
        double[] im = values(z.im());
        Tensor<F64> both = CTX.zeros(F64, 4, 6, 30);
        CTX.assignAll(
            Pair.of(both.slice(Slice.at(0)), z.re()), Pair.of(both.slice(Slice.at(1)), z.im()));
        // The other order, and targets of other strides.
        CTX.assignAll(
            Pair.of(both.slice(Slice.at(2)), z.im()), Pair.of(both.slice(Slice.at(3)), z.re()));
        assertThat(values(both.slice(Slice.at(0)))).containsExactly(re);
        assertThat(values(both.slice(Slice.at(1)))).containsExactly(im);
        assertThat(values(both.slice(Slice.at(2)))).containsExactly(im);
        assertThat(values(both.slice(Slice.at(3)))).containsExactly(re);
        Tensor<F64> wide = CTX.zeros(F64, 6, 60);
        Tensor<F64> tall = CTX.zeros(F64, 30, 6);
        CTX.assignAll(
            Pair.of(wide.slice(Slice.all(), Slice.from(0, 2)), z.re()), Pair.of(tall.t(), z.im()));
        assertThat(values(wide.slice(Slice.all(), Slice.from(0, 2)))).containsExactly(re);
        assertThat(values(tall.t())).containsExactly(im);
        // Operands are targets, of the other part too.
        Tensor<F64> a = CTX.eval(x);
        Tensor<F64> b = CTX.eval(y);
        Complex<F64> c =
            z == forward
                ? Fft.fft(Complex.of(a, b), -1, axis)
                : Fft.ifft(Complex.of(a, b), -1, axis);
        CTX.assignAll(Pair.of(b, c.re()), Pair.of(a, c.im()));
        assertThat(values(b)).containsExactly(re);
        assertThat(values(a)).containsExactly(im);
      }
    }
  }

  @Test
  void partsAreWrittenByTheTransform() {
    Tensor<F32> x = CTX.ones(F32, 4, 30);
    Tensor<F32> re = CTX.zeros(F32, 4, 30);
    Tensor<F32> im = CTX.zeros(F32, 4, 30);
    Complex<F32> z = Fft.fft(Complex.of(x, x));
    // With a library: pairs, transform, planes. Elsewhere: roots, radix 2, 5 and 3.
    var program = CTX.record(() -> CTX.assignAll(Pair.of(re, z.re()), Pair.of(im, z.im())));
    assertThat(program.kernelCount()).isIn(TestDevice.kernelCounts(1, 3, 4));
  }

  @Test
  void gradientsOfBothOrders() {
    for (int n : TestDevice.isCpu() ? new int[] {6, 7, 16, 17} : new int[] {6}) {
      Tensor<F64> x = CTX.tensor(random(2 * n, 1), 2, n);
      Tensor<F64> z = CTX.tensor(random(2 * n, 2), 2, n);
      gradient(x, v -> power(Fft.fft(Complex.of(v, z.plus(v.times(v))))), n);
      gradient(x, v -> power(Fft.ifft(Complex.of(v, z), -1, 0)), n);
      gradient(x, v -> power(Fft.rfft(v)), n);
      gradient(x, v -> Fft.irfft(Complex.of(v, z.times(v)), 2 * n - 2).pow(3), n);
      gradient(x, v -> Fft.irfft(Complex.of(v, v.times(z)), 2 * n - 1).pow(3), n);
      gradient(x, v -> Fft.fft2(v).abs2().pow(2), n);
    }
  }

  private static Expr<F64> power(Complex<F64> z) {
    Expr<F64> p = z.abs2();
    return p.times(coordinate(p.shape(), 1).cast(F64).plus(1)).times(z.re());
  }

  private static void gradient(
      Tensor<F64> x, java.util.function.UnaryOperator<Expr<F64>> f, int n) {
    Tensor<F64> d = CTX.tensor(random(2 * n, 7), 2, n);
    Expr<F64> y = sum(f.apply(x));
    Expr<F64> g = sum(Ops.gradient(y, x).times(d));
    double h = 1e-5;
    close(values(g), difference(v -> sum(f.apply(v)), x, d, h), 1e-7, "n = " + n);
    Expr<F64> twice = sum(Ops.gradient(g, x).times(d));
    close(
        values(twice),
        difference(v -> sum(derivative(f, v, d)), x, d, h),
        1e-6,
        "second, n = " + n);
  }

  private static Expr<F64> derivative(
      java.util.function.UnaryOperator<Expr<F64>> f, Expr<F64> at, Expr<F64> d) {
    Tensor<F64> x = CTX.eval(at);
    return Ops.gradient(sum(f.apply(x)), x).times(d);
  }

  private static double[] difference(
      java.util.function.UnaryOperator<Expr<F64>> f, Tensor<F64> x, Tensor<F64> d, double h) {
    double above = values(f.apply(CTX.eval(x.plus(d.times(h)))))[0];
    double below = values(f.apply(CTX.eval(x.minus(d.times(h)))))[0];
    return new double[] {(above - below) / (2 * h)};
  }

  @Test
  void messages() {
    Tensor<F64> x = CTX.ones(F64, 2, 3);
    refused(
        () -> Fft.fft(CTX.zeros(F64, 0)),
        "[fft] there must be at least one point; got n = 0 for axis 0 of f64[0].");
    refused(
        () -> Fft.irfft(Complex.of(CTX.zeros(F64, 1))),
        "[irfft] there must be at least one point; got n = 0 for axis 0 of f64[1].");
    refused(
        () -> Fft.rfft(CTX.ones(I32, 4)),
        "[rfft] elements must be f32 or f64; got i32[4]; cast them.");
    refused(() -> Fft.fft(x, -1, 2), "[fft] axis must lie in [-2, 2); got axis 2 for shape [2,3]");
    refused(
        () -> Complex.of(x, CTX.ones(F64, 4)),
        "[complex] shapes must broadcast; got a f64[2,3], b f64[4]; last axis: 3 vs 4. Reshape one"
            + " of them.");
  }

  private static void refused(Runnable body, String message) {
    assertThatThrownBy(body::run).isInstanceOf(ShapeException.class).hasMessage(message);
  }
}
