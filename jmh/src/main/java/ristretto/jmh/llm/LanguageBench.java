package ristretto.jmh.llm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import ristretto.jmh.start.MeasuringProcess;

/**
 * Measures generation with models of GGUF files: one sequence, a prompt, and a batch of sequences.
 */
public final class LanguageBench {
  private static final int QUICK_ROUNDS = 1;
  private static final int ROUNDS = 5;

  private final List<Path> models;
  private final List<Integer> threads;
  private final String device;
  private final boolean quick;

  /**
   * Selects what is measured.
   *
   * @param models GGUF files
   * @param device device of the engine
   */
  public LanguageBench(List<Path> models, List<Integer> threads, String device, boolean quick) {
    this.models = List.copyOf(models);
    this.threads = threads;
    this.device = device;
    this.quick = quick;
  }

  /** Returns the error in the selection; empty if there is none. */
  public String complaint() {
    if (models.isEmpty()) {
      return "--llm needs a model: --model FILE.gguf; ./ristretto run examples/llm/RandomModel.java"
          + " 135m q8_0 FILE.gguf writes one";
    }
    return models.stream()
        .filter(file -> !Files.isReadable(file))
        .findFirst()
        .map(file -> "--model must name a file; got '" + file + "'")
        .orElse("");
  }

  /** Measures, and prints a table. */
  public int run() throws IOException {
    System.out.printf(
        Locale.ROOT,
        "%-24s %7s %9s %8s %8s %9s %9s %7s %8s%n",
        "model",
        "threads",
        "decode/s",
        "GB/s",
        "of read",
        "prompt/s",
        "batch/s",
        "times",
        "first ms");
    for (Path model : models) {
      for (int count : threads) {
        print(model, count);
      }
    }
    System.out.printf(
        Locale.ROOT,
        "decode/s: tokens a second of one sequence; GB/s: its bytes of weights; of read: their"
            + " share of the speed at which the device reads memory; prompt/s: tokens of a prompt"
            + " of %d; batch/s: tokens of %d sequences together, and how many times those of one;"
            + " first ms: from opening the file to the first token%n",
        LanguageServer.PROMPT,
        LanguageServer.BATCH);
    return 0;
  }

  private void print(Path model, int count) throws IOException {
    var arguments =
        List.of(device, model.toString(), Integer.toString(quick ? QUICK_ROUNDS : ROUNDS));
    String answer =
        MeasuringProcess.answer(LanguageServer.class, arguments, count, model.toString());
    double[] numbers = Stream.of(answer.split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
    double speed = numbers[1] * numbers[4];
    System.out.printf(
        Locale.ROOT,
        "%-24s %7d %9.1f %8.1f %8.2f %9.1f %9.1f %7.2f %8.0f%n",
        model.getFileName(),
        count,
        numbers[1],
        speed / 1e9,
        speed / numbers[5],
        numbers[2],
        numbers[3],
        numbers[3] / numbers[1],
        numbers[0]);
  }
}
