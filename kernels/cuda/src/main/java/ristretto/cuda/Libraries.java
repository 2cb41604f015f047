package ristretto.cuda;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import ristretto.kernels.debug.Debug;

/**
 * Finds libraries of CUDA 12 and 13 where installers, package managers and pip put them. Libraries
 * of the driver's own version come first, since newer ones may need a newer driver.
 */
final class Libraries {
  private static final List<Integer> VERSIONS = List.of(13, 12);

  /** Library folders relative to CUDA's home folder. */
  private static final List<String> INSIDE =
      List.of("lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib");

  private final List<Path> folders;
  private final int driver;

  /**
   * Searches the folders of this machine.
   *
   * @param driver major version of the driver's CUDA
   */
  Libraries(int driver) {
    this(folders(setting("RISTRETTO_CUDA_LIBRARIES", "ristretto.cuda.libraries")), driver);
  }

  Libraries(List<Path> folders, int driver) {
    this.folders = folders;
    this.driver = driver;
  }

  /**
   * Loads the libraries {@code lib<name>.so.<version>} that are found, best first.
   *
   * @param companions libraries of the same folder that it links to, loaded before it
   */
  Stream<Library> all(String name, String... companions) {
    return versioned(name, versions(), companions);
  }

  /**
   * Loads the libraries {@code lib<name>.so.<version>} of the given versions that are found, best
   * first. These versions need not be CUDA's.
   */
  Stream<Library> versioned(String name, List<Integer> versions, String... companions) {
    return versions.stream()
        .flatMap(major -> {
          String ending = ".so." + major;
          Stream<Library> inFolders =
              folders.stream()
                  .filter(folder -> Files.exists(folder.resolve("lib" + name + ending)))
                  .flatMap(folder -> {
                    for (String companion : companions) {
                      matching(folder, "lib" + companion + ending + "*")
                          .forEach(file -> Library.load(file.toString(), major));
                    }
                    return load(folder.resolve("lib" + name + ending).toString(), major);
                  });
          // Then the linker's search path.
          Stream<String> named = Stream.of("lib" + name + ending);
          return Stream.concat(inFolders, named.flatMap(file -> load(file, major)));
        });
  }

  private static Stream<Library> load(String file, int major) {
    Optional<Library> library = Library.load(file, major);
    Debug.log(
        Debug.DEVICES,
        () -> "[cuda] " + file + (library.isPresent() ? " is loaded" : " does not load"));
    return library.stream();
  }

  /**
   * CUDA versions in order of preference: the driver's version, then older ones, then newer ones.
   */
  List<Integer> versions() {
    var versions = new ArrayList<>(VERSIONS);
    versions.sort(Comparator.comparing((Integer v) -> v > driver));
    return versions;
  }

  /** Finds an executable of the CUDA toolkit, such as nvcc. */
  Optional<Path> program(String name) {
    var candidates = new LinkedHashSet<Path>();
    for (Path folder : folders) {
      for (Path up = folder; up != null && candidates.size() < 1000; up = up.getParent()) {
        candidates.add(up.resolve("bin").resolve(name));
      }
    }
    paths(System.getenv("PATH")).forEach(p -> candidates.add(p.resolve(name)));
    return candidates.stream().filter(Files::isExecutable).findFirst();
  }

  /**
   * Lists the folders to search.
   *
   * @param first folders that the user configured
   */
  static List<Path> folders(String first) {
    Set<Path> all = new LinkedHashSet<>(paths(first));
    for (String variable : List.of("CUDA_HOME", "CUDA_PATH")) {
      paths(System.getenv(variable)).forEach(home -> addInside(all, home));
    }
    all.addAll(paths(System.getenv("LD_LIBRARY_PATH")));
    addInside(all, Path.of("/usr/local/cuda"));
    matching(Path.of("/usr/local"), "cuda-*").forEach(home -> addInside(all, home));
    addInside(all, Path.of("/opt/cuda"));
    paths(System.getenv("CONDA_PREFIX")).forEach(home -> addInside(all, home));
    sitePackages().forEach(site -> addPip(all, site.resolve("nvidia")));
    return all.stream().filter(Files::isDirectory).toList();
  }

  static String setting(String variable, String property) {
    return System.getProperty(property, System.getenv(variable));
  }

  private static void addInside(Set<Path> all, Path home) {
    INSIDE.forEach(folder -> all.add(home.resolve(folder)));
  }

  /**
   * Adds folders of pip packages: {@code nvidia/cuda_nvrtc/lib}, and {@code nvidia/cu13/lib} since
   * CUDA 13.
   */
  private static void addPip(Set<Path> all, Path nvidia) {
    matching(nvidia, "*").forEach(p -> all.add(p.resolve("lib")));
  }

  /**
   * Lists the site-packages folders of the virtual environment, the user, and the system's Pythons.
   */
  private static List<Path> sitePackages() {
    var roots = new ArrayList<Path>();
    roots.addAll(paths(System.getenv("VIRTUAL_ENV")));
    roots.addAll(paths(System.getenv("CONDA_PREFIX")));
    paths(System.getenv("PATH")).stream()
        .map(Path::getParent)
        .filter(Objects::nonNull)
        .forEach(roots::add);
    roots.add(Path.of(System.getProperty("user.home"), ".local"));
    roots.add(Path.of("/usr/local"));
    roots.add(Path.of("/usr"));
    roots.add(Path.of("/opt/conda"));
    var all = new ArrayList<Path>();
    for (Path root : roots) {
      for (Path python : matching(root.resolve("lib"), "python3*")) {
        all.add(python.resolve("site-packages"));
        all.add(python.resolve("dist-packages"));
      }
    }
    return all;
  }

  /** Lists the entries that match, newest first. */
  private static List<Path> matching(Path folder, String glob) {
    var found = new ArrayList<Path>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, glob)) {
        entries.forEach(found::add);
      } catch (IOException e) {
        Debug.log(Debug.DEVICES, () -> "[cuda] cannot list " + folder + ": " + e);
      }
    }
    found.sort(Comparator.comparing(Path::toString).reversed());
    return found;
  }

  private static List<Path> paths(String list) {
    var all = new ArrayList<Path>();
    for (String path : list == null ? new String[0] : list.split(File.pathSeparator)) {
      try {
        if (!path.isBlank()) {
          all.add(Path.of(path));
        }
      } catch (InvalidPathException e) {
        Debug.log(Debug.DEVICES, () -> "[cuda] no path: " + path);
      }
    }
    return all;
  }
}
