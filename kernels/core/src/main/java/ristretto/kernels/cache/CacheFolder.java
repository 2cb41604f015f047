package ristretto.kernels.cache;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import ristretto.kernels.FileException;

/**
 * Cache folder of the user for code kept between runs: {@code ristretto.cache} or {@code
 * RISTRETTO_CACHE}, by default {@code ristretto} in {@code XDG_CACHE_HOME} or {@code ~/.cache}.
 * Only the user and root may have write access to the folders from which code is loaded; see {@link
 * Ownership}.
 */
public final class CacheFolder {
  private CacheFolder() {}

  /** Returns a subfolder for one purpose, which may not exist yet. */
  public static Path of(String part) {
    Path base = base();
    Ownership.checkBase(base);
    return base.resolve(part);
  }

  private static Path base() {
    String root = System.getProperty("ristretto.cache", System.getenv("RISTRETTO_CACHE"));
    return root == null || root.isBlank()
        ? folder(System.getenv("XDG_CACHE_HOME"))
        : Path.of(root).toAbsolutePath();
  }

  /**
   * Returns the default folder.
   *
   * @param caches folder of all caches; as the XDG specification has it, a relative one is ignored
   */
  static Path folder(String caches) {
    return caches != null && Path.of(caches).isAbsolute()
        ? Path.of(caches, "ristretto")
        : home().resolve(".cache", "ristretto");
  }

  private static Path home() {
    String home = System.getProperty("user.home", "");
    Path path = Path.of(home);
    if (!path.isAbsolute()) {
      throw new FileException(
          "[cache] a user must have a home folder, or name a cache folder; got the home \"%s\"; %s."
              .formatted(home, Ownership.ADVICE),
          null);
    }
    return path;
  }

  /**
   * Refuses a folder of the cache that belongs to another user, and removes the write permission of
   * all other users from the folder and its parents within the cache.
   *
   * @return true if others had write permission to one of them
   */
  public static boolean close(Path folder) {
    boolean open = Ownership.close(folder);
    Path base = base();
    for (Path above = folder.getParent();
        above != null && above.startsWith(base) && !above.equals(base);
        above = above.getParent()) {
      open |= Ownership.close(above);
    }
    return open;
  }

  /**
   * Copies {@code from} to a file, unless the file is a complete copy that no other user can have
   * written. A damaged copy is replaced; other processes see a complete file or none.
   */
  public static void keep(URL from, Path file) throws IOException {
    Path folder = file.getParent();
    Files.createDirectories(folder);
    if (close(folder)) {
      CachedCopy.clear(folder);
    }
    var copy = new CachedCopy(file);
    if (!copy.isWhole(from)) {
      copy.write(from);
    }
  }
}
