package ristretto.kernels.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.kernels.FileException;

/** Libraries in the cache: what is loaded is what was copied, and nobody else wrote it. */
class CacheFolderTest {
  private static final String ADVICE =
      "set RISTRETTO_CACHE or -Dristretto.cache to a folder that only you can write to.";
  private static final int STRANGER = 54321;

  @TempDir private Path temporary;
  private final String home = System.getProperty("user.home");
  private Path cache;
  private Path folder;
  private Path copy;
  private URL library;

  @BeforeEach
  void write() throws IOException {
    cache = Files.createDirectory(temporary.resolve("cache"));
    folder = cache.resolve("native").resolve("library");
    copy = folder.resolve("lib.so");
    library = Files.writeString(temporary.resolve("lib.so"), "machine code").toUri().toURL();
    System.setProperty("ristretto.cache", cache.toString());
  }

  @AfterEach
  void restore() {
    System.clearProperty("ristretto.cache");
    System.setProperty("user.home", home);
  }

  private void keep() throws IOException {
    CacheFolder.keep(library, copy);
    assertThat(copy).hasContent("machine code");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrder("lib.so", "lib.so.digest");
    }
  }

  private static boolean isRoot() throws IOException {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
  }

  private static void mode(Path path, String mode) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void theFolderOfAllCachesIsThatOfXdg() {
    System.setProperty("user.home", "/home/x");
    assertThat(CacheFolder.folder("/var/caches")).isEqualTo(Path.of("/var/caches/ristretto"));
    for (String ignored : new String[] {null, "", "caches"}) {
      assertThat(CacheFolder.folder(ignored)).isEqualTo(Path.of("/home/x/.cache/ristretto"));
    }
  }

  @Test
  void aUserWithoutHomeHasNoCache() {
    System.clearProperty("ristretto.cache");
    assumeTrue(
        System.getenv("RISTRETTO_CACHE") == null && System.getenv("XDG_CACHE_HOME") == null,
        "a variable names a folder");
    for (String none : List.of("?", "")) {
      System.setProperty("user.home", none);
      assertThatThrownBy(() -> CacheFolder.of("native"))
          .isInstanceOf(FileException.class)
          .hasMessage(
              "[cache] a user must have a home folder, or name a cache folder; got the home \"%s\"; "
                      .formatted(none)
                  + ADVICE);
    }
    System.setProperty("user.home", "/home/x");
    assertThat(CacheFolder.of("native")).isEqualTo(Path.of("/home/x/.cache/ristretto/native"));
  }

  @Test
  void wholeCopiesStay() throws IOException {
    keep();
    Object file =
        Files.readAttributes(copy, java.nio.file.attribute.BasicFileAttributes.class).fileKey();
    keep();
    assertThat(
            Files.readAttributes(copy, java.nio.file.attribute.BasicFileAttributes.class).fileKey())
        .isEqualTo(file);
  }

  @Test
  void damagedCopiesAreReplaced() throws IOException {
    keep();
    Files.writeString(copy, "machine");
    keep();
    Files.writeString(copy, "machine c0de");
    keep();
    Files.delete(folder.resolve("lib.so.digest"));
    Files.writeString(copy, "machine c0de");
    keep();
    Files.writeString(folder.resolve("lib.so.digest"), "12");
    keep();
    Files.delete(copy);
    keep();
  }

  @Test
  void filesThatOthersCanWriteAreReplaced() throws IOException {
    keep();
    mode(copy, "rw-rw-rw-");
    keep();
    assertThat(mode(copy)).isEqualTo("rw-r--r--");
  }

  @Test
  void foldersThatOthersCanWriteAreEmptied() throws IOException {
    keep();
    mode(folder, "rwxrwxrwx");
    Files.writeString(folder.resolve("libm.so.6"), "planted");
    keep();
    assertThat(mode(folder)).isEqualTo("rwxr-xr-x");
    mode(folder.getParent(), "rwxrwxr-x");
    Files.writeString(folder.resolve("libm.so.6"), "planted");
    keep();
    assertThat(mode(folder.getParent())).isEqualTo("rwxr-xr-x");
  }

  @Test
  void filesOfOthersAreReplaced() throws IOException {
    assumeTrue(isRoot(), "only root gives files to others");
    keep();
    Files.setAttribute(copy, "unix:uid", STRANGER);
    keep();
    assertThat(Files.getAttribute(copy, "unix:uid")).isEqualTo(0);
  }

  @Test
  void foldersOfOthersAreRefused() throws IOException {
    assumeTrue(isRoot(), "only root gives folders to others");
    keep();
    for (Path path : List.of(folder, folder.getParent())) {
      Files.setAttribute(path, "unix:uid", STRANGER);
      assertThatThrownBy(this::keep).isInstanceOf(FileException.class).hasMessage(notOurs(path));
      Files.setAttribute(path, "unix:uid", 0);
    }
    Files.setAttribute(cache, "unix:uid", STRANGER);
    assertThatThrownBy(() -> CacheFolder.of("native"))
        .isInstanceOf(FileException.class)
        .hasMessage(notOurs(cache));
  }

  private static String notOurs(Path path) {
    return "[cache] a folder that code is loaded from must belong to this user or to root; got %s of user 54321, but this process runs as user 0; "
            .formatted(path)
        + ADVICE;
  }

  @Test
  void aCacheThatAllCanReplaceIsRefused() throws IOException {
    mode(cache, "rwxrwxrwx");
    assertThatThrownBy(() -> CacheFolder.of("native"))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[cache] a folder that code is loaded from must not be writable by others; got %s of user %s with mode 777; remove that permission (chmod go-w), or "
                    .formatted(cache, Files.getAttribute(cache, "unix:uid"))
                + ADVICE);
    Files.setAttribute(cache, "unix:mode", 01777);
    assertThat(CacheFolder.of("native")).isEqualTo(cache.resolve("native"));
  }

  @Test
  void whatKilledProcessesLeftIsRemoved() throws IOException {
    keep();
    Path left = Files.writeString(folder.resolve(".copying-1-1"), "mach");
    Files.setLastModifiedTime(left, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
    Files.delete(copy);
    keep();
  }
}
