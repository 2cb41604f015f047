package ristretto.kernels.cpu.blas;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Bindings of LAPACK's drivers in OpenBLAS, in F64 if {@code wide} and in F32 otherwise. Matrices
 * are column-major with given distances of columns, as in Fortran, at addresses; {@code trsm} alone
 * is row-major. Calls run on the caller's thread, and several threads may call at once. Each
 * function returns LAPACK's info: 0, or a positive number for a matrix that the driver cannot
 * handle. Elements must be finite.
 */
public final class Lapack {
  private static final int ROW_MAJOR = 101;
  private static final int COLUMN_MAJOR = 102;

  /** Placeholder for a real number of the function's precision. */
  private static final ValueLayout REAL = ValueLayout.JAVA_CHAR;

  private static final ValueLayout I = ValueLayout.JAVA_INT;
  private static final ValueLayout C = ValueLayout.JAVA_BYTE;
  private static final ValueLayout P = ValueLayout.JAVA_LONG;

  private Lapack() {}

  /** Functions with their arguments; both precisions are bound at their first use. */
  private enum Function {
    GETRF("LAPACKE_%sgetrf_work", I, I, I, P, I, P),
    GETRI("LAPACKE_%sgetri_work", I, I, P, I, P, P, I),
    POTRF("LAPACKE_%spotrf_work", I, C, I, P, I),
    GELQF("LAPACKE_%sgelqf_work", I, I, I, P, I, P, P, I),
    ORGLQ("LAPACKE_%sorglq_work", I, I, I, I, P, I, P, P, I),
    GESDD("LAPACKE_%sgesdd_work", I, C, I, I, P, I, P, P, I, P, I, P, I, P),
    SYEVD("LAPACKE_%ssyevd_work", I, C, C, I, P, I, P, P, I, P, I),
    GEEV("LAPACKE_%sgeev_work", I, C, C, I, P, I, P, P, P, I, P, I, P, I),
    GELSD("LAPACKE_%sgelsd_work", I, I, I, I, P, I, P, I, P, REAL, P, P, I, P),
    TRSM("cblas_%strsm", I, I, I, I, I, I, I, REAL, P, I, P, I),
    ASUM("cblas_%sasum", I, P, I);

    private final String name;
    private final ValueLayout[] arguments;
    private MethodHandle narrow;
    private MethodHandle wide;

    Function(String name, ValueLayout... arguments) {
      this.name = name;
      this.arguments = arguments;
    }

    synchronized MethodHandle in(boolean isWide) {
      if (narrow == null) {
        // Sets the number of threads.
        OpenBlas.prepare();
        narrow = bind("s", ValueLayout.JAVA_FLOAT);
        wide = bind("d", ValueLayout.JAVA_DOUBLE);
      }
      return isWide ? wide : narrow;
    }

    private MethodHandle bind(String letter, ValueLayout real) {
      MemoryLayout[] layouts = arguments.clone();
      for (int k = 0; k < layouts.length; k++) {
        layouts[k] = layouts[k] == REAL ? real : layouts[k];
      }
      FunctionDescriptor descriptor =
          switch (this) {
            case TRSM -> FunctionDescriptor.ofVoid(layouts);
            case ASUM -> FunctionDescriptor.of(real, layouts);
            default -> FunctionDescriptor.of(ValueLayout.JAVA_INT, layouts);
          };
      MemorySegment symbol = OpenBlasLibrary.load().find(name.replace("%s", letter)).orElseThrow();
      return Linker.nativeLinker().downcallHandle(symbol, descriptor);
    }
  }

  /** Call of a function with working memory of a size that the function states itself. */
  private interface WithWork {
    int call(long work, int size, long integers) throws Throwable;
  }

  /**
   * Asks for the size of the working memory, allocates it and calls.
   *
   * @param integers additional 4-byte integers
   */
  private static int withWork(boolean wide, long integers, WithWork function) {
    long before = 4 * integers + 127 & -64L;
    try (var size = new WorkMemory(before)) {
      MemorySegment first = size.memory();
      int info = function.call(first.address(), -1, first.address() + 64);
      if (info != 0) {
        throw new IllegalStateException("LAPACK refuses argument " + -info);
      }
      // The size may be rounded down in single precision.
      double stated =
          wide ? first.get(ValueLayout.JAVA_DOUBLE, 0) : first.get(ValueLayout.JAVA_FLOAT, 0);
      int count = (int) Math.max(1, Math.ceil(wide ? stated : stated * (1 + 0x1p-22)));
      try (var all = new WorkMemory(before + (wide ? 8L : 4L) * count)) {
        long start = all.memory().address();
        return checked(function.call(start + before, count, start));
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static int checked(int info) {
    if (info < 0) {
      throw new IllegalStateException("LAPACK refuses argument " + -info);
    }
    return info;
  }

  /**
   * Factorizes {@code A[m,n] = P L U} in place, with row exchanges {@code pivots} of 4-byte
   * integers from 1 on. Returns the number of the first pivot that is zero.
   */
  public static int getrf(boolean wide, int m, int n, long a, int lda, long pivots) {
    try {
      return checked((int) Function.GETRF.in(wide).invokeExact(COLUMN_MAJOR, m, n, a, lda, pivots));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Inverts a matrix that {@link #getrf} factorized, in place. */
  public static int getri(boolean wide, int n, long a, int lda, long pivots) {
    MethodHandle f = Function.GETRI.in(wide);
    return withWork(
        wide,
        0,
        (work, size, _) -> (int) f.invokeExact(COLUMN_MAJOR, n, a, lda, pivots, work, size));
  }

  /**
   * Factorizes a positive definite {@code A = U^T U} in the upper triangle. Returns the order of
   * the first leading minor that is not positive.
   */
  public static int potrf(boolean wide, int n, long a, int lda) {
    try {
      return checked(
          (int) Function.POTRF.in(wide).invokeExact(COLUMN_MAJOR, (byte) 'U', n, a, lda));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Factorizes {@code A[m,n] = L Q} in place, with factors of the reflectors in {@code tau}. */
  public static int gelqf(boolean wide, int m, int n, long a, int lda, long tau) {
    MethodHandle f = Function.GELQF.in(wide);
    return withWork(
        wide,
        0,
        (work, size, _) -> (int) f.invokeExact(COLUMN_MAJOR, m, n, a, lda, tau, work, size));
  }

  /** Replaces k reflectors of {@link #gelqf} by m orthonormal rows of n elements. */
  public static int orglq(boolean wide, int m, int n, int k, long a, int lda, long tau) {
    MethodHandle f = Function.ORGLQ.in(wide);
    return withWork(
        wide,
        0,
        (work, size, _) -> (int) f.invokeExact(COLUMN_MAJOR, m, n, k, a, lda, tau, work, size));
  }

  /**
   * Singular values in descending order, and singular vectors: {@code A[m,n] = U S V^T}. Overwrites
   * A.
   *
   * @param vectors 'N' for none, 'S' for min(m, n), 'A' for all
   * @return a positive number if the iteration does not converge
   */
  public static int gesdd(
      boolean wide,
      char vectors,
      int m,
      int n,
      long a,
      int lda,
      long s,
      long u,
      int ldu,
      long vt,
      int ldvt) {
    MethodHandle f = Function.GESDD.in(wide);
    byte job = (byte) vectors;
    return withWork(
        wide,
        8L * Math.min(m, n),
        (work, size, integers) ->
            (int)
                f.invokeExact(
                    COLUMN_MAJOR, job, m, n, a, lda, s, u, ldu, vt, ldvt, work, size, integers));
  }

  /**
   * Eigenvalues in ascending order of a symmetric matrix given by its upper triangle, and
   * eigenvectors, which replace A.
   *
   * @param vectors true for eigenvectors
   * @return a positive number if the iteration does not converge
   */
  public static int syevd(boolean wide, boolean vectors, int n, long a, long w) {
    MethodHandle f = Function.SYEVD.in(wide);
    byte job = (byte) (vectors ? 'V' : 'N');
    // LAPACK's minimum of both cases
    int more = 3 + 5 * n;
    return withWork(
        wide,
        more,
        (work, size, integers) ->
            (int)
                f.invokeExact(
                    COLUMN_MAJOR,
                    job,
                    (byte) 'U',
                    n,
                    a,
                    n,
                    w,
                    work,
                    size,
                    integers,
                    size < 0 ? -1 : more));
  }

  /**
   * Eigenvalues as real and imaginary parts, and right eigenvectors in pairs of columns. Overwrites
   * A.
   *
   * @param vr right eigenvectors; 0 for none
   * @return a positive number if the iteration does not converge
   */
  public static int geev(boolean wide, int n, long a, long wr, long wi, long vr) {
    MethodHandle f = Function.GEEV.in(wide);
    byte job = (byte) (vr == 0 ? 'N' : 'V');
    return withWork(
        wide,
        0,
        (work, size, _) ->
            (int)
                f.invokeExact(
                    COLUMN_MAJOR, (byte) 'N', job, n, a, n, wr, wi, 0L, 1, vr, n, work, size));
  }

  /**
   * Solutions of least squares and minimal norm, which replace the columns of {@code B[max(m, n),
   * k]}. Overwrites A.
   *
   * @param s singular values of A
   * @param rcond singular values up to this multiple of the largest count as zero
   * @return a positive number if the iteration does not converge
   */
  public static int gelsd(boolean wide, int m, int n, int k, long a, long b, long s, double rcond) {
    MethodHandle f = Function.GELSD.in(wide);
    int ldb = Math.max(1, Math.max(m, n));
    int lda = Math.max(1, m);
    // The rank is the first of the integers; LAPACK needs at most 3 min levels + 11 min of them.
    long least = Math.min(m, n);
    int levels = 64 - Long.numberOfLeadingZeros(least);
    return withWork(
        wide,
        2 + least * (3L * levels + 11),
        (work, size, integers) -> {
          long more = integers + 8;
          return wide
              ? (int)
                  f.invokeExact(
                      COLUMN_MAJOR, m, n, k, a, lda, b, ldb, s, rcond, integers, work, size, more)
              : (int)
                  f.invokeExact(
                      COLUMN_MAJOR,
                      m,
                      n,
                      k,
                      a,
                      lda,
                      b,
                      ldb,
                      s,
                      (float) rcond,
                      integers,
                      work,
                      size,
                      more);
        });
  }

  /**
   * Solves {@code op(A) X = B[n,k]}, or {@code X op(A) = B[n,k]} if A is right of X, for a
   * triangular matrix, in place, where all matrices are row-major.
   */
  public static void trsm(
      boolean wide,
      boolean right,
      boolean lower,
      boolean transposed,
      boolean unit,
      int n,
      int k,
      long a,
      int lda,
      long b,
      int ldb) {
    int side = right ? 142 : 141;
    int uplo = lower ? 122 : 121;
    int trans = transposed ? 112 : 111;
    int diag = unit ? 132 : 131;
    MethodHandle f = Function.TRSM.in(wide);
    try {
      if (wide) {
        f.invokeExact(ROW_MAJOR, side, uplo, trans, diag, n, k, 1d, a, lda, b, ldb);
      } else {
        f.invokeExact(ROW_MAJOR, side, uplo, trans, diag, n, k, 1f, a, lda, b, ldb);
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the sum of magnitudes of n numbers: not finite if one of them is not, or too large. */
  public static double asum(boolean wide, int n, long x) {
    MethodHandle f = Function.ASUM.in(wide);
    try {
      return wide ? (double) f.invokeExact(n, x, 1) : (float) f.invokeExact(n, x, 1);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
