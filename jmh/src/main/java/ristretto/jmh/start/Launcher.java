package ristretto.jmh.start;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The command {@code ./ristretto} above the place of this class or of the user. */
final class Launcher {
  private final Path command;

  private Launcher(Path command) {
    this.command = command;
  }

  static Optional<Launcher> find() {
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

  /** Runs a script; its standard output. */
  String run(Path script, String... arguments) throws IOException {
    var words = new ArrayList<>(List.of(command.toString(), "run", script.toString()));
    words.addAll(List.of(arguments));
    return output(words);
  }

  /** Standard output of a process that must succeed. */
  static String output(List<String> words) throws IOException {
    Process process =
        new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    process.getOutputStream().close();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
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
