package ristretto.jmh;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import ristretto.jmh.start.ChildJvm;

/** Starts a {@link Worker} and forwards its messages. */
final class WorkerProcess {
  /**
   * Compiler directives that exclude the hand-written loops from C1, as the engine excludes its
   * own: C1 bails out of large vector methods, which then stay slow. So the loops are measured at
   * their best.
   */
  private static final String DIRECTIVES =
      "[{match:[\"ristretto/jmh/twin/*.*\"],c1:{Exclude:true}}]";

  private WorkerProcess() {}

  /**
   * Runs a worker until it exits.
   *
   * @throws IOException if it fails
   */
  static void run(Selection selection, int threads, Consumer<Message> messages) throws IOException {
    Path directives = Files.createTempFile("ristretto-directives", ".json");
    try {
      Files.writeString(directives, DIRECTIVES);
      run(command(selection, threads, directives), threads, messages);
    } finally {
      Files.delete(directives);
    }
  }

  private static List<String> command(Selection selection, int threads, Path directives) {
    var arguments = new ArrayList<>(selection.arguments());
    arguments.addAll(List.of("--threads", Integer.toString(threads)));
    return ChildJvm.command(
        "ristretto.jmh.Worker",
        arguments,
        "-Xmx4g",
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:CompilerDirectivesFile=" + directives,
        "-Dristretto.cpu.threads=" + threads);
  }

  private static void run(List<String> command, int threads, Consumer<Message> messages)
      throws IOException {
    var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("RISTRETTO_THREADS", Integer.toString(threads));
    // OpenBLAS's threads spin for 2 to this power of cycles after a product, by default some 25 ms,
    // in which they would take a core from the competitor that is measured next.
    builder.environment().putIfAbsent("OPENBLAS_THREAD_TIMEOUT", "18");
    Process process = builder.start();
    Thread hook = new Thread(process::destroy);
    Runtime.getRuntime().addShutdownHook(hook);
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Optional<Message> message = Message.decode(line);
        message.ifPresent(messages);
      }
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException("the measuring process ended with code " + code);
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      Runtime.getRuntime().removeShutdownHook(hook);
    }
  }
}
