package ristretto.cuda;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import ristretto.kernels.debug.Debug;

/** Makes code for one kind of GPU from CUDA C. */
interface Compiler {
  /**
   * No contraction of products and sums, which rendered code asks for where it wants it; division
   * and square root rounded correctly; subnormal numbers kept.
   */
  List<String> EXACT =
      List.of("-std=c++17", "-fmad=false", "-prec-div=true", "-prec-sqrt=true", "-ftz=false", "-w");

  /** Compilers by compute capability, once found. */
  Map<Integer, Compiler> FOUND = new ConcurrentHashMap<>();

  /** As in "NVRTC 12.4". */
  default String name() {
    return version().lines().findFirst().orElseThrow();
  }

  /** Everything but the source that the code depends on. */
  String version();

  /**
   * What the driver loads.
   *
   * @param name label of the kernel, without spaces
   */
  byte[] compile(String name, String source) throws Refused;

  /** The source is not accepted; the message is the compiler's log. */
  final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    Refused(String log) {
      super(log);
    }
  }

  /** The compiler for a GPU, if one is installed. */
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

  /** NVRTC, which works within this process, or else nvcc. */
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
