package ristretto.expr.linalg;

import static ristretto.expr.linalg.Matrices.identity;
import static ristretto.expr.linalg.Matrices.part;
import static ristretto.expr.linalg.Matrices.transposed;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import ristretto.expr.Assignment;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.Solvers;
import ristretto.kernels.device.Solvers.Numbers;

/**
 * Plans a routine as calls of the device's library between element-wise kernels, which transpose
 * matrices and clear triangles. Elements that are not finite are replaced before a call, and the
 * results of such a matrix by NaN after it.
 */
final class OnDevice<T> {
  private final String op;
  private final Routine routine;
  private final Shape batch;
  private final List<Expr<T>> operands;
  private final Assignment assignment;
  private final DType<T> dtype;

  @SuppressWarnings("unchecked") // operands of the operator's dtype
  OnDevice(String op, Routine routine, Shape batch, List<Expr<?>> operands, Assignment assignment) {
    this.op = op;
    this.routine = routine;
    this.batch = batch;
    this.operands = operands.stream().map(e -> (Expr<T>) e).toList();
    this.assignment = assignment;
    this.dtype = this.operands.get(0).dtype();
  }

  /** Returns true if the library of the device computes a routine, and is worth its calls. */
  static boolean takes(Assignment assignment, Routine routine, Shape batch) {
    long extent = leastExtent(routine);
    return extent > 0
        && batch.size() > 0
        && assignment.solvers().filter(s -> s.pays(extent)).isPresent();
  }

  /** Smallest extent of the matrices; 0 for routines that the library does not have. */
  private static long leastExtent(Routine routine) {
    return switch (routine) {
      case FactorRoutines.Cholesky(int n) -> n;
      case CholeskyGradient(int n) -> n;
      case FactorRoutines.Triangular(int n, int k, _, _, _) -> k == 0 ? 0 : n;
      case FactorRoutines.LeastSquares(int m, int n, int k, _) -> k == 0 ? 0 : Math.min(m, n);
      case FactorRoutines.PseudoInverse(int m, int n, _) -> Math.min(m, n);
      case FactorRoutines.Qr(int m, int n, _) -> Math.min(m, n);
      case LuRoutines.Solve(int n, int k) -> k == 0 ? 0 : n;
      case LuRoutines.Inverse(int n) -> n;
      case LuRoutines.Det(int n) -> n;
      case LuRoutines.SignLog(int n) -> n;
      case SpectralRoutines.Svd(int m, int n, _) -> Math.min(m, n);
      case SpectralRoutines.SingularValues(int m, int n) -> Math.min(m, n);
      case SpectralRoutines.Symmetric(int n, _) -> n;
      default -> 0;
    };
  }

  void run(Tensor<T> target) {
    Expr<T> a = operands.get(0);
    switch (routine) {
      case FactorRoutines.Cholesky(int n) -> cholesky(target, a, n);
      case CholeskyGradient _ ->
          assignment.assign(target, CholeskyGradient.byProducts(a, operands.get(1)));
      case FactorRoutines.Triangular t -> triangular(target, a, operands.get(1), t);
      case FactorRoutines.LeastSquares l ->
          assignment.assign(target, pseudoInverse(a, l.rcond(), operands.get(1)));
      case FactorRoutines.PseudoInverse p ->
          assignment.assign(target, pseudoInverse(a, p.rcond(), identity(dtype, p.m())));
      case FactorRoutines.Qr(int m, int n, _) -> qr(target, a, m, n);
      case LuRoutines.Solve(int n, int k) -> solve(target, a, operands.get(1), n, k);
      case LuRoutines.Inverse(int n) -> solve(target, a, identity(dtype, n), n, n);
      case LuRoutines.Det(int n) -> determinant(target, a, n, false);
      case LuRoutines.SignLog(int n) -> determinant(target, a, n, true);
      case SpectralRoutines.Svd(int m, int n, boolean full) ->
          svd(target, a, m, n, full ? 'A' : 'S');
      case SpectralRoutines.SingularValues(int m, int n) -> svd(target, a, m, n, 'N');
      case SpectralRoutines.Symmetric(int n, boolean vectors) -> eigh(target, a, n, vectors);
      default -> throw new IllegalStateException(routine.toString());
    }
  }

  private void cholesky(Tensor<T> target, Expr<T> a, int n) {
    Tensor<T> u = cleaned(a, n, n);
    Tensor<T> flags = flags(Ops.tril(a));
    call(
        FactorRoutines.Cholesky::notPositive,
        (s, b, at) -> s.cholesky(b, n, at.get(0)),
        1,
        u,
        flags);
    // Column-major U is row-major L.
    store(target, Ops.tril(u), flags);
  }

  private void qr(Tensor<T> target, Expr<T> a, int m, int n) {
    int p = ((FactorRoutines.Qr) routine).columns();
    Tensor<T> r = cleaned(transposed(a), n, m);
    Tensor<T> q = temporary(p, m);
    Tensor<T> flags = flags(a);
    call(null, (s, b, at) -> s.qr(b, m, n, p, at.get(1), at.get(0)), 2, q, r, flags);
    store(packed(target, 0, m, p), transposed(q), flags);
    Expr<T> upper = Ops.triu(transposed(r));
    store(packed(target, (long) m * p, p, n), Matrices.rows(upper, 0, p), flags);
  }

  private void solve(Tensor<T> target, Expr<T> a, Expr<T> b, int n, int k) {
    Tensor<T> lu = cleaned(a, n, n);
    Tensor<T> x = temporary(k, n);
    assignment.assign(x, transposed(b).expand(x.shape().toArray()));
    Tensor<T> flags = flags(a);
    // Column-major, the memory of A is its transpose.
    call(
        Routine.Failure::singular,
        (s, batch, at) -> s.solveTransposed(batch, n, k, at.get(1), at.get(0)),
        2,
        x,
        lu,
        flags);
    store(target, transposed(x), flags);
  }

  private void triangular(Tensor<T> target, Expr<T> a, Expr<T> b, FactorRoutines.Triangular t) {
    int n = t.n();
    int k = t.k();
    Expr<T> lower = t.lower() ? a : transposed(a);
    Expr<T> triangle = t.unit() ? Ops.tril(lower, -1).plus(identity(dtype, n)) : Ops.tril(lower);
    // Column-major, the lower triangle is the upper one of the transpose.
    Tensor<T> u = cleaned(triangle, n, n);
    Tensor<T> x = temporary(k, n);
    assignment.assign(x, transposed(b).expand(x.shape().toArray()));
    Tensor<I32> pivots = assignment.temporary(I32.INSTANCE, Shape.of(n));
    Expr<I32> numbers = Ops.coordinate(Shape.of(n), 0).plus(1).cast(I32.INSTANCE);
    assignment.assign(pivots, numbers);
    Tensor<I32> info = assignment.temporary(I32.INSTANCE, batch);
    Expr<I32> first = Ops.min(Ops.where(Ops.diagonal(u).eq(0), numbers, n + 1), -1);
    assignment.assign(info, Ops.where(first.le(n), first, 0));
    Tensor<T> flags = flags(triangle);
    boolean isTransposed = t.lower() != t.transposed();
    call(
        Routine.Failure::singular,
        (s, all, at) ->
            s.solveUpper(all, isTransposed, n, k, at.get(1), at.get(2), at.get(3), at.get(0)),
        1,
        x,
        u,
        pivots,
        info,
        flags);
    store(target, transposed(x), flags);
  }

  /** Product of a pseudo-inverse and a matrix. */
  private Expr<T> pseudoInverse(Expr<T> a, double rcond, Expr<T> b) {
    var svd = new Svd<>(a, false);
    double epsilon = dtype == (Object) F64.INSTANCE ? 0x1p-52 : 0x1p-23;
    long most = Math.max(Shapes.rows(a), Shapes.columns(a));
    Expr<T> s = svd.s();
    Expr<T> limit = Ops.max(s, -1).keepDims().times(rcond < 0 ? epsilon * most : rcond);
    // NaN stays NaN.
    Expr<T> inverse = Ops.where(s.le(limit), 0, s.pow(-1));
    Expr<T> right = Matrices.scaleRows(inverse, svd.vt());
    return Ops.dot(transposed(right), Ops.dot(transposed(svd.u()), b));
  }

  private void determinant(Tensor<T> target, Expr<T> a, int n, boolean logarithm) {
    Tensor<T> lu = cleaned(a, n, n);
    Tensor<I32> pivots = assignment.temporary(I32.INSTANCE, Shapes.with(batch, n));
    Tensor<T> flags = flags(a);
    call(null, (s, b, at) -> s.eliminate(b, n, at.get(0), at.get(1)), 2, lu, pivots, flags);
    Expr<BOOL> stays = pivots.eq(Ops.coordinate(Shape.of(n), 0).plus(1).cast(I32.INSTANCE));
    Expr<T> signs = stays.cast(dtype).times(2).minus(1);
    Expr<T> diagonal = Ops.diagonal(lu);
    if (logarithm) {
      Expr<T> sign = Ops.prod(signs.times(Ops.sign(diagonal)), -1);
      Expr<T> log = Ops.sum(Ops.log(Ops.abs(diagonal)), -1);
      store(packed(target, 0, 1), sign.unsqueeze(-1), flags);
      store(packed(target, 1, 1), log.unsqueeze(-1), flags);
    } else {
      store(target, Ops.prod(signs.times(diagonal), -1), flags);
    }
  }

  /** Plans a decomposition, of the transpose if there are fewer rows than columns. */
  private void svd(Tensor<T> target, Expr<T> a, int m, int n, char vectors) {
    boolean tall = m >= n;
    int rows = Math.max(m, n);
    int columns = Math.min(m, n);
    int p = vectors == 'A' ? rows : columns;
    Tensor<T> work = cleaned(tall ? transposed(a) : a, columns, rows);
    Tensor<T> s = temporary(columns);
    Tensor<T> flags = flags(a);
    IntFunction<Routine.Failure> failure = Routine.Failure::notConverged;
    if (vectors == 'N') {
      call(
          failure,
          (f, b, at) ->
              f.singularValues(b, 'N', rows, columns, at.get(1), at.get(0), at.get(0), at.get(0)),
          2,
          s,
          work,
          flags);
      store(target, s, flags);
      return;
    }
    // Transposes of the library's column-major results.
    Tensor<T> left = temporary(p, rows);
    Tensor<T> right = temporary(columns, columns);
    call(
        failure,
        (f, b, at) ->
            f.singularValues(b, vectors, rows, columns, at.get(3), at.get(0), at.get(1), at.get(2)),
        4,
        s,
        left,
        right,
        work,
        flags);
    int u = tall ? p : columns;
    int v = tall ? columns : p;
    store(packed(target, 0, m, u), tall ? transposed(left) : right, flags);
    store(packed(target, (long) m * u, columns), s, flags);
    store(packed(target, (long) m * u + columns, v, n), tall ? transposed(right) : left, flags);
  }

  private void eigh(Tensor<T> target, Expr<T> a, int n, boolean vectors) {
    Tensor<T> v = cleaned(a, n, n);
    Tensor<T> w = temporary(n);
    Tensor<T> flags = flags(Ops.tril(a));
    // Column-major, the lower triangle is the upper one.
    call(
        Routine.Failure::notConverged,
        (s, b, at) -> s.eigenvalues(b, vectors, n, at.get(0), at.get(1)),
        2,
        v,
        w,
        flags);
    store(vectors ? packed(target, 0, n) : target, w, flags);
    if (vectors) {
      store(packed(target, n, n, n), v, flags);
    }
  }

  // Memory

  private Tensor<T> temporary(long... dims) {
    return assignment.temporary(dtype, Shapes.with(batch, dims));
  }

  /** Copy of the matrices of the batch, with zeros in place of what is not finite. */
  private Tensor<T> cleaned(Expr<T> a, long rows, long columns) {
    Tensor<T> copy = temporary(rows, columns);
    Expr<T> all = a.expand(copy.shape().toArray());
    assignment.assign(copy, Ops.where(Ops.isFinite(all), all, 0));
    return copy;
  }

  /** Number for each matrix of the batch: NaN if an element is not finite, else 0. */
  private Tensor<T> flags(Expr<T> a) {
    Tensor<T> flags = temporary();
    assignment.assign(flags, Ops.sum(a.times(0), -2, -1).expand(batch.toArray()));
    return flags;
  }

  /** View of packed results. */
  @SuppressWarnings("unchecked") // views of tensors are tensors
  private Tensor<T> packed(Tensor<T> target, long from, long... dims) {
    return (Tensor<T>) part(target, from, batch, dims);
  }

  private void store(Tensor<T> target, Expr<T> result, Tensor<T> flags) {
    long[] dims = new long[result.shape().rank()];
    Arrays.fill(dims, 1);
    System.arraycopy(batch.toArray(), 0, dims, 0, batch.rank());
    Expr<BOOL> finite = Ops.isFinite(flags.reshape(dims));
    assignment.assign(target, Ops.where(finite, result, Double.NaN));
  }

  // Calls

  /** Functions of the library, on the memory of tensors. */
  @FunctionalInterface
  private interface Call {
    /** Returns the status of each matrix. */
    int[] run(Solvers library, Solvers.Batch batch, List<Numbers> memory);
  }

  /**
   * Plans a call.
   *
   * @param failure description of a status; null if the status is no failure
   * @param targets number of the first tensors, which the call writes
   * @param memory tensors, the last of which holds the flags
   */
  private void call(
      IntFunction<Routine.Failure> failure, Call call, int targets, Tensor<?>... memory) {
    var code =
        new Code(op, batch, dtype == (Object) F64.INSTANCE, operands.get(0).label(), failure, call);
    assignment.solve(op + " by the device's library", code, targets, memory);
  }

  /** Calls for a batch, with an exception for the first matrix that fails. */
  private record Code(
      String op,
      Shape batch,
      boolean wide,
      String label,
      IntFunction<Routine.Failure> failure,
      Call call)
      implements Assignment.SolverCode {
    @Override
    public void run(Device device, List<Numbers> memory) {
      int count = Math.toIntExact(batch.size());
      Solvers library = device.solvers().orElseThrow();
      var matrices = new Solvers.Batch(wide, count);
      int[] info = call.run(library, matrices, memory);
      for (int k = 0; k < count && failure != null; k++) {
        if (info[k] > 0 && isFinite(device, memory.getLast(), k, matrices.bytes())) {
          throw LinalgException.of(op, batch, label, k, failure.apply(info[k]));
        }
      }
    }

    private boolean isFinite(Device device, Numbers flags, int k, long bytes) {
      MemorySegment one = MemorySegment.ofArray(new byte[(int) bytes]);
      device.read(flags.buffer(), flags.start() + k * bytes, one);
      return Double.isFinite(new Reals(one, wide).get(0));
    }
  }
}
