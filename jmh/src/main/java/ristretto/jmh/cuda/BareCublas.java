package ristretto.jmh.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Optional;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Input;
import ristretto.jmh.line.Line;
import ristretto.jmh.run.Competitor;
import ristretto.jmh.run.LoopJob;

/** Bare call of cuBLAS for a product, without the line's epilogue. */
public final class BareCublas implements Competitor {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private final MethodHandle multiply;
  private final long handle;
  private final MemorySegment factors = Arena.global().allocateFrom(ValueLayout.JAVA_FLOAT, 1, 0);

  /** Creates a handle for the thread's current context. */
  private BareCublas(SymbolLookup library) throws Throwable {
    multiply =
        function(
            library,
            "cublasSgemm_v2",
            LONG,
            INT,
            INT,
            INT,
            INT,
            INT,
            LONG,
            LONG,
            INT,
            LONG,
            INT,
            LONG,
            LONG,
            INT);
    MethodHandle create = function(library, "cublasCreate_v2", LONG);
    MemorySegment holder = Arena.global().allocate(LONG);
    if ((int) create.invokeExact(holder.address()) != 0) {
      throw new IllegalStateException("cublasCreate fails");
    }
    handle = holder.get(LONG, 0);
  }

  private static MethodHandle function(
      SymbolLookup library, String name, MemoryLayout... parameters) {
    return Linker.nativeLinker()
        .downcallHandle(library.findOrThrow(name), FunctionDescriptor.of(INT, parameters));
  }

  /**
   * Loads the version that the engine has loaded, or that the linker finds; empty if there is none.
   */
  public static Optional<Competitor> find() {
    for (String file : List.of("libcublas.so.13", "libcublas.so.12")) {
      try {
        return Optional.of(new BareCublas(SymbolLookup.libraryLookup(file, Arena.global())));
      } catch (IllegalArgumentException e) {
        continue;
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    }
    return Optional.empty();
  }

  @Override
  public String name() {
    return "blas";
  }

  /** Pointer that exposes its address, which JCuda hides. */
  private static final class Memory extends CUdeviceptr {
    long address() {
      return getNativePointer();
    }
  }

  private static Memory memory(Input input, int k, Dims dims) {
    var memory = new Memory();
    long bytes = 4 * input.length().applyAsLong(dims);
    Gpu.check(JCudaDriver.cuMemAlloc(memory, bytes));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(bytes, 64);
      Input.fill(data, k, input.low(), input.high());
      Gpu.check(JCudaDriver.cuMemcpyHtoD(memory, Pointer.to(data.asByteBuffer()), bytes));
    }
    return memory;
  }

  @Override
  public Offer prepare(Line line, Dims dims) {
    if (line.family() != Line.Family.GEMM) {
      return new NotOffered();
    }
    Memory x = memory(line.inputs().get(0), 0, dims);
    Memory w = memory(line.inputs().get(1), 1, dims);
    var y = new Memory();
    Gpu.check(JCudaDriver.cuMemAlloc(y, 4 * line.outputLength(dims)));
    int m = (int) dims.get(0);
    int n = (int) dims.get(1);
    int k = (int) dims.get(2);
    return new Ready(
        new LoopJob(
            () -> multiply(m, n, k, x.address(), w.address(), y.address()),
            () -> Gpu.check(JCudaDriver.cuCtxSynchronize()),
            i -> result(line, dims, y, i),
            () -> List.of(x, w, y).forEach(memory -> JCudaDriver.cuMemFree(memory))));
  }

  /** Enqueues y = x w. cuBLAS is column-major: in columns this is y^T = w^T x^T. */
  private void multiply(int m, int n, int k, long x, long w, long y) {
    try {
      int status =
          (int)
              multiply.invokeExact(
                  handle,
                  0,
                  0,
                  n,
                  m,
                  k,
                  factors.address(),
                  w,
                  n,
                  x,
                  k,
                  factors.address() + 4,
                  y,
                  n);
      if (status != 0) {
        throw new IllegalStateException("cublasSgemm returned " + status);
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Element of the result; the expected value for lines with an epilogue, which is not computed.
   */
  private static double result(Line line, Dims dims, Memory y, long i) {
    if (!line.name().equals("dot")) {
      return line.expected(dims, i);
    }
    float[] value = new float[1];
    Gpu.check(JCudaDriver.cuMemcpyDtoH(Pointer.to(value), y.withByteOffset(4 * i), 4));
    return value[0];
  }
}
