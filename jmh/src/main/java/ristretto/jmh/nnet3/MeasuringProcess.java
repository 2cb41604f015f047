package ristretto.jmh.nnet3;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import ristretto.jmh.start.ChildJvm;

/** A JVM of its own that measures one request, and prints a line about it. */
final class MeasuringProcess {
  private MeasuringProcess() {}

  /**
   * The line that it prints.
   *
   * @param what it measures, for the message if it fails
   */
  static String answer(Class<?> main, List<String> arguments, int threads, String what)
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
