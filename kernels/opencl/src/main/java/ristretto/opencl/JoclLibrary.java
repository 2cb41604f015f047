package ristretto.opencl;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import org.jocl.LibUtils;
import ristretto.kernels.FileException;
import ristretto.kernels.cache.CacheFolder;

/**
 * Loads JOCL's native libraries from the user's cache folder. By default JOCL copies them to the
 * system's temporary folder, where another user may have placed a file of that name, where another
 * process may read a file while it is written, and where JOCL does not find JOCLBlast's libraries
 * if JOCLBlast is a module.
 */
final class JoclLibrary {
  private static final String PLACE = "java.io.tmpdir";

  private JoclLibrary() {}

  /**
   * Copies the library {@code name} of the class {@code owner} to the cache folder and loads it by
   * {@code load}, which initializes that class.
   *
   * @param dependent library that {@code name} links to; empty if none
   * @throws FileException if there is no cache folder
   */
  static synchronized void load(Class<?> owner, String name, String dependent, Runnable load) {
    String full = LibUtils.createPlatformLibraryName(name);
    String[] platform = full.substring(name.length() + 1).split("-", 2);
    Path folder = CacheFolder.of("native").resolve(name);
    try {
      if (!dependent.isEmpty()) {
        String file = LibUtils.createLibraryFileName(dependent);
        Path place = folder.resolve(full + "_dependents").resolve(platform[0]).resolve(platform[1]);
        keep(owner, "/lib/" + platform[0] + "/" + platform[1] + "/" + file, place.resolve(file));
      }
      String file = LibUtils.createLibraryFileName(full);
      keep(owner, "/lib/" + file, folder.resolve(file));
    } catch (IOException e) {
      throw new FileException(
          "[opencl] libraries must be extracted to a cache folder; got %s for %s; make it writable, or set RISTRETTO_CACHE or -Dristretto.cache."
              .formatted(e, full),
          e);
    }
    // JOCL searches this folder first.
    String before = System.setProperty(PLACE, folder.toString());
    try {
      load.run();
    } finally {
      System.setProperty(PLACE, before);
    }
  }

  private static void keep(Class<?> owner, String resource, Path file) throws IOException {
    URL from = owner.getResource(resource);
    if (from == null) {
      throw new UnsatisfiedLinkError("there is no " + resource.substring(1) + " in its jar");
    }
    CacheFolder.keep(from, file);
  }
}
