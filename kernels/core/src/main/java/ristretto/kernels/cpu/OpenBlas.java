package ristretto.kernels.cpu;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.KernelException;
import ristretto.kernels.debug.Debug;

/**
 * OpenBLAS, single-threaded: threads are ours. The library comes in the jar of bytedeco's openblas;
 * it is copied to a cache folder once and bound by the Foreign Function API, because loading it
 * through JavaCPP takes a second.
 */
final class OpenBlas {
  private static final int ROW_MAJOR = 101;
  private static final int NO_TRANS = 111;
  private static final int TRANS = 112;

  private static final ValueLayout.OfInt I = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong P = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfFloat F = ValueLayout.JAVA_FLOAT;
  private static final ValueLayout.OfDouble D = ValueLayout.JAVA_DOUBLE;

  private static final MethodHandle SGEMM;
  private static final MethodHandle DGEMM;
  private static final MethodHandle SGEMV;
  private static final MethodHandle DGEMV;

  static {
    SymbolLookup library = SymbolLookup.libraryLookup(library(), Arena.global());
    SGEMM = bind(library, "cblas_sgemm", I, I, I, I, I, I, F, P, I, P, I, F, P, I);
    DGEMM = bind(library, "cblas_dgemm", I, I, I, I, I, I, D, P, I, P, I, D, P, I);
    SGEMV = bind(library, "cblas_sgemv", I, I, I, I, F, P, I, P, I, F, P, I);
    DGEMV = bind(library, "cblas_dgemv", I, I, I, I, D, P, I, P, I, D, P, I);
    try {
      bind(library, "openblas_set_num_threads", I).invokeExact(1);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private OpenBlas() {}

  /** Loads the library, so that the first product does not. */
  static void load() {
    // The static initializer does it.
  }

  private static MethodHandle bind(SymbolLookup library, String name, MemoryLayout... arguments) {
    return Linker.nativeLinker()
        .downcallHandle(library.find(name).orElseThrow(), FunctionDescriptor.ofVoid(arguments));
  }

  /** {@code C = alpha op(A) op(B) + beta C}, row-major. */
  static void gemm(
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
        DGEMM.invokeExact(ROW_MAJOR, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
      } else {
        SGEMM.invokeExact(
            ROW_MAJOR, ta, tb, m, n, k, (float) alpha, a, lda, b, ldb, (float) beta, c, ldc);
      }
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * {@code y = alpha op(A) x + beta y}; A has {@code rows} times {@code cols} elements before op.
   */
  static void gemv(
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
        DGEMV.invokeExact(ROW_MAJOR, t, rows, cols, alpha, a, lda, x, incx, beta, y, incy);
      } else {
        SGEMV.invokeExact(
            ROW_MAJOR, t, rows, cols, (float) alpha, a, lda, x, incx, (float) beta, y, incy);
      }
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * The platform as bytedeco names it, and the files to have side by side, the library itself
   * first.
   */
  private record Natives(String platform, List<String> names) {
    static Natives here() {
      String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
      String arch = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x86_64";
      if (os.startsWith("mac")) {
        return new Natives(
            "macosx-" + arch,
            List.of(
                "libopenblas.0.dylib",
                "libgfortran.dylib",
                "libquadmath.0.dylib",
                "libgcc_s.1.1.dylib"));
      }
      if (os.startsWith("windows")) {
        return new Natives("windows-" + arch, List.of("libopenblas.dll"));
      }
      return new Natives(
          "linux-" + arch,
          List.of("libopenblas.so.0", "libgfortran.so.5", "libquadmath.so.0", "libgcc_s.so.1"));
    }
  }

  private static Path library() {
    Natives files = Natives.here();
    String folder = "org/bytedeco/openblas/" + files.platform + "/";
    ClassLoader loader = OpenBlas.class.getClassLoader();
    URL url = loader.getResource(folder + files.names.getFirst());
    if (url == null) {
      throw new KernelException(
          "[dot] OpenBLAS must be on the class path or module path; got no "
              + folder
              + files.names.getFirst()
              + "; add org.bytedeco:openblas with classifier "
              + files.platform);
    }
    Path cache = cache(url);
    try {
      Files.createDirectories(cache);
      // The library itself last: where it is, all of its companions are.
      for (String name : files.names.reversed()) {
        copy(loader, folder + name, cache.resolve(name));
      }
    } catch (IOException e) {
      throw new KernelException(
          "[dot] OpenBLAS must be copied to a cache folder; got "
              + e
              + " for "
              + cache
              + "; make it writable or set -Dristretto.cache",
          e);
    }
    Path library = cache.resolve(files.names.getFirst());
    Debug.log(Debug.DEVICES, () -> "[cpu] OpenBLAS from " + library);
    return library;
  }

  /** A folder a version of the jar. */
  private static Path cache(URL url) {
    String path = url.getPath();
    int end = path.indexOf(".jar!");
    String jar = end < 0 ? "openblas" : path.substring(path.lastIndexOf('/', end) + 1, end);
    String root = System.getProperty("ristretto.cache");
    Path base =
        root != null
            ? Path.of(root)
            : Path.of(System.getProperty("user.home"), ".cache", "ristretto");
    return base.resolve("native").resolve(jar);
  }

  private static void copy(ClassLoader loader, String resource, Path to) throws IOException {
    if (Files.exists(to)) {
      return;
    }
    try (InputStream in = loader.getResourceAsStream(resource)) {
      if (in == null) {
        return;
      }
      Path aside = Files.createTempFile(to.getParent(), "copying", ".tmp");
      Files.copy(in, aside, StandardCopyOption.REPLACE_EXISTING);
      Files.move(aside, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
