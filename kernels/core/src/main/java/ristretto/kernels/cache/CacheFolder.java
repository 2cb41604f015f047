package ristretto.kernels.cache;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The user's folder for what is kept between runs. */
public final class CacheFolder {
  private CacheFolder() {}

  /** Its part for one purpose; perhaps not there yet. */
  public static Path of(String part) {
    String root = System.getProperty("ristretto.cache");
    Path base =
        root != null
            ? Path.of(root)
            : Path.of(System.getProperty("user.home"), ".cache", "ristretto");
    return base.resolve(part);
  }

  /**
   * Copies {@code from} to a file, unless it is there; other processes see all of it or nothing.
   */
  public static void keep(URL from, Path file) throws IOException {
    if (Files.exists(file)) {
      return;
    }
    Files.createDirectories(file.getParent());
    try (InputStream in = from.openStream()) {
      Path aside = Files.createTempFile(file.getParent(), "copying", ".tmp");
      Files.copy(in, aside, StandardCopyOption.REPLACE_EXISTING);
      Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
