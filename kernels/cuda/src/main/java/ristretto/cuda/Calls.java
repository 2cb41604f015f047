package ristretto.cuda;

import static ristretto.cuda.Library.INT;
import static ristretto.cuda.Library.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import jcuda.driver.CUresult;

/**
 * Driver functions that JCuda lacks, or that run for every kernel, where JCuda takes microseconds
 * to convert its arguments. Each function returns the driver's status; handles and addresses are
 * {@code long}s. The {@link Driver} must be loaded first.
 */
final class Calls {
  private static final int RELEASE_THRESHOLD = 4;

  private static final MethodHandle SET_CONTEXT = of("cuCtxSetCurrent", LONG);
  private static final MethodHandle LAUNCH_KERNEL =
      of("cuLaunchKernel", LONG, INT, INT, INT, INT, INT, INT, INT, LONG, LONG, LONG);
  private static final MethodHandle LAUNCH_GRAPH = of("cuGraphLaunch", LONG, LONG);
  private static final MethodHandle COPY_TO_DEVICE =
      of("cuMemcpyHtoDAsync_v2", LONG, LONG, LONG, LONG);
  private static final MethodHandle COPY_TO_HOST =
      of("cuMemcpyDtoHAsync_v2", LONG, LONG, LONG, LONG);
  private static final MethodHandle COPY_ON_DEVICE =
      of("cuMemcpyDtoDAsync_v2", LONG, LONG, LONG, LONG);
  private static final MethodHandle DEFAULT_POOL = of("cuDeviceGetDefaultMemPool", LONG, INT);
  private static final MethodHandle SET_POOL_ATTRIBUTE =
      of("cuMemPoolSetAttribute", LONG, INT, LONG);

  private Calls() {}

  private static MethodHandle of(String name, ValueLayout... parameters) {
    return Driver.library().function(name, parameters);
  }

  /** Makes {@code context} the current context of this thread. */
  static int setContext(long context) {
    try {
      return (int) SET_CONTEXT.invokeExact(context);
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  /**
   * Launches a kernel function.
   *
   * @param arguments address of the array of the arguments' addresses
   */
  static int launchKernel(long function, int[] groups, int[] group, long stream, long arguments) {
    try {
      return (int)
          LAUNCH_KERNEL.invokeExact(
              function, groups[0], groups[1], groups[2], group[0], group[1], group[2], 0, stream,
              arguments, 0L);
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  static int launchGraph(long graph, long stream) {
    try {
      return (int) LAUNCH_GRAPH.invokeExact(graph, stream);
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  static int copyToDevice(long to, long from, long bytes, long stream) {
    try {
      return (int) COPY_TO_DEVICE.invokeExact(to, from, bytes, stream);
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  static int copyToHost(long to, long from, long bytes, long stream) {
    try {
      return (int) COPY_TO_HOST.invokeExact(to, from, bytes, stream);
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  static int copyOnDevice(long to, long from, long bytes, long stream) {
    try {
      return (int) COPY_ON_DEVICE.invokeExact(to, from, bytes, stream);
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  /**
   * Sets the release threshold of the default memory pool such that freed memory stays in the pool.
   */
  static int keepPooled(int device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pool = arena.allocate(LONG);
      int status = (int) DEFAULT_POOL.invokeExact(pool.address(), device);
      if (status != CUresult.CUDA_SUCCESS) {
        return status;
      }
      MemorySegment all = arena.allocateFrom(LONG, Long.MAX_VALUE);
      return (int)
          SET_POOL_ATTRIBUTE.invokeExact(pool.get(LONG, 0), RELEASE_THRESHOLD, all.address());
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }
}
