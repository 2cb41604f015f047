package ristretto.jmh.start;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The command {@code ./ristretto}, searched in the parent folders of this class's location and of
 * the working directory.
 */
public final class Launcher {
  private final Path command;

  private Launcher(Path command) {
    this.command = command;
  }

  /** Finds the nearest launcher. */
  public static Optional<Launcher> find() {
    for (Path start : List.of(ownPlace(), Path.of("").toAbsolutePath())) {
      for (Path root = start; root != null; root = root.getParent()) {
        Path file = root.resolve("ristretto");
        if (Files.isRegularFile(file) && Files.isExecutable(file)) {
          return Optional.of(new Launcher(file));
        }
      }
    }
    return Optional.empty();
  }

  private static Path ownPlace() {
    try {
      return Path.of(Launcher.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs a script; returns its standard output. */
  String run(Path script, String... arguments) throws IOException {
    var words = new ArrayList<>(List.of(command.toString(), "run", script.toString()));
    words.addAll(List.of(arguments));
    return output(words);
  }

  /**
   * Runs an nnet3 command in a process with this number of threads; returns its log, which is
   * standard error.
   */
  public String nnet3(int threads, String... words) throws IOException {
    var all = new ArrayList<>(List.of(command.toString()));
    all.addAll(List.of(words));
    var builder = new ProcessBuilder(all).redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("RISTRETTO_THREADS", Integer.toString(threads));
    Process process = builder.start();
    process.getOutputStream().close();
    return text(all, process, process.getErrorStream());
  }

  /** Runs a process that must succeed; returns its standard output. */
  static String output(List<String> words) throws IOException {
    Process process =
        new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    process.getOutputStream().close();
    return text(words, process, process.getInputStream());
  }

  private static String text(List<String> words, Process process, InputStream from)
      throws IOException {
    String output = new String(from.readAllBytes(), StandardCharsets.UTF_8).strip();
    try {
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException(String.join(" ", words) + " ended with code " + code);
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    return output;
  }
}
