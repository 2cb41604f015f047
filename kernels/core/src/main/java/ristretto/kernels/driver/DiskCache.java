package ristretto.kernels.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import ristretto.kernels.cache.CacheFolder;
import ristretto.kernels.cache.Ownership;
import ristretto.kernels.debug.Debug;

/**
 * Program binaries in the user's cache folder. Each program has a folder named after the digest of
 * its source, the driver and the options. The folder holds the binary, the source and, written
 * last, a marker with the binary's digest. A folder is filled under a temporary name and renamed,
 * so that other processes see a complete entry or none.
 */
public final class DiskCache {
  private static final String BINARY = "program.bin";
  private static final String MARKER = "complete";

  /** Largest number of programs in the cache. */
  private static final int CAPACITY = 4096;

  private final Path root;
  private final String language;
  private final String environment;

  /**
   * Opens the cache of one kind of device.
   *
   * @param kind kind of the device, which names the folder
   * @param language extension of source files
   * @param environment everything except the source that determines a binary
   */
  public DiskCache(String kind, String language, String environment) {
    this(CacheFolder.of(kind), language, environment);
  }

  DiskCache(Path root, String language, String environment) {
    this.root = root;
    this.language = language;
    this.environment = environment;
  }

  /** Returns true if programs are not cached, as in tests. */
  private static boolean off() {
    return "off".equals(System.getProperty("ristretto.cache.programs"));
  }

  private String sourceFile() {
    return "program." + language;
  }

  private Path entry(String source) {
    // Length prefixes make the key unambiguous.
    String key = environment.length() + "\n" + environment + source.length() + "\n" + source;
    return root.resolve(digest(key.getBytes(StandardCharsets.UTF_8)));
  }

  private static String digest(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the binary of {@code source}, or null if there is no complete one. */
  public byte[] load(String source) {
    if (off()) {
      return null;
    }
    Path entry = entry(source);
    try {
      if (!Files.exists(entry.resolve(MARKER))) {
        return null;
      }
      CacheFolder.close(root);
      if (!Ownership.isOurs(entry) || !Ownership.isOurs(entry.resolve(BINARY))) {
        Debug.log(
            Debug.DEVICES, () -> "[cache] other users can write to " + entry + "; compiling anew");
        return null;
      }
      byte[] binary = Files.readAllBytes(entry.resolve(BINARY));
      String expected = Files.readString(entry.resolve(MARKER)).strip();
      if (!expected.equals(digest(binary))) {
        return null;
      }
      Files.setLastModifiedTime(entry, FileTime.fromMillis(System.currentTimeMillis()));
      return binary;
    } catch (IOException e) {
      return null;
    }
  }

  /** Stores {@code binary} if the folder is writable. */
  public void store(String source, byte[] binary) {
    store(source, () -> binary);
  }

  /**
   * Stores the binary if the folder is writable.
   *
   * @param binary called only if programs are cached, because some drivers compile again to return
   *     it
   */
  public void store(String source, Supplier<byte[]> binary) {
    if (off()) {
      return;
    }
    Path aside = null;
    byte[] content = binary.get();
    try {
      Files.createDirectories(root);
      CacheFolder.close(root);
      aside = Files.createTempDirectory(root, ".new");
      Files.write(aside.resolve(BINARY), content);
      Files.writeString(aside.resolve(sourceFile()), source);
      Files.writeString(aside.resolve(MARKER), digest(content) + "\n");
      Ownership.close(aside);
      Ownership.close(aside.resolve(BINARY));
      Path entry = entry(source);
      if (Files.exists(entry) && load(source) == null) {
        delete(entry);
      }
      Files.move(aside, entry, StandardCopyOption.ATOMIC_MOVE);
      trim();
    } catch (IOException | UncheckedIOException e) {
      // Another process may have stored the program first; without a cache, programs are compiled
      // again.
      Debug.log(Debug.DEVICES, () -> "[cache] cannot store a program: " + e);
      if (aside != null) {
        delete(aside);
      }
    }
  }

  /** Stores a source that did not compile, if possible; returns its file. */
  public Path keepFailed(String source) {
    Path file =
        root.resolve(
            "failed-" + entry(source).getFileName().toString().substring(0, 16) + "." + language);
    try {
      Files.createDirectories(root);
      Files.writeString(file, source);
    } catch (IOException e) {
      Debug.log(Debug.DEVICES, () -> "[cache] cannot store a source: " + e);
    }
    return file;
  }

  private void trim() throws IOException {
    List<Path> all;
    try (Stream<Path> list = Files.list(root)) {
      all = list.filter(p -> !p.getFileName().toString().startsWith(".")).toList();
    }
    if (all.size() > CAPACITY) {
      all.stream()
          .sorted(Comparator.comparing(DiskCache::modified))
          .limit(CAPACITY / 8)
          .forEach(this::delete);
    }
  }

  private static FileTime modified(Path path) {
    try {
      return Files.getLastModifiedTime(path);
    } catch (IOException e) {
      return FileTime.fromMillis(0);
    }
  }

  /** Deletes an entry, the marker first, so that a partly deleted folder is not a valid entry. */
  private void delete(Path path) {
    try {
      for (String name : List.of(MARKER, BINARY, sourceFile())) {
        if (Files.isDirectory(path)) {
          Files.deleteIfExists(path.resolve(name));
        }
      }
      Files.deleteIfExists(path);
    } catch (IOException e) {
      Debug.log(Debug.DEVICES, () -> "[cache] cannot delete a program: " + e);
    }
  }
}
