package ristretto.expr;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A Java process of its own, for what is read once a process or must end with it. */
record ChildJvm(int exit, String out, String err) {
  static final String CLASS_PATH = System.getProperty("java.class.path");

  /** Runs {@code main} on the class path of the tests, with the vector module. */
  static ChildJvm run(Class<?> main, Map<String, String> environment, String... options)
      throws Exception {
    var words =
        new ArrayList<>(List.of("-cp", CLASS_PATH, "--add-modules", "jdk.incubator.vector"));
    words.add("--enable-native-access=ALL-UNNAMED");
    words.addAll(List.of(options));
    words.add(main.getName());
    return java(words, environment);
  }

  static ChildJvm java(List<String> words, Map<String, String> environment) throws Exception {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(words);
    Path out = Files.createTempFile("child", ".out");
    Path err = Files.createTempFile("child", ".err");
    try {
      var builder = new ProcessBuilder(command);
      builder.environment().keySet().removeIf(name -> name.startsWith("RISTRETTO_"));
      builder.environment().putAll(environment);
      Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      if (!process.waitFor(120, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("still running: " + command + "\n" + text(err));
      }
      return new ChildJvm(process.exitValue(), text(out), text(err));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8);
  }
}
