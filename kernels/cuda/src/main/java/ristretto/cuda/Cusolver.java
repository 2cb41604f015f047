package ristretto.cuda;

import static ristretto.cuda.Library.INT;
import static ristretto.cuda.Library.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import ristretto.kernels.DeviceException;

/** cuSOLVER, NVIDIA's library of dense factorizations, from the installed version of CUDA. */
final class Cusolver {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  private static Optional<Cusolver> found;

  /** Version of the library, such as "11.6.1". */
  final String version;

  private final MethodHandle create;
  private final MethodHandle destroy;
  private final MethodHandle setStream;
  private final Map<Function, MethodHandle> single = new EnumMap<>(Function.class);
  private final Map<Function, MethodHandle> wide = new EnumMap<>(Function.class);

  /** Functions with their arguments after the handle; {@code %s} is the letter of the type. */
  enum Function {
    POTRF_SIZE("cusolverDn%spotrf_bufferSize", INT, INT, LONG, INT, LONG),
    POTRF("cusolverDn%spotrf", INT, INT, LONG, INT, LONG, INT, LONG),
    GETRF_SIZE("cusolverDn%sgetrf_bufferSize", INT, INT, LONG, INT, LONG),
    GETRF("cusolverDn%sgetrf", INT, INT, LONG, INT, LONG, LONG, LONG),
    GETRS("cusolverDn%sgetrs", INT, INT, INT, LONG, INT, LONG, LONG, INT, LONG),
    GEQRF_SIZE("cusolverDn%sgeqrf_bufferSize", INT, INT, LONG, INT, LONG),
    GEQRF("cusolverDn%sgeqrf", INT, INT, LONG, INT, LONG, LONG, INT, LONG),
    ORGQR_SIZE("cusolverDn%sorgqr_bufferSize", INT, INT, INT, LONG, INT, LONG, LONG),
    ORGQR("cusolverDn%sorgqr", INT, INT, INT, LONG, INT, LONG, LONG, INT, LONG),
    GESVD_SIZE("cusolverDn%sgesvd_bufferSize", INT, INT, LONG),
    GESVD(
        "cusolverDn%sgesvd",
        BYTE, BYTE, INT, INT, LONG, INT, LONG, LONG, INT, LONG, INT, LONG, INT, LONG, LONG),
    SYEVD_SIZE("cusolverDn%ssyevd_bufferSize", INT, INT, INT, LONG, INT, LONG, LONG),
    SYEVD("cusolverDn%ssyevd", INT, INT, INT, LONG, INT, LONG, LONG, INT, LONG);

    private final String name;
    private final ValueLayout[] arguments;

    Function(String name, ValueLayout... arguments) {
      this.name = name;
      this.arguments = new ValueLayout[arguments.length + 1];
      this.arguments[0] = LONG;
      System.arraycopy(arguments, 0, this.arguments, 1, arguments.length);
    }

    /** Name of the function for a type. */
    String of(boolean wide) {
      return name.replace("%s", wide ? "D" : "S");
    }
  }

  private Cusolver(Library library) {
    create = library.function("cusolverDnCreate", LONG);
    destroy = library.function("cusolverDnDestroy", LONG);
    setStream = library.function("cusolverDnSetStream", LONG, LONG);
    for (Function f : Function.values()) {
      single.put(f, library.function(f.of(false), f.arguments));
      wide.put(f, library.function(f.of(true), f.arguments));
    }
    version =
        library.version("cusolverGetProperty", status -> check(status, "cusolverGetProperty"));
  }

  /** Returns the library; empty if it is not installed. */
  static synchronized Optional<Cusolver> find(Driver driver) {
    if (found == null || found.isEmpty()) {
      // cuSOLVER loads cuBLAS by name and finds the copy that is loaded already.
      Cublas.find(driver);
      found = search(new Libraries(driver.version / 1000));
    }
    return found;
  }

  /** Searches for cuSOLVER 11 of CUDA 12 and cuSOLVER 12 of CUDA 13. */
  static Optional<Cusolver> search(Libraries libraries) {
    // Libraries that cuSOLVER links to, which pip installs into other folders.
    Optional<Library> _ = libraries.versioned("nvJitLink", libraries.versions()).findFirst();
    Optional<Library> _ = libraries.versioned("cusparse", List.of(12)).findFirst();
    List<Integer> versions = libraries.versions().stream().map(cuda -> cuda - 1).toList();
    return libraries.versioned("cusolver", versions).map(Cusolver::new).findFirst();
  }

  static void check(int status, String function) {
    if (status != 0) {
      throw new DeviceException(
          ("[linalg] cuSOLVER must succeed; %s returned %s; install cuSOLVER of the driver's"
                  + " version of CUDA, or factorize matrices on the host with"
                  + " -Dristretto.cuda.solver=host")
              .formatted(function, status));
    }
  }

  /** Function of this library for a type. */
  MethodHandle function(Function f, boolean isWide) {
    return (isWide ? wide : single).get(f);
  }

  /** Opens a handle on the device's stream, in the current context. */
  long open(CudaDevice device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment holder = arena.allocate(LONG);
      check((int) create.invokeExact(holder.address()), "cusolverDnCreate");
      long handle = holder.get(LONG, 0);
      long stream = device.stream.handle();
      check((int) setStream.invokeExact(handle, stream), "cusolverDnSetStream");
      return handle;
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  void close(long handle) {
    try {
      int _ = (int) destroy.invokeExact(handle);
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }
}
