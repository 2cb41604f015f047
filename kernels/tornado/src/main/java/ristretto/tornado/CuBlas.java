package ristretto.tornado;

import java.util.HashMap;
import java.util.Map;
import ristretto.kernels.driver.BlasCalls;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;
import uk.ac.manchester.tornado.api.exceptions.TornadoRuntimeException;
import uk.ac.manchester.tornado.runtime.common.TornadoXPUDevice;
import uk.ac.manchester.tornado.runtime.library.LibraryRegistry;
import uk.ac.manchester.tornado.runtime.library.spi.LibraryContext;
import uk.ac.manchester.tornado.runtime.library.spi.LibraryInvocation;
import uk.ac.manchester.tornado.runtime.library.spi.TornadoLibraryProvider;

/**
 * cuBLAS through TornadoVM's library provider, without a task graph: works on any memory of a CUDA
 * backend's device. Used under the accelerator's lock.
 */
class CuBlas {
  private static final String LIBRARY = "nvidia/cublas";

  private final TornadoXPUDevice device;
  private final TornadoLibraryProvider provider;

  /**
   * Library contexts by thread: TornadoVM has one stream per thread, and a handle of cuBLAS is
   * bound to a stream.
   */
  private final Map<Thread, LibraryContext> contexts = new HashMap<>();

  CuBlas(TornadoXPUDevice device, TornadoLibraryProvider provider) {
    this.device = device;
    this.provider = provider;
  }

  /** Returns the library; null if the device's backend or the SDK has none. */
  static CuBlas of(TornadoXPUDevice device) {
    try {
      return new CuBlas(device, LibraryRegistry.findProvider(LIBRARY, device));
    } catch (TornadoRuntimeException e) {
      return null;
    }
  }

  /** Returns true if cuBLAS computes this product. */
  boolean takes(Kernel.Gemm k) {
    return k.type() == ScalarType.F32
        && BlasCalls.fits(k)
        && Math.max(Math.max(k.m(), k.n()), Math.max(k.k(), k.batch().product()))
            <= Integer.MAX_VALUE
        && BlasCalls.cublasPays(k);
  }

  /** Address of the content of {@code memory}. */
  long address(Accelerator.Memory memory) {
    return memory.address();
  }

  /**
   * Batch of column-major matrices.
   *
   * @param lead elements between consecutive columns, or rows if transposed
   * @param step elements between consecutive matrices
   */
  record Operand(boolean transposed, long address, long lead, long step) {}

  /**
   * Computes c = alpha a b + beta c for each of {@code count} matrices.
   *
   * @param queue number of TornadoVM's execution plan
   */
  void multiply(
      long queue,
      long m,
      long n,
      long k,
      double alpha,
      Operand a,
      Operand b,
      double beta,
      Operand c,
      long count) {
    Object[] arguments = {
      transpose(a),
      transpose(b),
      (int) m,
      (int) n,
      (int) k,
      (float) alpha,
      null,
      (int) a.lead,
      a.step,
      null,
      (int) b.lead,
      b.step,
      (float) beta,
      null,
      (int) c.lead,
      c.step,
      (int) count
    };
    var addresses = new long[arguments.length];
    addresses[6] = a.address;
    addresses[9] = b.address;
    addresses[13] = c.address;
    var references = new boolean[arguments.length];
    for (int i = 0; i < arguments.length; i++) {
      references[i] = arguments[i] == null;
    }
    LibraryContext context =
        contexts.computeIfAbsent(
            Thread.currentThread(), _ -> provider.createContext(device, queue));
    provider.dispatch(
        "cublasSgemmStridedBatched",
        new LibraryInvocation(arguments, addresses, references, device, queue, context, null));
  }

  /** Returns cuBLAS's code for the transposition. */
  private static int transpose(Operand x) {
    return x.transposed ? 1 : 0;
  }

  void close() {
    contexts.values().forEach(provider::destroyContext);
    contexts.clear();
  }
}
