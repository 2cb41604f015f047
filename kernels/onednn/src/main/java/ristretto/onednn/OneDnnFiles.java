package ristretto.onednn;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.FileException;
import ristretto.kernels.KernelException;
import ristretto.kernels.cache.JarFiles;
import ristretto.kernels.debug.Debug;

/**
 * Finds oneDNN in the jar of bytedeco's dnnl, copies it to a cache folder once, and loads it from
 * there.
 */
final class OneDnnFiles {
  /** Its threads must be kept from working beside ours. */
  private static final String OPENMP = "omp_set_num_threads";

  private static SymbolLookup loaded;

  private OneDnnFiles() {}

  private static JarFiles files(String platform) {
    List<String> names =
        switch (platform) {
          case "macosx-arm64" -> List.of("libdnnl.3.dylib", "libomp.dylib");
          case "macosx-x86_64" -> List.of("libdnnl.3.dylib", "libiomp5.dylib");
          case "windows-x86_64", "windows-arm64" -> List.of("dnnl.dll");
          default -> List.of("libdnnl.so.3", "libgomp.so.1");
        };
    return new JarFiles("dnnl", platform, names);
  }

  /** The functions of the library and of those that it needs. {@link #problem} says it better. */
  static synchronized SymbolLookup load() {
    Optional<String> problem = problem();
    if (problem.isPresent()) {
      throw new KernelException("[convolution] oneDNN must load; got: " + problem.get());
    }
    return loaded;
  }

  /** Loads it; answers what is missing and what to do. */
  static synchronized Optional<String> problem() {
    return loaded != null
        ? Optional.empty()
        : problem(files(JarFiles.here()), OneDnnFiles.class.getClassLoader());
  }

  /**
   * @param loader of the class path with the library's jar
   */
  static synchronized Optional<String> problem(JarFiles files, ClassLoader loader) {
    if (!files.present(loader)) {
      return Optional.of(
          "there is no "
              + files.first()
              + "; add org.bytedeco:dnnl with classifier "
              + files.platform());
    }
    SymbolLookup library;
    try {
      library = SymbolLookup.libraryLookup(files.copied(loader), Arena.global());
    } catch (IOException e) {
      return Optional.of(
          "it cannot be copied to "
              + files.folder(loader)
              + ": "
              + e
              + "; make the folder writable, or set RISTRETTO_CACHE or -Dristretto.cache");
    } catch (FileException e) {
      return Optional.of(e.getMessage());
    } catch (IllegalArgumentException e) {
      return Optional.of(
          "it does not load: " + e.getMessage() + "; install what it needs, such as libstdc++");
    }
    if (library.find(OPENMP).isEmpty()) {
      return Optional.of(
          "its OpenMP has no " + OPENMP + " here, so that its threads would work beside ours");
    }
    loaded = library;
    Debug.log(Debug.DEVICES, () -> "[cpu] oneDNN from " + files.folder(loader));
    return Optional.empty();
  }
}
