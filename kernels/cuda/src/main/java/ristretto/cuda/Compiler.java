package ristretto.cuda;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import ristretto.kernels.debug.Debug;

/** Compiles CUDA C for one GPU architecture. */
interface Compiler {
  /**
   * Options for exact arithmetic: no contraction to FMA except where rendered code asks for it;
   * division and square root rounded correctly; subnormal numbers kept.
   */
  List<String> EXACT =
      List.of("-std=c++17", "-fmad=false", "-prec-div=true", "-prec-sqrt=true", "-ftz=false", "-w");

  /** Compilers found so far, by compute capability. */
  Map<Integer, Compiler> FOUND = new ConcurrentHashMap<>();

  /** Name and version, such as "NVRTC 12.4". */
  default String name() {
    return version().lines().findFirst().orElseThrow();
  }

  /** Identifies compiler version and options for the cache key of compiled code. */
  String version();

  /**
   * Compiles to an image that the driver loads.
   *
   * @param name label of the kernel, without spaces
   */
  byte[] compile(String name, String source) throws Refused;

  /** Thrown if the compiler rejects the source; the message is the compiler's log. */
  final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    Refused(String log) {
      super(log);
    }
  }

  /** Returns the compiler for a GPU; empty if none is installed. */
  static Optional<Compiler> of(Hardware hardware) {
    Compiler known = FOUND.get(hardware.capability());
    if (known != null) {
      return Optional.of(known);
    }
    var libraries = new Libraries(hardware.driver().version / 1000);
    Optional<Compiler> found = find(libraries, hardware.capability());
    found.ifPresent(c -> {
      FOUND.put(hardware.capability(), c);
      Debug.log(Debug.DEVICES, () -> "[cuda] compiles with " + c.version().replace('\n', ' '));
    });
    return found;
  }

  /** Finds NVRTC, which compiles within this process, or else nvcc. */
  static Optional<Compiler> find(Libraries libraries, int capability) {
    Optional<Compiler> nvrtc =
        libraries
            .all("nvrtc", "nvrtc-builtins")
            .flatMap(library -> Nvrtc.of(library, capability).stream())
            .findFirst();
    return nvrtc.isPresent()
        ? nvrtc
        : libraries.program("nvcc").flatMap(program -> Nvcc.of(program, capability));
  }
}
