package ristretto.kernels.cache;

import java.io.File;
import java.io.IOException;
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

/**
 * Native libraries in one of bytedeco's jars. The system can load them only from files, so they are
 * copied to a cache folder once.
 *
 * @param library bytedeco's name of the library: openblas, dnnl
 * @param platform bytedeco's name of the platform: linux-x86_64
 * @param names files that must be in one folder, the library itself first
 */
public record JarFiles(String library, String platform, List<String> names) {
  public JarFiles {
    names = List.copyOf(names);
  }

  /** Returns the platform of this machine: operating system and processor. */
  public static String here() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String arch = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x86_64";
    String system =
        os.startsWith("mac") ? "macosx" : os.startsWith("windows") ? "windows" : "linux";
    return system + "-" + arch;
  }

  /** Resource name of the library within the jar. */
  public String first() {
    return folder() + names.getFirst();
  }

  private String folder() {
    return "org/bytedeco/" + library + "/" + platform + "/";
  }

  /** Returns true if the jar is on the class path or the module path of {@code loader}. */
  public boolean present(ClassLoader loader) {
    return find(loader, first()) != null;
  }

  /** Returns the cache folder of the extracted native library. */
  public Path folder(ClassLoader loader) {
    String path = find(loader, first()).getPath();
    int end = path.indexOf(".jar!");
    // One folder per version of the jar.
    String jar = end < 0 ? library : path.substring(path.lastIndexOf('/', end) + 1, end);
    return CacheFolder.of("native").resolve(jar);
  }

  /** Copies the files that are missing or damaged; returns the library's file. */
  public Path copied(ClassLoader loader) throws IOException {
    Path cache = folder(loader);
    // The library itself is last, so that its presence implies that its companions are present.
    for (String name : names.reversed()) {
      URL from = find(loader, folder() + name);
      if (from != null) {
        CacheFolder.keep(from, cache.resolve(name));
      }
    }
    return cache.resolve(names.getFirst());
  }

  /**
   * Returns the resource, or null if there is none. Also finds modules on the module path that no
   * module requires.
   */
  private URL find(ClassLoader loader, String resource) {
    URL url = loader.getResource(resource);
    String modules = System.getProperty("jdk.module.path");
    if (url != null || modules == null) {
      return url;
    }
    Path[] path =
        Arrays.stream(modules.split(File.pathSeparator)).map(Path::of).toArray(Path[]::new);
    String name = "org.bytedeco." + library + "." + platform.replace('-', '.');
    Optional<ModuleReference> module = ModuleFinder.of(path).find(name);
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
}
