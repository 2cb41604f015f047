package ristretto.kernels.cpu.blas;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** Eigenvalues and eigenvectors of small symmetric matrices, by LAPACK, on the caller's thread. */
public final class SymmetricEigen {
  private static final int COLUMN_MAJOR = 102;

  private static final MethodHandle DSYEVD;

  static {
    OpenBlas.prepare();
    DSYEVD =
        Linker.nativeLinker()
            .downcallHandle(
                OpenBlasLibrary.load().find("LAPACKE_dsyevd").orElseThrow(),
                FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_BYTE,
                    ValueLayout.JAVA_BYTE,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG));
  }

  private final double[] values;
  private final double[] vectors;

  private SymmetricEigen(double[] values, double[] vectors) {
    this.values = values;
    this.vectors = vectors;
  }

  /**
   * Computes the decomposition of {@code matrix[n,n]}; empty if LAPACK fails.
   *
   * @param matrix symmetric matrix of n rows of n finite numbers; only one triangle is read
   * @param n rows and columns
   */
  public static Optional<SymmetricEigen> of(double[] matrix, int n) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment a = arena.allocate(8L * n * n, 64);
      MemorySegment w = arena.allocate(8L * n, 64);
      MemorySegment.copy(matrix, 0, a, ValueLayout.JAVA_DOUBLE, 0, n * n);
      int failed = call(n, a.address(), w.address());
      if (failed != 0) {
        return Optional.empty();
      }
      return Optional.of(
          new SymmetricEigen(
              w.toArray(ValueLayout.JAVA_DOUBLE), a.toArray(ValueLayout.JAVA_DOUBLE)));
    }
  }

  private static int call(int n, long a, long w) {
    try {
      return (int) DSYEVD.invokeExact(COLUMN_MAJOR, (byte) 'V', (byte) 'L', n, a, n, w);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the n eigenvalues in ascending order. */
  public double[] values() {
    return values.clone();
  }

  /**
   * Returns the n eigenvectors of n numbers each, one after the other, in the order of the
   * eigenvalues.
   */
  public double[] vectors() {
    return vectors.clone();
  }
}
