package ristretto.nnet3.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** Runs commands in a folder of its own. */
abstract class ToolTest {
  @TempDir private Path folder;
  private String log;
  private String out;

  final int run(String... words) {
    var err = new ByteArrayOutputStream();
    var standard = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(standard, true, StandardCharsets.UTF_8));
    try {
      return Main.run(List.of(words), new PrintStream(err, true, StandardCharsets.UTF_8));
    } finally {
      System.setOut(before);
      log = err.toString(StandardCharsets.UTF_8);
      out = standard.toString(StandardCharsets.UTF_8);
    }
  }

  /** Standard output of the last command. */
  final String out() {
    return out;
  }

  /** Standard error of the last command. */
  final String log() {
    return log;
  }

  /** Its last line. */
  final String last() {
    String[] lines = log.split("\\R");
    return lines[lines.length - 1];
  }

  final Path folder() {
    return folder;
  }

  final String at(String name) {
    return folder.resolve(name).toString();
  }
}
