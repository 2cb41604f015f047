package ristretto.kernels.cache;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import ristretto.kernels.FileException;

/**
 * The user's folder for code that is kept between runs: {@code ristretto.cache} or {@code
 * RISTRETTO_CACHE}, or else {@code ~/.cache/ristretto}. Nobody but the user and root may be able to
 * write where code is loaded from: {@link Ownership}.
 */
public final class CacheFolder {
  private CacheFolder() {}

  /** Part of the folder for one purpose; it may not exist yet. */
  public static Path of(String part) {
    Path base = base();
    Ownership.checkBase(base);
    return base.resolve(part);
  }

  private static Path base() {
    String root = System.getProperty("ristretto.cache", System.getenv("RISTRETTO_CACHE"));
    return root == null || root.isBlank()
        ? home().resolve(".cache", "ristretto")
        : Path.of(root).toAbsolutePath();
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
   * Refuses a folder of the cache that belongs to another user, and takes the right to write to it,
   * and to those above it in the cache, from all others.
   *
   * @return true if others could write to one of them
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
   * Copies {@code from} to a file, unless a whole copy is there that nobody else can have written.
   * A damaged copy is replaced; other processes see all of a file or nothing.
   */
  public static void keep(URL from, Path file) throws IOException {
    Path folder = file.getParent();
    Files.createDirectories(folder);
    if (close(folder)) {
      KeptCopy.clear(folder);
    }
    var copy = new KeptCopy(file);
    if (!copy.isWhole(from)) {
      copy.write(from);
    }
  }
}
