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
 * Native libraries in one of bytedeco's jars, which the system can load only from files: they are
 * copied to a cache folder once.
 *
 * @param library as bytedeco names it: openblas, dnnl
 * @param platform likewise: linux-x86_64
 * @param names the files to have side by side, the library itself first
 */
public record JarFiles(String library, String platform, List<String> names) {
  public JarFiles {
    names = List.copyOf(names);
  }

  /** The system and the processor of this machine. */
  public static String here() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String arch = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x86_64";
    String system =
        os.startsWith("mac") ? "macosx" : os.startsWith("windows") ? "windows" : "linux";
    return system + "-" + arch;
  }

  /** The library's name within the jar. */
  public String first() {
    return folder() + names.getFirst();
  }

  private String folder() {
    return "org/bytedeco/" + library + "/" + platform + "/";
  }

  /** Whether the jar is on the class path or the module path of {@code loader}. */
  public boolean present(ClassLoader loader) {
    return find(loader, first()) != null;
  }

  /** Where the library is copied to. */
  public Path folder(ClassLoader loader) {
    String path = find(loader, first()).getPath();
    int end = path.indexOf(".jar!");
    // A folder a version of the jar.
    String jar = end < 0 ? library : path.substring(path.lastIndexOf('/', end) + 1, end);
    return CacheFolder.of("native").resolve(jar);
  }

  /** Copies what is not there yet or damaged; returns the library's file. */
  public Path copied(ClassLoader loader) throws IOException {
    Path cache = folder(loader);
    // The library itself last: where it is, all of its companions are.
    for (String name : names.reversed()) {
      URL from = find(loader, folder() + name);
      if (from != null) {
        CacheFolder.keep(from, cache.resolve(name));
      }
    }
    return cache.resolve(names.getFirst());
  }

  /** Null if there is none. Modules on the module path that nobody requires are found too. */
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
