package ristretto.cuda;

import static ristretto.cuda.Library.INT;
import static ristretto.cuda.Library.LONG;
import static ristretto.cuda.Library.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Optional;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/**
 * NVIDIA's driver. Most of its functions are called through JCuda; here are those that JCuda lacks
 * or that are called for every kernel, where JCuda takes microseconds to convert its arguments.
 */
final class Driver {
  /** Functions of the driver's API that are older than this are not enough. */
  private static final int OLDEST = 12000;

  private static final int RELEASE_THRESHOLD = 4;

  /** In containers, and on Windows' Linux, it is where the system does not look. */
  private static final List<String> PLACES =
      List.of(
          "libcuda.so.1",
          "/usr/local/nvidia/lib64/libcuda.so.1",
          "/usr/lib/wsl/lib/libcuda.so.1",
          "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
          "/usr/lib64/libcuda.so.1",
          "/run/opengl-driver/lib/libcuda.so.1");

  /** What came of the search: the driver, or why there is none and what to do. */
  record Found(Driver driver, String remedy) {}

  private static Found found;

  /** Of CUDA, as 12040 for 12.4. */
  final int version;

  private final MethodHandle setContext;
  private final MethodHandle launchKernel;
  private final MethodHandle launchGraph;
  private final MethodHandle copyToDevice;
  private final MethodHandle copyToHost;
  private final MethodHandle defaultPool;
  private final MethodHandle setPoolAttribute;

  private Driver(Library library, int version) {
    this.version = version;
    setContext = library.function("cuCtxSetCurrent", LONG);
    launchKernel =
        library.function(
            "cuLaunchKernel", LONG, INT, INT, INT, INT, INT, INT, INT, LONG, POINTER, POINTER);
    launchGraph = library.function("cuGraphLaunch", LONG, LONG);
    copyToDevice = library.function("cuMemcpyHtoDAsync_v2", LONG, POINTER, LONG, LONG);
    copyToHost = library.function("cuMemcpyDtoHAsync_v2", POINTER, LONG, LONG, LONG);
    defaultPool = library.function("cuDeviceGetDefaultMemPool", POINTER, INT);
    setPoolAttribute = library.function("cuMemPoolSetAttribute", LONG, INT, POINTER);
  }

  /** Looks for the driver, once it is there no more. */
  static synchronized Found find() {
    if (found == null || found.driver == null) {
      found = search(places());
    }
    return found;
  }

  private static List<String> places() {
    String file = Libraries.setting("RISTRETTO_CUDA_DRIVER", "ristretto.cuda.driver");
    return file == null || file.isBlank() ? PLACES : List.of(file);
  }

  static Found search(List<String> places) {
    // JCuda's library then finds it loaded, wherever it is.
    Optional<Library> library =
        places.stream().flatMap(place -> Library.load(place, 0).stream()).findFirst();
    if (library.isEmpty()) {
      return new Found(null, Missing.driver(places.getFirst()));
    }
    String trouble = JCudaLibrary.load();
    if (trouble != null) {
      return new Found(null, Missing.jcuda(trouble));
    }
    int status = JCudaDriver.cuInit(0);
    if (status == CUresult.CUDA_ERROR_NO_DEVICE) {
      return new Found(null, Missing.gpu());
    }
    if (status != CUresult.CUDA_SUCCESS) {
      return new Found(null, Missing.answer(CUresult.stringFor(status)));
    }
    int[] version = new int[1];
    JCudaDriver.cuDriverGetVersion(version);
    return version[0] < OLDEST
        ? new Found(null, Missing.version(words(version[0])))
        : new Found(new Driver(library.get(), version[0]), "");
  }

  /** 12040 as 12.4. */
  static String words(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }

  /** Makes {@code context} the one that calls of this thread belong to. */
  int setContext(long context) {
    try {
      return (int) setContext.invokeExact(context);
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  int launchKernel(
      long function,
      int gx,
      int gy,
      int gz,
      int bx,
      int by,
      int bz,
      long stream,
      MemorySegment arguments) {
    try {
      return (int)
          launchKernel.invokeExact(
              function, gx, gy, gz, bx, by, bz, 0, stream, arguments, MemorySegment.NULL);
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  int launchGraph(long graph, long stream) {
    try {
      return (int) launchGraph.invokeExact(graph, stream);
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  /** Memory of the host must not be of the heap. */
  int copyToDevice(long to, MemorySegment from, long bytes, long stream) {
    try {
      return (int) copyToDevice.invokeExact(to, from, bytes, stream);
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  int copyToHost(MemorySegment to, long from, long bytes, long stream) {
    try {
      return (int) copyToHost.invokeExact(to, from, bytes, stream);
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  /** Memory given back to the driver's pool stays there for the next who asks. */
  int keepPooled(int device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pool = arena.allocate(LONG);
      int status = (int) defaultPool.invokeExact(pool, device);
      if (status != CUresult.CUDA_SUCCESS) {
        return status;
      }
      MemorySegment all = arena.allocateFrom(ValueLayout.JAVA_LONG, Long.MAX_VALUE);
      return (int)
          setPoolAttribute.invokeExact(pool.get(ValueLayout.JAVA_LONG, 0), RELEASE_THRESHOLD, all);
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }
}
