package ristretto.cuda;

import static ristretto.cuda.Library.INT;
import static ristretto.cuda.Library.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.DeviceException;

/** NVRTC, NVIDIA's compiler as a library. */
final class Nvrtc implements Compiler {
  private static final int SUCCESS = 0;
  private static final int COMPILATION = 6;

  private final String version;
  private final List<String> options;

  /**
   * True if NVRTC is older than the GPU's architecture: it then emits PTX, which the driver
   * compiles.
   */
  private final boolean assembly;

  private final MethodHandle createProgram;
  private final MethodHandle compileProgram;
  private final MethodHandle destroyProgram;
  private final MethodHandle logSize;
  private final MethodHandle log;
  private final MethodHandle codeSize;
  private final MethodHandle code;

  private Nvrtc(Library library, String version, String architecture, boolean assembly) {
    this.assembly = assembly;
    options = new ArrayList<>(List.of("--gpu-architecture=" + architecture));
    options.addAll(EXACT);
    this.version = "NVRTC " + version + "\n" + String.join(" ", options);
    createProgram =
        library.function("nvrtcCreateProgram", POINTER, POINTER, POINTER, INT, POINTER, POINTER);
    compileProgram = library.function("nvrtcCompileProgram", POINTER, INT, POINTER);
    destroyProgram = library.function("nvrtcDestroyProgram", POINTER);
    logSize = library.function("nvrtcGetProgramLogSize", POINTER, POINTER);
    log = library.function("nvrtcGetProgramLog", POINTER, POINTER);
    codeSize =
        library.function(assembly ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize", POINTER, POINTER);
    code = library.function(assembly ? "nvrtcGetPTX" : "nvrtcGetCUBIN", POINTER, POINTER);
  }

  /**
   * Returns the compiler; empty if the library no longer supports this GPU.
   *
   * @param capability compute capability times 10: 90 for 9.0
   */
  static Optional<Compiler> of(Library library, int capability) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment two = arena.allocate(INT, 2);
      check(
          (int) library.function("nvrtcVersion", POINTER, POINTER).invokeExact(two, two.asSlice(4)),
          "nvrtcVersion");
      String version = two.getAtIndex(INT, 0) + "." + two.getAtIndex(INT, 1);
      check(
          (int) library.function("nvrtcGetNumSupportedArchs", POINTER).invokeExact(two),
          "nvrtcGetNumSupportedArchs");
      MemorySegment known = arena.allocate(INT, two.get(INT, 0));
      check(
          (int) library.function("nvrtcGetSupportedArchs", POINTER).invokeExact(known),
          "nvrtcGetSupportedArchs");
      int[] all = known.toArray(ValueLayout.JAVA_INT);
      if (Arrays.stream(all).anyMatch(a -> a == capability)) {
        return Optional.of(new Nvrtc(library, version, "sm_" + capability, false));
      }
      int newest = Arrays.stream(all).filter(a -> a < capability).max().orElse(0);
      return newest == 0
          ? Optional.empty()
          : Optional.of(new Nvrtc(library, version, "compute_" + newest, true));
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  static void check(int status, String function) {
    if (status != SUCCESS) {
      throw new DeviceException(
          "[cuda] NVRTC must succeed; "
              + function
              + " returned "
              + status
              + "; install NVRTC anew, or name another one in RISTRETTO_CUDA_LIBRARIES");
    }
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public byte[] compile(String name, String source) throws Refused {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment holder = arena.allocate(POINTER);
      check(
          (int)
              createProgram.invokeExact(
                  holder,
                  arena.allocateFrom(source),
                  arena.allocateFrom(name + ".cu"),
                  0,
                  MemorySegment.NULL,
                  MemorySegment.NULL),
          "nvrtcCreateProgram");
      MemorySegment program = holder.get(POINTER, 0);
      try {
        MemorySegment list = arena.allocate(POINTER, options.size());
        for (int k = 0; k < options.size(); k++) {
          list.setAtIndex(POINTER, k, arena.allocateFrom(options.get(k)));
        }
        int status = (int) compileProgram.invokeExact(program, options.size(), list);
        if (status != SUCCESS) {
          String said = output(arena, program, logSize, log).getString(0).strip();
          if (status == COMPILATION) {
            throw new Refused(said);
          }
          check(status, "nvrtcCompileProgram, after \"" + said + "\",");
        }
        byte[] made = output(arena, program, codeSize, code).toArray(ValueLayout.JAVA_BYTE);
        if (made.length == 0) {
          throw new Refused("no code for " + options.getFirst() + (assembly ? " (PTX)" : ""));
        }
        return made;
      } finally {
        int _ = (int) destroyProgram.invokeExact(holder);
      }
    } catch (Refused e) {
      throw e;
    } catch (Throwable t) {
      throw Library.thrown(t);
    }
  }

  private static MemorySegment output(
      Arena arena, MemorySegment program, MethodHandle size, MethodHandle content)
      throws Throwable {
    MemorySegment bytes = arena.allocate(Library.LONG);
    check((int) size.invokeExact(program, bytes), "the size of a result");
    MemorySegment result = arena.allocate(Math.max(1, bytes.get(Library.LONG, 0)));
    check((int) content.invokeExact(program, result), "a result");
    return result.asSlice(0, bytes.get(Library.LONG, 0));
  }
}
