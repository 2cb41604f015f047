package ristretto.kernels.cpu;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import ristretto.kernels.KernelException;
import ristretto.kernels.cache.CacheFolder;
import ristretto.kernels.debug.Debug;

/**
 * Finds OpenBLAS in the jar of bytedeco's openblas, copies it to a cache folder once, and loads it
 * from there.
 */
final class OpenBlasLibrary {
  private static SymbolLookup loaded;

  private OpenBlasLibrary() {}

  /** The library's functions. @throws KernelException if there is no library */
  static synchronized SymbolLookup load() {
    if (loaded == null) {
      Natives natives = Natives.here();
      Path library = copied(natives);
      try {
        loaded = SymbolLookup.libraryLookup(library, Arena.global());
      } catch (IllegalArgumentException e) {
        throw new KernelException(
            "[dot] OpenBLAS must load; got "
                + e
                + "; if its files are damaged, delete the folder "
                + library.getParent()
                + ", from where it is copied again",
            e);
      }
      Debug.log(Debug.DEVICES, () -> "[cpu] OpenBLAS from " + library);
    }
    return loaded;
  }

  /**
   * The platform as bytedeco names it, and the files to have side by side, the library itself
   * first.
   */
  private record Natives(String platform, List<String> names) {
    static Natives here() {
      String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
      String arch = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x86_64";
      if (os.startsWith("mac")) {
        return new Natives(
            "macosx-" + arch,
            List.of(
                "libopenblas.0.dylib",
                "libgfortran.dylib",
                "libquadmath.0.dylib",
                "libgcc_s.1.1.dylib"));
      }
      if (os.startsWith("windows")) {
        return new Natives("windows-" + arch, List.of("libopenblas.dll"));
      }
      return new Natives(
          "linux-" + arch,
          List.of("libopenblas.so.0", "libgfortran.so.5", "libquadmath.so.0", "libgcc_s.so.1"));
    }

    String folder() {
      return "org/bytedeco/openblas/" + platform + "/";
    }

    String module() {
      return "org.bytedeco.openblas." + platform.replace('-', '.');
    }
  }

  private static Path copied(Natives natives) {
    String first = natives.folder() + natives.names.getFirst();
    URL url = find(natives, first);
    if (url == null) {
      throw new KernelException(
          "[dot] OpenBLAS must be on the class path or module path; got no "
              + first
              + "; add org.bytedeco:openblas with classifier "
              + natives.platform);
    }
    Path cache = cache(url);
    try {
      // The library itself last: where it is, all of its companions are.
      for (String name : natives.names.reversed()) {
        URL from = find(natives, natives.folder() + name);
        if (from != null) {
          CacheFolder.keep(from, cache.resolve(name));
        }
      }
    } catch (IOException e) {
      throw new KernelException(
          "[dot] OpenBLAS must be copied to a cache folder; got "
              + e
              + " for "
              + cache
              + "; make it writable or set -Dristretto.cache",
          e);
    }
    return cache.resolve(natives.names.getFirst());
  }

  /** Null if there is none. Modules on the module path that nobody requires are found too. */
  private static URL find(Natives natives, String resource) {
    URL url = OpenBlasLibrary.class.getClassLoader().getResource(resource);
    String modules = System.getProperty("jdk.module.path");
    if (url != null || modules == null) {
      return url;
    }
    Path[] path =
        Arrays.stream(modules.split(File.pathSeparator)).map(Path::of).toArray(Path[]::new);
    Optional<ModuleReference> module = ModuleFinder.of(path).find(natives.module());
    if (module.isEmpty()) {
      return null;
    }
    try (ModuleReader reader = module.get().open()) {
      Optional<URI> found = reader.find(resource);
      return found.isEmpty() ? null : found.get().toURL();
    } catch (IOException e) {
      return null;
    }
  }

  /** A folder a version of the jar. */
  private static Path cache(URL url) {
    String path = url.getPath();
    int end = path.indexOf(".jar!");
    String jar = end < 0 ? "openblas" : path.substring(path.lastIndexOf('/', end) + 1, end);
    return CacheFolder.of("native").resolve(jar);
  }
}
