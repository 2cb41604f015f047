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
 * Finds oneDNN in the jar of bytedeco's dnnl, copies it to a cache folder once, and loads the copy.
 */
final class OneDnnFiles {
  /** OpenMP function that limits oneDNN's own threads. */
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

  /**
   * Loads oneDNN and returns the functions of it and its dependencies. {@link #problem} reports
   * failures in more detail.
   */
  static synchronized SymbolLookup load() {
    Optional<String> problem = problem();
    if (problem.isPresent()) {
      throw new KernelException("[convolution] oneDNN must load; got: " + problem.get());
    }
    return loaded;
  }

  /** Loads oneDNN; returns what is missing and the remedy, or empty on success. */
  static synchronized Optional<String> problem() {
    return loaded != null
        ? Optional.empty()
        : problem(files(JarFiles.here()), OneDnnFiles.class.getClassLoader());
  }

  /**
   * Loads oneDNN; returns what is missing and the remedy, or empty on success.
   *
   * @param loader class loader whose class path has oneDNN's jar
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
          "it cannot be extracted to "
              + files.folder(loader)
              + ": "
              + e
              + "; make the folder writable, or set RISTRETTO_CACHE or -Dristretto.cache");
    } catch (FileException e) {
      return Optional.of(e.getMessage());
    } catch (IllegalArgumentException e) {
      return Optional.of(
          "it does not load: " + e.getMessage() + "; install its dependencies, such as libstdc++");
    }
    if (library.find(OPENMP).isEmpty()) {
      return Optional.of(
          "its OpenMP has no " + OPENMP + " here, so that its threads would compete with ours");
    }
    loaded = library;
    Debug.log(Debug.DEVICES, () -> "[cpu] oneDNN from " + files.folder(loader));
    return Optional.empty();
  }
}
