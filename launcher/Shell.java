package ristretto.launcher;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import jdk.jshell.execution.LocalExecutionControl;
import jdk.jshell.spi.ExecutionControl;
import jdk.jshell.spi.ExecutionControlProvider;
import jdk.jshell.spi.ExecutionEnv;
import jdk.jshell.tool.JavaShellToolBuilder;

/// The JDK's jshell in this JVM, with the engine's modules: `./ristretto shell`. Its execution
/// control, which jshell finds as a service, leaves the engine's frames out of stack traces.
public final class Shell implements ExecutionControlProvider {
  static void main(String[] args) throws Exception {
    String modules = args[0];
    var options =
        new ArrayList<>(
            List.of(
                "--execution", "ristretto", "--class-path", System.getProperty("java.class.path")));
    for (String option :
        List.of(
            "--module-path", modules, "--add-modules", "ALL-MODULE-PATH", "-Xlint:-incubating")) {
      options.add("-C" + option);
    }
    options.addAll(List.of(args).subList(1, args.length));
    // A home that cannot be written needs no message about the history of commands.
    Logger.getLogger("java.util.prefs").setLevel(Level.OFF);
    System.exit(JavaShellToolBuilder.builder().start(options.toArray(String[]::new)));
  }

  @Override
  public String name() {
    return "ristretto";
  }

  @Override
  public ExecutionControl generate(ExecutionEnv env, Map<String, String> parameters) {
    return new LocalExecutionControl() {
      @Override
      protected String throwConvertedInvocationException(Throwable cause)
          throws RunException, InternalException {
        for (Throwable t = cause; t != null; t = t.getCause()) {
          t.setStackTrace(
              Arrays.stream(t.getStackTrace())
                  .filter(frame -> !frame.getClassName().startsWith("ristretto."))
                  .toArray(StackTraceElement[]::new));
        }
        return super.throwConvertedInvocationException(cause);
      }
    };
  }
}
