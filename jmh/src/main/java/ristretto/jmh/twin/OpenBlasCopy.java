package ristretto.jmh.twin;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Second copy of the engine's OpenBLAS, with its own number of threads. */
final class OpenBlasCopy {
  /** Libraries in the order of their dependencies. */
  private static final List<String> FILES =
      List.of("libquadmath.so.0", "libgfortran.so.5", "libopenblas.so.0");

  private OpenBlasCopy() {}

  /**
   * Loads a copy of the library.
   *
   * @throws IOException if there is none for this platform
   */
  static SymbolLookup load(int threads) throws IOException {
    String folder = "/org/bytedeco/openblas/linux-x86_64/";
    Path copy = Files.createTempDirectory("ristretto-openblas");
    copy.toFile().deleteOnExit();
    SymbolLookup library = null;
    for (String file : FILES) {
      Path target = copy.resolve(file);
      target.toFile().deleteOnExit();
      try (InputStream in = OpenBlasCopy.class.getResourceAsStream(folder + file)) {
        if (in == null) {
          throw new IOException(folder + file + " is not on the class path");
        }
        Files.copy(in, target);
      }
      library = SymbolLookup.libraryLookup(target, Arena.global());
    }
    Linker linker = Linker.nativeLinker();
    MethodHandle set =
        linker.downcallHandle(
            library.findOrThrow("openblas_set_num_threads"), FunctionDescriptor.ofVoid(JAVA_INT));
    MethodHandle core =
        linker.downcallHandle(
            library.findOrThrow("openblas_get_corename"), FunctionDescriptor.of(ADDRESS));
    try {
      set.invokeExact(threads);
      var _ = (MemorySegment) core.invokeExact();
    } catch (Throwable e) {
      throw new IOException(e);
    }
    return library;
  }
}
