package ristretto.kernels.cpu.blas;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Set;

/**
 * Bindings of OpenBLAS, which runs single-threaded: the threads are those of the device. Bindings
 * use the Foreign Function API, because loading the library through JavaCPP takes a second. {@link
 * OpenBlasLibrary#load} must come before the first use: it reports failures, which a static
 * initializer cannot.
 */
public final class OpenBlas {
  private static final int ROW_MAJOR = 101;
  private static final int NO_TRANS = 111;
  private static final int TRANS = 112;

  private static final ValueLayout.OfInt I = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong P = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfFloat F = ValueLayout.JAVA_FLOAT;
  private static final ValueLayout.OfDouble D = ValueLayout.JAVA_DOUBLE;

  private static final MethodHandle SGEMM;
  private static final boolean READS_IN_PLACE;

  /** OpenBLAS's names of the processors for which it has kernels for small products. */
  private static final Set<String> WITH_SMALL_KERNELS =
      Set.of("SkylakeX", "Cooperlake", "SapphireRapids");

  static {
    SymbolLookup library = OpenBlasLibrary.load();
    SGEMM = bind(library, "cblas_sgemm", I, I, I, I, I, I, F, P, I, P, I, F, P, I);
    try {
      bind(library, "openblas_set_num_threads", I).invokeExact(1);
      READS_IN_PLACE = WITH_SMALL_KERNELS.contains(core(library));
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Binding of single-precision matrix-vector products, made at their first use: it takes ten
   * milliseconds in a new process.
   */
  private static final class Sgemv {
    static final MethodHandle CALL =
        bind(OpenBlasLibrary.load(), "cblas_sgemv", I, I, I, I, F, P, I, P, I, F, P, I);
  }

  private static final class Wide {
    static final MethodHandle DGEMM =
        bind(OpenBlasLibrary.load(), "cblas_dgemm", I, I, I, I, I, I, D, P, I, P, I, D, P, I);
    static final MethodHandle DGEMV =
        bind(OpenBlasLibrary.load(), "cblas_dgemv", I, I, I, I, D, P, I, P, I, D, P, I);
  }

  private OpenBlas() {}

  /** Binds what most products need before the first one runs. */
  public static void prepare() {
    // The static initializer binds.
  }

  /** Returns true if OpenBLAS computes small F32 products without copying their operands. */
  public static boolean readsInPlace() {
    return READS_IN_PLACE;
  }

  private static String core(SymbolLookup library) throws Throwable {
    MethodHandle name =
        Linker.nativeLinker()
            .downcallHandle(
                library.find("openblas_get_corename").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.ADDRESS));
    return ((MemorySegment) name.invokeExact()).reinterpret(Long.MAX_VALUE).getString(0);
  }

  private static MethodHandle bind(SymbolLookup library, String name, MemoryLayout... arguments) {
    return Linker.nativeLinker()
        .downcallHandle(library.find(name).orElseThrow(), FunctionDescriptor.ofVoid(arguments));
  }

  /** Computes {@code C = alpha op(A) op(B) + beta C}, row-major. */
  public static void gemm(
      boolean wide,
      boolean transA,
      boolean transB,
      int m,
      int n,
      int k,
      double alpha,
      long a,
      int lda,
      long b,
      int ldb,
      double beta,
      long c,
      int ldc) {
    int ta = transA ? TRANS : NO_TRANS;
    int tb = transB ? TRANS : NO_TRANS;
    try {
      if (wide) {
        Wide.DGEMM.invokeExact(ROW_MAJOR, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
      } else {
        SGEMM.invokeExact(
            ROW_MAJOR, ta, tb, m, n, k, (float) alpha, a, lda, b, ldb, (float) beta, c, ldc);
      }
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Computes {@code y = alpha op(A) x + beta y}; A has {@code rows} times {@code cols} elements
   * before op.
   */
  public static void gemv(
      boolean wide,
      boolean trans,
      int rows,
      int cols,
      double alpha,
      long a,
      int lda,
      long x,
      int incx,
      double beta,
      long y,
      int incy) {
    int t = trans ? TRANS : NO_TRANS;
    try {
      if (wide) {
        Wide.DGEMV.invokeExact(ROW_MAJOR, t, rows, cols, alpha, a, lda, x, incx, beta, y, incy);
      } else {
        Sgemv.CALL.invokeExact(
            ROW_MAJOR, t, rows, cols, (float) alpha, a, lda, x, incx, (float) beta, y, incy);
      }
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
