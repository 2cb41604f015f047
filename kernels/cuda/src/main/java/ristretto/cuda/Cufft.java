package ristretto.cuda;

import static ristretto.cuda.Library.INT;
import static ristretto.cuda.Library.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.DeviceException;

/** cuFFT, NVIDIA's library of Fourier transforms, from the installed version of CUDA. */
final class Cufft {
  private static final int SINGLE = 0x29;
  private static final int DOUBLE = 0x69;
  private static final int FORWARD = -1;
  private static final int INVERSE = 1;

  private static Optional<Cufft> found;

  /** Version of the library, such as "11.2.1". */
  final String version;

  private final MethodHandle create;
  private final MethodHandle destroy;
  private final MethodHandle setStream;
  private final MethodHandle setAllocation;
  private final MethodHandle setMemory;
  private final MethodHandle make;
  private final MethodHandle single;
  private final MethodHandle wide;

  private Cufft(Library library) {
    create = library.function("cufftCreate", LONG);
    destroy = library.function("cufftDestroy", INT);
    setStream = library.function("cufftSetStream", INT, LONG);
    setAllocation = library.function("cufftSetAutoAllocation", INT, INT);
    setMemory = library.function("cufftSetWorkArea", INT, LONG);
    make =
        library.function(
            "cufftMakePlanMany64",
            INT,
            INT,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            INT,
            LONG,
            LONG);
    single = library.function("cufftExecC2C", INT, LONG, LONG, INT);
    wide = library.function("cufftExecZ2Z", INT, LONG, LONG, INT);
    version = library.version("cufftGetProperty", status -> check(status, "cufftGetProperty"));
  }

  /** Returns the library; empty if it is not installed. */
  static synchronized Optional<Cufft> find(Driver driver) {
    if (found == null || found.isEmpty()) {
      found = search(new Libraries(driver.version / 1000));
    }
    return found;
  }

  /** Searches for cuFFT 11 of CUDA 12 and cuFFT 12 of CUDA 13. */
  static Optional<Cufft> search(Libraries libraries) {
    List<Integer> versions = libraries.versions().stream().map(cuda -> cuda - 1).toList();
    return libraries.versioned("cufft", versions).map(Cufft::new).findFirst();
  }

  static void check(int status, String function) {
    if (status != 0) {
      throw new DeviceException(
          ("[fft] cuFFT must succeed; %s returned %s; install cuFFT of the driver's version of"
                  + " CUDA, or compute transforms by built-in kernels with"
                  + " -Dristretto.cuda.fft=own")
              .formatted(function, status));
    }
  }

  /** Plans transforms of pairs on the device's stream, in the current context. */
  Plan plan(CudaDevice device, boolean isWide, long n, long batch) {
    return new Plan(device, isWide, n, batch);
  }

  /** Transforms of one length, in place. Used under its device's lock. */
  final class Plan {
    private final boolean isWide;
    private final int handle;
    private final long memory;

    private Plan(CudaDevice device, boolean isWide, long n, long batch) {
      this.isWide = isWide;
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment holder = arena.allocate(INT);
        check((int) create.invokeExact(holder.address()), "cufftCreate");
        handle = holder.get(INT, 0);
        // The workspace is a temporary buffer of the launch.
        check((int) setAllocation.invokeExact(handle, 0), "cufftSetAutoAllocation");
        long length = arena.allocateFrom(LONG, n).address();
        MemorySegment bytes = arena.allocate(LONG);
        int type = isWide ? DOUBLE : SINGLE;
        check(
            (int)
                make.invokeExact(
                    handle, 1, length, 0L, 1L, n, 0L, 1L, n, type, batch, bytes.address()),
            "cufftMakePlanMany64");
        memory = bytes.get(LONG, 0);
        long stream = device.stream.handle();
        check((int) setStream.invokeExact(handle, stream), "cufftSetStream");
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }

    /** Name of the library's function. */
    String words() {
      return isWide ? "cufftExecZ2Z" : "cufftExecC2C";
    }

    /** Size of the workspace in bytes. */
    long memory() {
      return memory;
    }

    /**
     * Enqueues the transforms.
     *
     * @param pairs address of the elements, which the results replace
     * @param room address of the workspace
     */
    void run(boolean inverse, long pairs, long room) {
      int direction = inverse ? INVERSE : FORWARD;
      try {
        if (memory > 0) {
          check((int) setMemory.invokeExact(handle, room), "cufftSetWorkArea");
        }
        int status =
            isWide
                ? (int) wide.invokeExact(handle, pairs, pairs, direction)
                : (int) single.invokeExact(handle, pairs, pairs, direction);
        check(status, words());
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
    }
  }
}
