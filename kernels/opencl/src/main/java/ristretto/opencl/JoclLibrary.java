package ristretto.opencl;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import org.jocl.LibUtils;
import ristretto.kernels.FileException;
import ristretto.kernels.cache.CacheFolder;

/**
 * Has JOCL's native libraries loaded from the user's cache folder. Left alone, JOCL copies them to
 * the system's folder for temporary files, where others may have put something under their names,
 * where another process may read a file while it is written, and where it does not get those of
 * JOCLBlast from if they are a module.
 */
final class JoclLibrary {
  private static final String PLACE = "java.io.tmpdir";

  private JoclLibrary() {}

  /**
   * Loads the library {@code name} of the class {@code owner} by {@code load}, which touches that
   * class.
   *
   * @param dependent a library that it needs; empty if none
   * @throws FileException if there is no cache folder for it
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
          "[opencl] libraries must be copied to a cache folder; got %s for %s; make it writable, or set RISTRETTO_CACHE or -Dristretto.cache."
              .formatted(e, full),
          e);
    }
    // Where JOCL looks first.
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
