package ristretto.onednn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.kernels.cache.JarFiles;

/** Messages where oneDNN cannot be used. */
class OneDnnFilesTest {
  @TempDir Path folder;

  @Test
  void aPlatformWithoutLibrary() {
    var files = new JarFiles("dnnl", "linux-riscv64", List.of("libdnnl.so.3"));
    assertThat(OneDnnFiles.problem(files, getClass().getClassLoader()))
        .contains(
            "there is no org/bytedeco/dnnl/linux-riscv64/libdnnl.so.3; add org.bytedeco:dnnl with"
                + " classifier linux-riscv64");
  }

  @Test
  void aDamagedLibrary() throws IOException {
    Path file = folder.resolve("org/bytedeco/dnnl/here/libdnnl.so.3");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "nothing");
    System.setProperty("ristretto.cache", folder.resolve("cache").toString());
    try (var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, null)) {
      var files = new JarFiles("dnnl", "here", List.of("libdnnl.so.3"));
      Path copy = folder.resolve("cache/native/dnnl");
      assertThat(OneDnnFiles.problem(files, loader).orElseThrow())
          .startsWith("it does not load: Cannot open library: " + copy)
          .endsWith("; install its dependencies, such as libstdc++");
    } finally {
      System.clearProperty("ristretto.cache");
    }
  }

  /** A file where a folder is to be: nothing can be copied. */
  @Test
  void noPlaceToCopyTo() throws IOException {
    Path file = folder.resolve("org/bytedeco/dnnl/here/libdnnl.so.3");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "nothing");
    Path cache = Files.writeString(folder.resolve("cache"), "");
    System.setProperty("ristretto.cache", cache.toString());
    try (var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, null)) {
      var files = new JarFiles("dnnl", "here", List.of("libdnnl.so.3"));
      assertThat(OneDnnFiles.problem(files, loader).orElseThrow())
          .startsWith(
              "it cannot be extracted to " + cache.resolve("native/dnnl") + ": java.nio.file.")
          .endsWith("; make the folder writable, or set RISTRETTO_CACHE or -Dristretto.cache");
    } finally {
      System.clearProperty("ristretto.cache");
    }
  }

  @Test
  void itIsThere() {
    var library = new OneDnnLibrary();
    assertThat(library.problem()).isEmpty();
    assertThat(library.name()).matches("oneDNN 3\\.\\d+\\.\\d+");
  }
}
