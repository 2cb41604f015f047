package ristretto.kernels.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskCacheTest {
  private static final byte[] BINARY = {1, 2, 3};

  @TempDir Path folder;

  @Test
  void keepsBinaryAndSource() throws IOException {
    var cache = new DiskCache(folder, "cl", "driver 1");
    assertThat(cache.load("source")).isNull();
    cache.store("source", BINARY);
    assertThat(cache.load("source")).isEqualTo(BINARY);
    assertThat(cache.load("source ")).isNull();
    assertThat(new DiskCache(folder, "cl", "driver 2").load("source")).isNull();
    assertThat(Files.readString(entries().getFirst().resolve("program.cl"))).isEqualTo("source");
  }

  @Test
  void nothingIsKeptOrAskedForWhenItIsOff() throws IOException {
    var cache = new DiskCache(folder, "cl", "driver");
    cache.store("before", BINARY);
    System.setProperty("ristretto.cache.programs", "off");
    try {
      cache.store(
          "source",
          () -> {
            throw new AssertionError("asked for");
          });
      assertThat(cache.load("before")).isNull();
    } finally {
      System.clearProperty("ristretto.cache.programs");
    }
    assertThat(cache.load("before")).isEqualTo(BINARY);
    assertThat(entries()).hasSize(1);
  }

  private List<Path> entries() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    }
  }

  @Test
  void whatIsDamagedOrIncompleteIsMadeAnew() throws IOException {
    var cache = new DiskCache(folder, "cl", "driver");
    cache.store("source", BINARY);
    Path entry = entries().getFirst();
    Files.write(entry.resolve("program.bin"), new byte[] {1, 2});
    assertThat(cache.load("source")).isNull();
    cache.store("source", BINARY);
    assertThat(cache.load("source")).isEqualTo(BINARY);
    Files.delete(entry.resolve("complete"));
    assertThat(cache.load("source")).isNull();
    cache.store("source", BINARY);
    assertThat(cache.load("source")).isEqualTo(BINARY);
    assertThat(entries()).hasSize(1);
  }

  @Test
  void whatOthersCouldWriteIsCompiledAnew() throws IOException {
    var cache = new DiskCache(folder, "cl", "driver");
    for (String part : List.of("", "program.bin")) {
      cache.store("source", BINARY);
      assertThat(cache.load("source")).isEqualTo(BINARY);
      Path path = entries().getFirst().resolve(part);
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
      assertThat(cache.load("source")).isNull();
    }
    cache.store("source", BINARY);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThat(cache.load("source")).isEqualTo(BINARY);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwxr-xr-x");
  }

  @Test
  void severalWriteAtOnce() throws Exception {
    var threads = new ArrayList<Thread>();
    for (int k = 0; k < 4; k++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                var cache = new DiskCache(folder, "cl", "driver");
                for (int i = 0; i < 20; i++) {
                  cache.store("source " + i, BINARY);
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    var cache = new DiskCache(folder, "cl", "driver");
    for (int i = 0; i < 20; i++) {
      assertThat(cache.load("source " + i)).isEqualTo(BINARY);
    }
    assertThat(entries()).hasSize(20);
  }
}
