package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.CholeskyDecomposition;
import org.apache.commons.math3.linear.EigenDecomposition;
import org.apache.commons.math3.linear.LUDecomposition;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.math3.linear.SingularValueDecomposition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.linalg.Eig;
import ristretto.expr.linalg.Eigh;
import ristretto.expr.linalg.Linalg;
import ristretto.expr.linalg.Lu;
import ristretto.expr.linalg.Qr;
import ristretto.expr.linalg.Svd;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;

/** Linear algebra: residuals of batches in both precisions, and Commons Math as the oracle. */
class LinalgTest {
  private static final Context CTX = TestDevice.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** Matrices of a dtype: the last two of the dims are rows and columns. */
  private record Case(DType<?> dtype, long... dims) {
    long rows() {
      return dims[dims.length - 2];
    }

    long columns() {
      return dims[dims.length - 1];
    }

    /** Tolerance of a residual of elements near 1. */
    double tolerance() {
      double size = Math.max(4, Math.max(rows(), columns()));
      return (dtype == F32 ? 2e-6 : 4e-15) * size * Math.sqrt(size);
    }

    @Override
    public String toString() {
      return dtype + Arrays.toString(dims);
    }
  }

  private static List<Case> cases(long[]... shapes) {
    var all = new ArrayList<Case>();
    for (long[] shape : shapes) {
      all.add(new Case(F64, shape));
      all.add(new Case(F32, shape));
    }
    return all;
  }

  private static long[] s(long... dims) {
    return dims;
  }

  static Stream<Case> squares() {
    return cases(
        s(0, 0),
        s(1, 1),
        s(2, 2),
        s(3, 3),
        s(7, 7),
        s(16, 16),
        s(17, 17),
        s(67, 67),
        s(130, 130),
        s(0, 3, 3),
        s(5, 3, 3),
        s(2, 3, 8, 8),
        s(70, 9, 9),
        s(2, 0, 0))
        .stream();
  }

  static Stream<Case> rectangles() {
    return cases(
        s(0, 0),
        s(3, 0),
        s(0, 3),
        s(1, 1),
        s(1, 5),
        s(5, 1),
        s(3, 3),
        s(7, 4),
        s(4, 7),
        s(33, 17),
        s(17, 33),
        s(100, 101),
        s(5, 6, 3),
        s(2, 3, 3, 8),
        s(0, 4, 3),
        s(2, 4, 0))
        .stream();
  }

  private static <T> Tensor<T> numbers(DType<T> dtype, long seed, long... dims) {
    return CTX.eval(uniform(dtype, seed, dims).minus(0.5).times(2));
  }

  /** Matrices that are far from singular. */
  private static <T> Tensor<T> regular(DType<T> dtype, long... dims) {
    long n = dims[dims.length - 1];
    return CTX.eval(numbers(dtype, 3, dims).plus(identity(dtype, n).times(n + 1)));
  }

  private static <T> Tensor<T> positive(DType<T> dtype, long... dims) {
    Tensor<T> x = numbers(dtype, 5, dims);
    long n = dims[dims.length - 1];
    Expr<T> square = dot(x, t(x)).plus(identity(dtype, n));
    // Some of OpenBLAS' kernels round (i, j) and (j, i) of x x^T differently; the sum is symmetric.
    return CTX.eval(square.plus(t(square)).times(0.5));
  }

  private static <T> Expr<T> identity(DType<T> dtype, long n) {
    return coordinate(Shape.of(n, n), 0).eq(coordinate(Shape.of(n, n), 1)).cast(dtype);
  }

  private static <T> Expr<T> t(Expr<T> a) {
    return a.swapAxes(-1, -2);
  }

  private static double[] values(Expr<?> e) {
    return CTX.eval(e.cast(F64)).toDoubleArray();
  }

  /** Checks that all elements of an expression are close to those of another. */
  private static <T> void close(String what, Case c, Expr<T> e, Expr<T> expected) {
    assertThat(e.shape()).as(what).isEqualTo(Shape.broadcast(e.shape(), expected.shape()));
    double[] errors = values(e.minus(expected));
    double scale = 1;
    for (double v : values(expected)) {
      scale = Math.max(scale, Math.abs(v));
    }
    for (double error : errors) {
      assertThat(error).as(what).isCloseTo(0, within(c.tolerance() * scale));
    }
  }

  private static long[] with(long[] dims, int axis, long extent) {
    long[] changed = dims.clone();
    changed[changed.length + axis] = extent;
    return changed;
  }

  @ParameterizedTest
  @MethodSource("squares")
  void solutions(Case c) {
    solutions(c, c.dtype);
  }

  private static <T> void solutions(Case c, DType<T> dtype) {
    Tensor<T> a = regular(dtype, c.dims);
    for (long k : new long[] {0, 1, 5}) {
      Tensor<T> b = numbers(dtype, 9, with(c.dims, -1, k));
      Expr<T> x = Linalg.solve(a, b);
      assertThat(x.shape()).isEqualTo(b.shape());
      close("a x", c, dot(a, x), b);
      close("lower", c, dot(tril(a), Linalg.triangularSolve(a, b, true)), b);
      close("upper", c, dot(triu(a), Linalg.triangularSolve(a, b, false)), b);
      Expr<T> transposed = Linalg.triangularSolve(a, b, true, true, false);
      close("transposed", c, dot(t(tril(a)), transposed), b);
      Expr<T> small = a.div(c.columns() + 2);
      Expr<T> unit = tril(small, -1).plus(identity(dtype, c.columns()));
      close("unit", c, dot(unit, Linalg.triangularSolve(small, b, true, false, true)), b);
    }
    Expr<T> one = identity(dtype, c.columns());
    close("inverse", c, dot(Linalg.inv(a), a), one.expand(c.dims));
    Tensor<T> vector = numbers(dtype, 4, c.columns());
    Expr<T> x = Linalg.solve(a, vector);
    assertThat(x.shape()).isEqualTo(Shape.of(Arrays.copyOf(c.dims, c.dims.length - 1)));
    close("vector", c, sum(a.times(x.unsqueeze(-2)), -1), vector.expand(x.shape().toArray()));
    // Rows in reverse order, and a transpose, are read as they are.
    close("views", c, dot(t(a.flip(-1)), Linalg.solve(t(a.flip(-1)), a)), a);
  }

  @ParameterizedTest
  @MethodSource("squares")
  void factors(Case c) {
    factors(c, c.dtype);
  }

  private static <T> void factors(Case c, DType<T> dtype) {
    Tensor<T> a = positive(dtype, c.dims);
    Expr<T> l = Linalg.cholesky(a);
    close("l", c, dot(l, t(l)), a);
    close("triangle", c, tril(l), l);
    close("lower triangle alone", c, Linalg.cholesky(tril(a)), l);
    Eigh<T> eigh = Linalg.eigh(tril(a));
    Expr<T> v = eigh.vectors();
    close("eigh", c, dot(v.times(eigh.values().unsqueeze(-2)), t(v)), a);
    close("vectors", c, dot(t(v), v), identity(dtype, c.columns()).expand(c.dims));
    close("values", c, Linalg.eigvalsh(a), eigh.values());
    close("order", c, sort(eigh.values(), -1), eigh.values());
  }

  @ParameterizedTest
  @MethodSource("rectangles")
  void decompositions(Case c) {
    decompositions(c, c.dtype);
  }

  private static <T> void decompositions(Case c, DType<T> dtype) {
    Tensor<T> a = numbers(dtype, 11, c.dims);
    long m = c.rows();
    long n = c.columns();
    long k = Math.min(m, n);
    Lu<T> lu = Linalg.lu(a);
    assertThat(lu.l().shape()).isEqualTo(Shape.of(with(c.dims, -1, k)));
    close("lu", c, dot(lu.p(), dot(lu.l(), lu.u())), a);
    close("l", c, tril(lu.l()), lu.l());
    close("u", c, triu(lu.u()), lu.u());
    close("p", c, dot(lu.p(), t(lu.p())), identity(dtype, m).expand(with(c.dims, -1, m)));
    for (boolean full : new boolean[] {false, true}) {
      Qr<T> qr = Linalg.qr(a, full);
      long p = full ? m : k;
      assertThat(qr.q().shape()).isEqualTo(Shape.of(with(c.dims, -1, p)));
      close("qr", c, dot(qr.q(), qr.r()), a);
      Expr<T> one = identity(dtype, p).expand(with(with(c.dims, -1, p), -2, p));
      close("q", c, dot(t(qr.q()), qr.q()), one);
      close("r", c, triu(qr.r()), qr.r());
      Svd<T> svd = Linalg.svd(a, full);
      assertThat(svd.u().shape()).isEqualTo(Shape.of(with(c.dims, -1, p)));
      assertThat(svd.vt().shape()).isEqualTo(Shape.of(with(c.dims, -2, full ? n : k)));
      close("u", c, dot(t(svd.u()), svd.u()), one);
      long q = full ? n : k;
      Expr<T> oneV = identity(dtype, q).expand(with(with(c.dims, -1, q), -2, q));
      close("vt", c, dot(svd.vt(), t(svd.vt())), oneV);
      Expr<T> middle =
          pad(
              identity(dtype, k).times(svd.s().unsqueeze(-2)),
              padding(c.dims.length, p - k, q - k));
      close("svd", c, dot(svd.u(), dot(middle, svd.vt())), a);
      close("s", c, Linalg.svdvals(a), svd.s());
    }
    Expr<T> pinv = Linalg.pinv(a);
    close("pinv", c, dot(a, dot(pinv, a)), a);
    Tensor<T> b = numbers(dtype, 12, with(c.dims, -1, 3));
    close("lstsq", c, Linalg.lstsq(a, b), dot(pinv, b));
  }

  private static long[] padding(int rank, long rows, long columns) {
    long[] all = new long[2 * rank];
    all[all.length - 3] = rows;
    all[all.length - 1] = columns;
    return all;
  }

  private static RealMatrix oracle(Tensor<F64> a) {
    int n = (int) a.shape().dim(1);
    double[] all = a.toDoubleArray();
    double[][] rows = new double[(int) a.shape().dim(0)][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = Arrays.copyOfRange(all, i * n, (i + 1) * n);
    }
    return new Array2DRowRealMatrix(rows);
  }

  private static double[] flat(RealMatrix m) {
    return Arrays.stream(m.getData()).flatMapToDouble(Arrays::stream).toArray();
  }

  @Test
  void agreesWithCommonsMath() {
    for (int n : new int[] {1, 2, 5, 13, 31}) {
      Tensor<F64> a = numbers(F64, n, n, n);
      RealMatrix m = oracle(a);
      var lu = new LUDecomposition(m);
      same(Linalg.det(a), 1e-9, lu.getDeterminant());
      same(Linalg.slogdet(a).sign(), 0, Math.signum(lu.getDeterminant()));
      same(Linalg.slogdet(a).logAbsDet(), 1e-9, Math.log(Math.abs(lu.getDeterminant())));
      same(Linalg.inv(a), 1e-8, flat(lu.getSolver().getInverse()));
      var svd = new SingularValueDecomposition(m);
      same(Linalg.svdvals(a), 1e-11, svd.getSingularValues());
      same(Linalg.cond(a), 1e-9, svd.getConditionNumber());
      same(Linalg.norm(a, 2), 1e-11, svd.getNorm());
      Tensor<F64> p = positive(F64, n, n);
      same(Linalg.cholesky(p), 1e-10, flat(new CholeskyDecomposition(oracle(p)).getL()));
      double[] eigen = new EigenDecomposition(oracle(p)).getRealEigenvalues();
      Arrays.sort(eigen);
      same(Linalg.eigvalsh(p), 1e-10, eigen);
      Eig<F64> eig = Linalg.eig(a);
      double[] re = new EigenDecomposition(m).getRealEigenvalues();
      double[] ours = values(eig.values().re());
      Arrays.sort(re);
      Arrays.sort(ours);
      assertThat(ours).containsExactly(re, within(1e-9));
    }
  }

  private static void same(Expr<?> e, double tolerance, double... expected) {
    double[] actual = values(e);
    assertThat(actual).hasSameSizeAs(expected);
    for (int k = 0; k < actual.length; k++) {
      if (actual[k] != expected[k]) {
        double within = tolerance * Math.max(1, Math.abs(expected[k]));
        assertThat(actual[k]).isCloseTo(expected[k], within(within));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("squares")
  void complexEigenvectors(Case c) {
    complexEigenvectors(c, c.dtype);
  }

  private static <T> void complexEigenvectors(Case c, DType<T> dtype) {
    Tensor<T> a = numbers(dtype, 7, c.dims);
    Eig<T> eig = Linalg.eig(a);
    Expr<T> re = eig.vectors().re();
    Expr<T> im = eig.vectors().im();
    Expr<T> wr = eig.values().re().unsqueeze(-2);
    Expr<T> wi = eig.values().im().unsqueeze(-2);
    close("real part", c, dot(a, re), re.times(wr).minus(im.times(wi)));
    close("imaginary part", c, dot(a, im), re.times(wi).plus(im.times(wr)));
    Expr<T> lengths = sum(re.times(re).plus(im.times(im)), -2);
    close("lengths", c, lengths, fill(dtype, 1, lengths.shape().toArray()));
  }

  @Test
  void batchesBroadcast() {
    Tensor<F64> a = regular(F64, 2, 1, 4, 4);
    Tensor<F64> b = numbers(F64, 2, 3, 4, 2);
    Expr<F64> x = Linalg.solve(a, b);
    assertThat(x.shape()).isEqualTo(Shape.of(2, 3, 4, 2));
    var c = new Case(F64, 4, 4);
    close("x", c, dot(a, x), b.expand(2, 3, 4, 2));
    Tensor<F64> one = regular(F64, 4, 4);
    close("one matrix", c, dot(one, Linalg.solve(one, b)), b);
    assertThat(Linalg.solve(one, numbers(F64, 2, 0, 4, 2)).shape()).isEqualTo(Shape.of(0, 4, 2));
    Expr<F64> y = Linalg.triangularSolve(one, numbers(F64, 2, 3, 4, 2), false);
    assertThat(y.shape()).isEqualTo(Shape.of(3, 4, 2));
    close("triangular", c, dot(triu(one), y), numbers(F64, 2, 3, 4, 2));
    Tensor<F64> wide = numbers(F64, 3, 2, 1, 5, 4);
    Tensor<F64> right = numbers(F64, 4, 3, 5, 2);
    close("lstsq", c, Linalg.lstsq(wide, right), dot(Linalg.pinv(wide), right));
  }

  @Test
  void smallResults() {
    Tensor<F64> empty = CTX.empty(F64, 0, 0);
    same(Linalg.det(empty), 0, 1);
    same(Linalg.slogdet(empty).sign(), 0, 1);
    same(Linalg.slogdet(empty).logAbsDet(), 0, 0);
    same(Linalg.matrixRank(CTX.empty(F64, 3, 0)), 0, 0);
    Tensor<F64> singular = CTX.tensor(new double[] {1, 2, 2, 4}, 2, 2);
    same(Linalg.det(singular), 0, 0);
    same(Linalg.slogdet(singular).sign(), 0, 0);
    same(Linalg.slogdet(singular).logAbsDet(), 0, Double.NEGATIVE_INFINITY);
    same(Linalg.matrixRank(singular), 0, 1);
    same(Linalg.matrixRank(singular, 10), 0, 0);
    same(Linalg.pinv(singular), 1e-15, 0.04, 0.08, 0.08, 0.16);
    same(Linalg.lstsq(singular, CTX.tensor(new double[] {1, 2}, 2)), 1e-15, 0.2, 0.4);
    assertThat(Linalg.matrixRank(singular).dtype()).isEqualTo((DType<I64>) I64);
    Tensor<F32> a = CTX.tensor(new float[][] {{2, 1}, {1, 3}});
    assertThat(CTX.eval(Linalg.solve(a, CTX.tensor(new float[] {3, 5}))).toFloatArray())
        .containsExactly(new float[] {0.8f, 1.4f}, within(1e-6f));
  }

  @Test
  void norms() {
    // values of NumPy 2
    Tensor<F64> a = CTX.tensor(new double[] {3, -4, 1, 0, 2, -1}, 2, 3);
    Tensor<F64> v = CTX.tensor(new double[] {3, -4, 0}, 3);
    same(Linalg.norm(a), 1e-15, Math.sqrt(31));
    same(Linalg.norm(a, "fro"), 1e-15, Math.sqrt(31));
    same(Linalg.norm(a, "nuc"), 1e-14, 6.708203932499369);
    same(Linalg.norm(a, 1), 0, 6);
    same(Linalg.norm(a, -1), 0, 2);
    same(Linalg.norm(a, Double.POSITIVE_INFINITY), 0, 8);
    same(Linalg.norm(a, Double.NEGATIVE_INFINITY), 0, 3);
    same(Linalg.norm(a, 2), 1e-14, 5.4156547790585154);
    same(Linalg.norm(a, -2), 1e-14, 1.2925491534408544);
    same(Linalg.norm(v), 1e-15, 5);
    same(Linalg.norm(v, 1), 0, 7);
    same(Linalg.norm(v, 0), 0, 2);
    same(Linalg.norm(v, 3), 1e-14, Math.cbrt(91));
    same(Linalg.norm(v, Double.POSITIVE_INFINITY), 0, 4);
    same(Linalg.norm(v, Double.NEGATIVE_INFINITY), 0, 0);
    same(Linalg.norm(a, 2, 0), 1e-15, 3, Math.sqrt(20), Math.sqrt(2));
    same(Linalg.norm(a, 1, 1), 0, 8, 3);
    same(Linalg.norm(a, 1, 1, 0), 0, 8);
    Tensor<F64> batch = numbers(F64, 3, 4, 2, 3);
    assertThat(Linalg.norm(batch, 2, 0, 2).shape()).isEqualTo(Shape.of(2));
    same(Linalg.cond(CTX.tensor(new double[] {2, 0, 0, 8}, 2, 2), 1), 0, 4);
    same(Linalg.cond(CTX.tensor(new double[] {2, 0, 0, 8}, 2, 2), -2), 1e-15, 0.25);
  }

  @Test
  void functions() {
    Tensor<F64> a = CTX.tensor(new double[] {0, 1, -1, 0}, 2, 2);
    for (double scale : new double[] {0, 1e-3, 0.2, 0.9, 2, 5, 30}) {
      double sin = Math.sin(scale);
      double cos = Math.cos(scale);
      same(Linalg.expm(a.times(scale)), 1e-13, cos, sin, -sin, cos);
      same(Linalg.expm(a.times(scale).cast(F32)), 3e-6, cos, sin, -sin, cos);
    }
    Tensor<F64> diagonal = CTX.tensor(new double[] {-700, 0, 0, 3}, 2, 2);
    same(Linalg.expm(diagonal), 1e-12, Math.exp(-700), 0, 0, Math.exp(3));
    same(Linalg.expm(CTX.empty(F64, 0, 0)), 0);
    Tensor<F64> b = CTX.tensor(new double[] {1, 1, 0, 1}, 2, 2);
    same(Linalg.matrixPower(b, 10), 0, 1, 10, 0, 1);
    same(Linalg.matrixPower(b, -3), 1e-15, 1, -3, 0, 1);
    same(Linalg.matrixPower(b, 0), 0, 1, 0, 0, 1);
    Tensor<F64> row = CTX.tensor(new double[] {1, 2}, 2);
    same(Linalg.kron(b, row), 0, 1, 2, 1, 2, 0, 0, 1, 2);
    same(Linalg.kron(row, row), 0, 1, 2, 2, 4);
    assertThat(Linalg.kron(b, row).shape()).isEqualTo(Shape.of(2, 4));
    Tensor<F64> many = numbers(F64, 8, 3, 20, 20);
    close(
        "sum",
        new Case(F64, 20, 20),
        dot(Linalg.expm(many), Linalg.expm(many.neg())),
        identity(F64, 20).expand(3, 20, 20));
  }

  @Test
  void nanGivesNan() {
    for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
      Tensor<F64> a = CTX.tensor(new double[] {1, 0, 0, 1, 1, 0, bad, 2}, 2, 2, 2);
      Svd<F64> svd = Linalg.svd(a);
      Qr<F64> qr = Linalg.qr(a);
      Lu<F64> lu = Linalg.lu(a);
      Eigh<F64> eigh = Linalg.eigh(a);
      Eig<F64> eig = Linalg.eig(a);
      Tensor<F64> b = CTX.ones(F64, 2, 1);
      for (Expr<F64> e :
          List.of(
              Linalg.solve(a, b),
              Linalg.inv(a),
              Linalg.det(a).unsqueeze(1),
              Linalg.cholesky(a),
              svd.u(),
              svd.s(),
              svd.vt(),
              qr.q(),
              qr.r(),
              lu.l(),
              lu.u(),
              eigh.values(),
              eigh.vectors(),
              eig.values().re(),
              Linalg.pinv(a),
              Linalg.lstsq(a, b),
              Linalg.expm(a),
              Linalg.svdvals(a),
              Linalg.eigvalsh(a),
              Linalg.slogdet(a).logAbsDet().unsqueeze(1))) {
        double[] all = values(e.reshape(2, -1));
        for (int k = 0; k < all.length; k++) {
          assertThat(Double.isNaN(all[k])).isEqualTo(k >= all.length / 2);
        }
      }
    }
  }

  @Test
  void resultsOfOneFactorizationShareIt() {
    Tensor<F64> a = numbers(F64, 1, 6, 4);
    Qr<F64> qr = Linalg.qr(a);
    String plan = CTX.explain(dot(qr.q(), qr.r())).toString();
    assertThat(plan.lines().filter(l -> l.contains("host: qr"))).hasSize(1);
    Svd<F64> svd = Linalg.svd(a);
    String both = CTX.explain(dot(svd.u().times(svd.s().unsqueeze(0)), svd.vt())).toString();
    assertThat(both.lines().filter(l -> l.contains("host: svd"))).hasSize(1);
    if (TestDevice.isCpu()) {
      // One kernel copies the result out of the packed results.
      assertThat(CTX.explain(qr.q()).kernelCount()).isEqualTo(1);
      assertThat(CTX.explain(Linalg.cholesky(dot(a, a.t()))).kernelCount()).isEqualTo(1);
      assertThat(CTX.explain(Linalg.inv(a.slice(range(0, 4)))).kernelCount()).isZero();
    }
  }

  @Test
  void repeatedAssignmentsReadNewValues() {
    Tensor<F64> x = CTX.empty(F64, 3, 1);
    for (int k = 1; k < 5; k++) {
      Tensor<F64> a = CTX.eval(identity(F64, 3).times(k));
      Tensor<F64> b = CTX.ones(F64, 3, 1);
      CTX.assign(x, Linalg.solve(a, b.times(k)).plus(k));
      assertThat(x.toDoubleArray()).containsExactly(1 + k, 1 + k, 1 + k);
      Expr<F64> chain = Linalg.inv(Linalg.cholesky(Linalg.inv(a.plus(0))));
      assertThat(values(sum(chain))[0]).isCloseTo(3 * Math.sqrt(k), within(1e-12));
    }
    Tensor<F64> a = CTX.eval(identity(F64, 3).times(2));
    Tensor<F64> y = CTX.zeros(F64, 3, 3);
    Program program = CTX.record(() -> CTX.assign(y, Linalg.inv(a).plus(y)));
    CTX.assign(a, a.times(2));
    program.run();
    assertThat(values(trace(y))[0]).isEqualTo(3 * (0.5 + 0.25));
    // The target overlaps the operand, and is a transpose.
    CTX.assign(a, Linalg.inv(a));
    CTX.assign(a.t(), Linalg.inv(a));
    assertThat(values(trace(a))[0]).isEqualTo(12);
  }

  @Test
  void keptPlansHoldNoTensors() throws InterruptedException {
    var operand = new WeakReference<>(inverted());
    for (int k = 0; k < 100 && operand.get() != null; k++) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(operand.get()).isNull();
  }

  private static Tensor<F64> inverted() {
    Tensor<F64> a = regular(F64, 3, 3);
    CTX.eval(Linalg.inv(a));
    return a;
  }
}
