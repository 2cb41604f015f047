package ristretto.jmh.start;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Starts another JVM with this one's class path and the options that the engine needs. */
public final class ChildJvm {
  private ChildJvm() {}

  /**
   * Returns the command line of {@code main} with {@code arguments}; {@code options} go to the JVM.
   */
  public static List<String> command(String main, List<String> arguments, String... options) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(inherited(ManagementFactory.getRuntimeMXBean().getInputArguments()));
    command.addAll(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", classPath()));
    command.addAll(List.of(options));
    command.add(main);
    command.addAll(arguments);
    return command;
  }

  /** Selects the JVM arguments about compilation and the engine, which child processes inherit. */
  static List<String> inherited(List<String> arguments) {
    return arguments.stream()
        .filter(a -> a.startsWith("-XX:CompileCommand") || a.startsWith("-Dristretto."))
        .toList();
  }

  /** Joins class path and module path, since child processes run on the class path. */
  private static String classPath() {
    return Stream.of(System.getProperty("jdk.module.path"), System.getProperty("java.class.path"))
        .filter(Objects::nonNull)
        .filter(path -> !path.isEmpty())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
