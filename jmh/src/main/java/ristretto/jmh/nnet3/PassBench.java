package ristretto.jmh.nnet3;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import ristretto.jmh.start.MeasuringProcess;

/**
 * Measures forward and backward passes of training minibatches, one process per number of threads.
 */
public final class PassBench {
  private static final int QUICK_MILLIS = 2000;
  private static final int FULL_MILLIS = 20_000;

  /** Target for the memory, relative to Kaldi's bytes. */
  private static final double WANTED_BYTES = 0.6;

  private final List<String> recipes;
  private final List<Integer> threads;
  private final boolean quick;
  private final Path kaldi;

  /**
   * Selects the recipes to measure.
   *
   * @param only pattern of the lines' full names, such as {@code tdnnf_swbd_7q-train}
   * @param kaldi file of Kaldi's times, see {@link KaldiTimes}; or null
   */
  public PassBench(Pattern only, List<Integer> threads, boolean quick, Path kaldi) {
    this.recipes =
        Recipe.ALL.stream()
            .map(Recipe::name)
            .filter(name -> only.matcher(name + "-train").matches())
            .toList();
    this.threads = threads;
    this.quick = quick;
    this.kaldi = kaldi;
  }

  /** Measures, and prints a table. */
  public int run() throws IOException {
    KaldiTimes times = kaldi == null ? KaldiTimes.NONE : KaldiTimes.read(kaldi);
    System.out.println("| network | T | ms | Kaldi / ours | wanted | MB | of Kaldi's | wanted |");
    System.out.println("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (String recipe : recipes) {
      for (int count : threads) {
        String[] answer = measure(recipe, count).split(",");
        double millis = Double.parseDouble(answer[0]);
        double bytes = Double.parseDouble(answer[1]);
        Optional<KaldiTimes.Times> theirs = times.of(recipe, "train", count);
        System.out.println(
            String.format(
                Locale.ROOT,
                "| %s | %d | %.1f | %s | %.1f | %.1f | %s | %.1f |",
                recipe,
                count,
                millis,
                theirs.map(t -> String.format(Locale.ROOT, "%.2f", t.both() / millis)).orElse(""),
                wanted(recipe),
                bytes / 1e6,
                theirs.map(t -> String.format(Locale.ROOT, "%.2f", bytes / t.bytes())).orElse(""),
                WANTED_BYTES));
      }
    }
    return 0;
  }

  /** Target for the speedup over Kaldi. */
  private static double wanted(String recipe) {
    if (recipe.contains("tdnnf") || recipe.contains("cnn")) {
      return 1.8;
    }
    return recipe.contains("lstm") || recipe.contains("gru") ? 1.4 : 1.1;
  }

  private String measure(String recipe, int count) throws IOException {
    var arguments = List.of(Integer.toString(quick ? QUICK_MILLIS : FULL_MILLIS), recipe);
    return MeasuringProcess.answer(PassServer.class, arguments, count, recipe);
  }
}
