package ristretto.notebook;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cell that is a script for Apache Spark: its first line is {@code //SPARK} with options of Spark's
 * command, such as {@code --master local[2]}. The script runs in a process of its own.
 */
final class SubmittedCell {
  private static final Pattern FIRST = Pattern.compile("\\s*//SPARK\\b([^\\n]*)(?:\\n|$)");

  private SubmittedCell() {}

  static boolean isOne(String cell) {
    return FIRST.matcher(cell).lookingAt();
  }

  /**
   * Runs a cell, and prints its output as it appears.
   *
   * @param launcher the command {@code ristretto}
   * @throws CellException if the script fails
   */
  static void run(Path launcher, String cell) {
    try {
      Path folder = Files.createTempDirectory("ristretto-cell");
      Path script = Files.writeString(folder.resolve("Cell.java"), cell);
      try {
        int status = run(command(launcher, cell, script));
        if (status != 0) {
          throw failure("the script of a cell must succeed", "exit code " + status);
        }
      } finally {
        Files.deleteIfExists(script);
        Files.deleteIfExists(folder);
      }
    } catch (IOException e) {
      throw failure("the script of a cell must be able to start", e.getMessage());
    }
  }

  private static List<String> command(Path launcher, String cell, Path script) {
    var words = new ArrayList<String>(List.of(launcher.toString(), "spark-submit"));
    Matcher first = FIRST.matcher(cell);
    if (first.lookingAt() && !first.group(1).isBlank()) {
      words.addAll(List.of(first.group(1).strip().split("\\s+")));
    }
    words.add(script.toString());
    return words;
  }

  private static int run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        System.out.println(line);
        if (Thread.interrupted()) {
          throw failure("the script of a cell must run to its end", "an interrupt");
        }
      }
      return process.waitFor();
    } catch (InterruptedException e) {
      throw failure("the script of a cell must run to its end", "an interrupt");
    } finally {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
    }
  }

  private static CellException failure(String rule, String got) {
    return new CellException(
        List.of("[notebook] %s; got %s; see its output above.".formatted(rule, got)));
  }
}
