package ristretto.cuda;

import static ristretto.cuda.Library.INT;
import static ristretto.cuda.Library.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import ristretto.kernels.DeviceException;

/** cuBLAS, NVIDIA's library of matrix products, from the installed version of CUDA. */
final class Cublas {
  /** Workspace in bytes: NVIDIA's recommendation for Hopper, the largest of all architectures. */
  static final long WORKSPACE = 32L << 20;

  private static final int NORMAL = 0;
  private static final int TRANSPOSED = 1;
  private static final int DEFAULT_MATH = 0;
  private static final int TF32_MATH = 3;

  private static Optional<Cublas> found;

  /** Version of the library, such as "12.4.5". */
  final String version;

  /** The library for fused epilogues; empty if it is missing. */
  final Optional<CublasLt> lt;

  private final MethodHandle create;
  private final MethodHandle destroy;
  private final MethodHandle setStream;
  private final MethodHandle setWorkspace;
  private final MethodHandle setMathMode;
  private final MethodHandle single;
  private final MethodHandle wide;

  private Cublas(Library library) {
    create = library.function("cublasCreate_v2", LONG);
    destroy = library.function("cublasDestroy_v2", LONG);
    setStream = library.function("cublasSetStream_v2", LONG, LONG);
    setWorkspace = library.function("cublasSetWorkspace_v2", LONG, LONG, LONG);
    setMathMode = library.function("cublasSetMathMode", LONG, INT);
    single = product(library, "cublasSgemmStridedBatched_64");
    wide = product(library, "cublasDgemmStridedBatched_64");
    version = library.version("cublasGetProperty", status -> check(status, "cublasGetProperty"));
    lt = CublasLt.beside(library);
  }

  private static MethodHandle product(Library library, String name) {
    return library.function(
        name, LONG, INT, INT, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG,
        LONG, LONG, LONG, LONG);
  }

  /** Returns the library; empty if it is not installed. */
  static synchronized Optional<Cublas> find(Driver driver) {
    if (found == null || found.isEmpty()) {
      found = search(new Libraries(driver.version / 1000));
    }
    return found;
  }

  static Optional<Cublas> search(Libraries libraries) {
    return libraries.all("cublas", "cublasLt").map(Cublas::new).findFirst();
  }

  static void check(int status, String function) {
    if (status != 0) {
      throw new DeviceException(
          ("[dot] cuBLAS must succeed; %s returned %s; install cuBLAS of the driver's version"
                  + " of CUDA, or compute products with -Dristretto.cuda.blas=own")
              .formatted(function, status));
    }
  }

  /** Opens a handle on the device's stream, in the current context. */
  Session open(CudaDevice device, boolean tf32) {
    return new Session(device, tf32);
  }

  /** cuBLAS handle bound to one stream; all calls hold the device's lock. */
  final class Session {
    private final CudaDevice device;
    private final Handles.Memory workspace;
    private final long handle;

    /** Scalars alpha and beta of a call. */
    private final MemorySegment factors = Arena.ofAuto().allocate(16, 16);

    private Session(CudaDevice device, boolean tf32) {
      this.device = device;
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment holder = arena.allocate(LONG);
        check((int) create.invokeExact(holder.address()), "cublasCreate");
        handle = holder.get(LONG, 0);
        long stream = device.stream.handle();
        check((int) setStream.invokeExact(handle, stream), "cublasSetStream");
        // Must follow cublasSetStream, which resets the workspace. A workspace of our own makes
        // results repeatable.
        workspace = device.scratch(WORKSPACE);
        long memory = workspace.address();
        check((int) setWorkspace.invokeExact(handle, memory, WORKSPACE), "cublasSetWorkspace");
        int mode = tf32 ? TF32_MATH : DEFAULT_MATH;
        check((int) setMathMode.invokeExact(handle, mode), "cublasSetMathMode");
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }

    long handle() {
      return handle;
    }

    /** Address of the workspace, which consecutive products share. */
    long workspace() {
      return workspace.address();
    }

    /**
     * Computes {@code C = alpha A B + beta C} for a batch of column-major matrices.
     *
     * @param wide true for F64, false for F32
     */
    void multiply(
        boolean wide,
        boolean transposeA,
        boolean transposeB,
        long m,
        long n,
        long k,
        double alpha,
        long a,
        long leadA,
        long stepA,
        long b,
        long leadB,
        long stepB,
        double beta,
        long c,
        long leadC,
        long stepC,
        long batch) {
      if (wide) {
        factors.set(ValueLayout.JAVA_DOUBLE, 0, alpha);
        factors.set(ValueLayout.JAVA_DOUBLE, 8, beta);
      } else {
        factors.set(ValueLayout.JAVA_FLOAT, 0, (float) alpha);
        factors.set(ValueLayout.JAVA_FLOAT, 8, (float) beta);
      }
      int ta = transposeA ? TRANSPOSED : NORMAL;
      int tb = transposeB ? TRANSPOSED : NORMAL;
      long alphas = factors.address();
      long betas = alphas + 8;
      try {
        int status =
            wide
                ? (int)
                    Cublas.this.wide.invokeExact(
                        handle, ta, tb, m, n, k, alphas, a, leadA, stepA, b, leadB, stepB, betas, c,
                        leadC, stepC, batch)
                : (int)
                    single.invokeExact(
                        handle, ta, tb, m, n, k, alphas, a, leadA, stepA, b, leadB, stepB, betas, c,
                        leadC, stepC, batch);
        check(status, wide ? "cublasDgemmStridedBatched" : "cublasSgemmStridedBatched");
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }

    void close() {
      try {
        int _ = (int) destroy.invokeExact(handle);
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
      device.giveBack(workspace, WORKSPACE);
    }
  }
}
