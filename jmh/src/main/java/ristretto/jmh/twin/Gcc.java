package ristretto.jmh.twin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Compiles the C twins for this machine. */
final class Gcc {
  /**
   * Loops stay loops: gcc would call memcpy for a copy, whose streaming stores no compiler emits
   * for the other lines.
   */
  static final List<String> FLAGS =
      List.of(
          "-Ofast",
          "-march=native",
          "-mprefer-vector-width=512",
          "-fno-tree-loop-distribute-patterns",
          "-shared",
          "-fPIC");

  private static final long PATIENCE_SECONDS = 120;

  private Gcc() {}

  /** gcc is missing or does not like our source. */
  static final class Unavailable extends Exception {
    private static final long serialVersionUID = 1;

    Unavailable(String message) {
      super(message);
    }
  }

  /** A library in a temporary folder that goes away with this process. */
  static Path compile() throws Unavailable {
    try {
      Path folder = Files.createTempDirectory("ristretto-twins");
      Path source = folder.resolve("twins.c");
      Path library = folder.resolve("libtwins.so");
      try (InputStream in = Gcc.class.getResourceAsStream("twins.c")) {
        Files.write(source, in.readAllBytes());
      }
      var command = new ArrayList<>(List.of("gcc"));
      command.addAll(FLAGS);
      command.addAll(List.of(source.toString(), "-o", library.toString(), "-lmvec", "-lm"));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new Unavailable("gcc failed: " + output.strip());
      }
      for (Path path : List.of(folder, source, library)) {
        path.toFile().deleteOnExit();
      }
      return library;
    } catch (IOException e) {
      throw new Unavailable("gcc was not found (" + e.getMessage() + ")");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Unavailable("interrupted while gcc ran");
    }
  }
}
