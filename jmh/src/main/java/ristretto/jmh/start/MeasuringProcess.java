package ristretto.jmh.start;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** New JVM that measures one request and prints one line of results. */
public final class MeasuringProcess {
  private MeasuringProcess() {}

  /**
   * Runs the process and returns the line of its results.
   *
   * @param what measurement's name for the error message
   */
  public static String answer(Class<?> main, List<String> arguments, int threads, String what)
      throws IOException {
    var builder =
        new ProcessBuilder(
            ChildJvm.command(
                main.getName(), arguments, "-Xmx3g", "-Dristretto.cpu.threads=" + threads));
    Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader answers = process.inputReader(StandardCharsets.UTF_8)) {
      String answer = answers.readLine();
      if (answer == null || process.waitFor() != 0) {
        throw new IOException("the process that measured " + what + " failed");
      }
      return answer;
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
