package ristretto.kernels.cpu.blas;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.List;
import ristretto.kernels.KernelException;
import ristretto.kernels.cache.JarFiles;
import ristretto.kernels.debug.Debug;

/**
 * Loader of OpenBLAS: copies the library from the jar of bytedeco's openblas to a cache folder once
 * and loads it from there.
 */
public final class OpenBlasLibrary {
  private static SymbolLookup loaded;

  private OpenBlasLibrary() {}

  /**
   * Returns the library's functions.
   *
   * @throws KernelException if there is no library
   */
  public static synchronized SymbolLookup load() {
    if (loaded == null) {
      Path library = copied(files(JarFiles.here()));
      try {
        loaded = SymbolLookup.libraryLookup(library, Arena.global());
      } catch (IllegalArgumentException e) {
        throw new KernelException(
            "[dot] OpenBLAS must load; got "
                + e
                + "; install its dependencies, such as libgfortran",
            e);
      }
      Debug.log(Debug.DEVICES, () -> "[cpu] OpenBLAS from " + library);
    }
    return loaded;
  }

  private static JarFiles files(String platform) {
    List<String> names;
    if (platform.startsWith("mac")) {
      names =
          List.of(
              "libopenblas.0.dylib",
              "libgfortran.dylib",
              "libquadmath.0.dylib",
              "libgcc_s.1.1.dylib");
    } else if (platform.startsWith("windows")) {
      names = List.of("libopenblas.dll");
    } else {
      names = List.of("libopenblas.so.0", "libgfortran.so.5", "libquadmath.so.0", "libgcc_s.so.1");
    }
    return new JarFiles("openblas", platform, names);
  }

  private static Path copied(JarFiles files) {
    ClassLoader loader = OpenBlasLibrary.class.getClassLoader();
    if (!files.present(loader)) {
      throw new KernelException(
          "[dot] OpenBLAS must be on the class path or module path; got no "
              + files.first()
              + "; add org.bytedeco:openblas with classifier "
              + files.platform());
    }
    try {
      return files.copied(loader);
    } catch (IOException e) {
      throw new KernelException(
          "[dot] OpenBLAS must be extracted to a cache folder; got "
              + e
              + " for "
              + files.folder(loader)
              + "; make it writable, or set RISTRETTO_CACHE or -Dristretto.cache",
          e);
    }
  }
}
