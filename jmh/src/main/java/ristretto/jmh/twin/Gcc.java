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
public final class Gcc {
  /**
   * Compiler flags. Loops stay loops: gcc would replace a copy by memcpy, whose streaming stores no
   * compiler emits for the other lines.
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

  /** Thrown if gcc is missing or rejects the source. */
  public static final class Unavailable extends Exception {
    private static final long serialVersionUID = 1;

    Unavailable(String message) {
      super(message);
    }
  }

  /**
   * Compiles the twins to a library in a temporary folder that is deleted when this process exits.
   */
  static Path compile() throws Unavailable {
    return compile(Gcc.class, "twins", FLAGS, List.of("-lmvec", "-lm"));
  }

  /**
   * Compiles a source file that is a resource of a class to a library.
   *
   * @param name name of the source, without {@code .c}
   */
  public static Path compile(
      Class<?> beside, String name, List<String> flags, List<String> libraries) throws Unavailable {
    try {
      Path folder = Files.createTempDirectory("ristretto-" + name);
      Path source = folder.resolve(name + ".c");
      Path library = folder.resolve("lib" + name + ".so");
      try (InputStream in = beside.getResourceAsStream(name + ".c")) {
        Files.write(source, in.readAllBytes());
      }
      var command = new ArrayList<>(List.of("gcc"));
      command.addAll(flags);
      command.addAll(List.of(source.toString(), "-o", library.toString()));
      command.addAll(libraries);
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
