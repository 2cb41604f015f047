package ristretto.jmh.twin;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Bare calls of LAPACK's routines for F64. Each call first copies its operands, which the routine
 * overwrites. The numbers are those of the engine's side: in [0, 1), or symmetric with a large
 * diagonal.
 */
public final class BareLapack {
  private static final int COLUMN_MAJOR = 102;
  private static final byte UPPER = 'U';

  private final MethodHandle gesv;
  private final MethodHandle potrf;
  private final MethodHandle gesdd;
  private final MethodHandle syevd;

  private BareLapack(SymbolLookup library) {
    gesv =
        handle(
            library, "gesv", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG,
            JAVA_LONG, JAVA_INT);
    potrf = handle(library, "potrf", JAVA_INT, JAVA_BYTE, JAVA_INT, JAVA_LONG, JAVA_INT);
    gesdd =
        handle(
            library, "gesdd", JAVA_INT, JAVA_BYTE, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT,
            JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
    syevd =
        handle(
            library, "syevd", JAVA_INT, JAVA_BYTE, JAVA_BYTE, JAVA_INT, JAVA_LONG, JAVA_INT,
            JAVA_LONG);
  }

  /**
   * Loads the library.
   *
   * @throws IOException if there is none for this platform
   */
  public static BareLapack load(int threads) throws IOException {
    return new BareLapack(OpenBlasCopy.load(threads));
  }

  private static MethodHandle handle(SymbolLookup library, String name, ValueLayout... arguments) {
    return Linker.nativeLinker()
        .downcallHandle(
            library.findOrThrow("LAPACKE_d" + name), FunctionDescriptor.of(JAVA_INT, arguments));
  }

  /** Solution of a system with one right-hand side. */
  public Runnable solve(int n) {
    MemorySegment a = definite(n);
    MemorySegment b = numbers(2, n);
    MemorySegment copy = memory((long) n * n);
    MemorySegment x = memory(n);
    MemorySegment pivots = memory(n);
    return () -> {
      copy.copyFrom(a);
      x.copyFrom(b);
      try {
        checked(
            (int)
                gesv.invokeExact(
                    COLUMN_MAJOR, n, 1, copy.address(), n, pivots.address(), x.address(), n));
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    };
  }

  /** Cholesky factor. */
  public Runnable cholesky(int n) {
    MemorySegment a = definite(n);
    MemorySegment copy = memory((long) n * n);
    return () -> {
      copy.copyFrom(a);
      try {
        checked((int) potrf.invokeExact(COLUMN_MAJOR, UPPER, n, copy.address(), n));
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    };
  }

  /** Singular values and vectors. */
  public Runnable svd(int n) {
    MemorySegment a = numbers(1, (long) n * n);
    MemorySegment copy = memory((long) n * n);
    MemorySegment s = memory(n);
    MemorySegment u = memory((long) n * n);
    MemorySegment vt = memory((long) n * n);
    return () -> {
      copy.copyFrom(a);
      try {
        checked(
            (int)
                gesdd.invokeExact(
                    COLUMN_MAJOR,
                    (byte) 'S',
                    n,
                    n,
                    copy.address(),
                    n,
                    s.address(),
                    u.address(),
                    n,
                    vt.address(),
                    n));
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    };
  }

  /** Eigenvalues and eigenvectors of a symmetric matrix. */
  public Runnable eigh(int n) {
    MemorySegment a = definite(n);
    MemorySegment copy = memory((long) n * n);
    MemorySegment w = memory(n);
    return () -> {
      copy.copyFrom(a);
      try {
        checked(
            (int)
                syevd.invokeExact(
                    COLUMN_MAJOR, (byte) 'V', UPPER, n, copy.address(), n, w.address()));
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    };
  }

  private static void checked(int info) {
    if (info != 0) {
      throw new IllegalStateException("LAPACK returns " + info);
    }
  }

  private static MemorySegment memory(long elements) {
    return Arena.ofAuto().allocate(8 * elements, 64);
  }

  private static MemorySegment numbers(int number, long elements) {
    MemorySegment all = memory(elements);
    for (long k = 0; k < elements; k++) {
      all.setAtIndex(
          JAVA_DOUBLE, k, ((k + 40_503L * number) * 2_654_435_761L & 0xFFFFFFFFL) * 0x1p-32);
    }
    return all;
  }

  private static MemorySegment definite(int n) {
    MemorySegment a = numbers(1, (long) n * n);
    MemorySegment all = memory((long) n * n);
    for (long i = 0; i < n; i++) {
      for (long j = 0; j < n; j++) {
        double pair = a.getAtIndex(JAVA_DOUBLE, i * n + j) + a.getAtIndex(JAVA_DOUBLE, j * n + i);
        all.setAtIndex(JAVA_DOUBLE, i * n + j, pair / 2 + (i == j ? n : 0));
      }
    }
    return all;
  }
}
