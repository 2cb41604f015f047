package ristretto.nnet3.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Keeping;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.SimpleContext;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.train.Combination;
import ristretto.nnet3.train.Priors;

/**
 * Training in a folder, from features and targets to {@code final.raw}. Each stage, and each
 * iteration, is a function of files that earlier ones have written completely; existing files are
 * not made again. A training that was interrupted at any moment therefore continues to
 * bit-identical results.
 */
public final class Fit {
  private final Path folder;
  private final FitOptions options;
  private final Cleanup cleanup;
  private final Keeping keeping;
  private final Consumer<String> log;
  private final boolean shown;
  private final Models models;

  /**
   * Files to remove from the folder.
   *
   * @param models true to remove networks that are no longer needed
   * @param interval networks of iterations that are multiples of this are not removed
   * @param examples true to remove examples made by this training, at its end
   */
  public record Cleanup(boolean models, int interval, boolean examples) {}

  /**
   * Creates a training in a folder, new or to be continued.
   *
   * @param keeping cache options of computations
   * @param log receives lines about progress
   * @param shown true to show a progress bar
   */
  public Fit(
      Path folder,
      FitOptions options,
      Cleanup cleanup,
      Keeping keeping,
      Consumer<String> log,
      boolean shown) {
    this.folder = folder;
    this.options = options;
    this.cleanup = cleanup;
    this.keeping = keeping;
    this.log = log;
    this.shown = shown;
    this.models = new Models(folder, cleanup);
  }

  /** Runs the remaining stages, and returns the final network. */
  public Nnet run() {
    DropoutSchedule.parse(options.plan().dropout());
    FitFiles.makeFolder(folder);
    checkSettings();
    Path told = folder.resolve("result");
    if (Files.exists(told)) {
      log.accept(FitFiles.read(told).strip());
      return Nnet.load(last().toString());
    }
    var start = new StartNetwork(folder, options, log);
    Data data = begin(start);
    Nnet first = models.load(0);
    Schedule schedule = Schedule.of(options.plan(), data.prepare());
    if (!Files.exists(last())) {
      iterate(data, schedule, SimpleContext.of(first));
      end(data, schedule);
    }
    Nnet result = Nnet.load(last().toString());
    priors(data, result);
    FitFiles.write(told, tell(result, data, schedule.iterations()) + "\n");
    models.tidyAll(schedule.iterations());
    if (cleanup.examples) {
      data.remove();
    }
    return result;
  }

  private Path egs() {
    return folder.resolve("egs");
  }

  private Path last() {
    return folder.resolve("final.raw");
  }

  /**
   * Checks that a continued training has its original settings: others would give files that do not
   * match the existing ones.
   */
  private void checkSettings() {
    Path file = folder.resolve("settings");
    String now = options.toString() + "\n";
    boolean begun = models.has(0) || ExampleFiles.ours(egs()).isComplete();
    if (!begun) {
      FitFiles.write(file, now);
    } else if (!Files.exists(file) || !FitFiles.read(file).equals(now)) {
      throw new ShapeException(
          "[nnet3-fit] a training that goes on must have the settings that it began with; got others than in %s; give the same, or another --dir."
              .formatted(file));
    }
  }

  /** Makes the first network, unless it exists, and returns the examples. */
  private Data begin(StartNetwork start) {
    boolean there = models.has(0);
    Nnet like = there ? models.load(0) : start.needsTransform() ? start.like() : start.make();
    if (like.inputDim("input") < 0 || like.outputDim("output") < 0) {
      throw new ShapeException(
          "[nnet3-fit] a network must have an input named input and an output named output; got %s; name them so."
              .formatted(like.configLines(false)));
    }
    var data = new Data(egs(), options, like, log);
    if (!there) {
      data.prepare();
      if (start.needsTransform()) {
        start.makeTransform(data);
        models.save(0, start.make());
      } else {
        models.save(0, like);
      }
    }
    return data;
  }

  private void iterate(Data data, Schedule schedule, SimpleContext context) {
    int iterations = schedule.iterations();
    var history = new History(history(), models.last(iterations));
    int begun = history.rows().size();
    if (begun > 0) {
      log.accept(
          String.format(Locale.ROOT, "Going on after iteration %d of %d.", begun, iterations));
    }
    List<Integer> needed = options.end().combine() ? combined(schedule) : List.of();
    new Iterations(models, data, schedule, options, context, keeping, log)
        .run(history, report(), needed, shown);
  }

  private List<Integer> combined(Schedule schedule) {
    return schedule.combined(options.end().combined());
  }

  private void end(Data data, Schedule schedule) {
    FitOptions.End end = options.end();
    if (!end.combine()) {
      FitFiles.copy(models.file(schedule.iterations()), last());
      return;
    }
    List<Integer> of = combined(schedule);
    var how = new Combination.Options(end.evaluations(), false, true);
    new Combination(data.toCombine(), how, log)
        .choose(options.passes())
        .of(of.size(), n -> models.load(of.get(n)))
        .save(last().toString(), true);
  }

  /** Reports the final validation results, in the log and the report page. */
  private String tell(Nnet result, Data data, int iterations) {
    Measured measured = Measured.of(result, data.validation(), options.passes());
    String text =
        "Final network: validation %s, accuracy %s"
            .formatted(Measured.number(measured.objective()), Measured.number(measured.accuracy()));
    report().write(new History(history(), iterations), iterations, text + ".");
    log.accept(text);
    return text;
  }

  private Path history() {
    return folder.resolve("history.tsv");
  }

  private FitReport report() {
    return new FitReport(folder.resolve("report.html"), options.start().name());
  }

  private void priors(Data data, Nnet nnet) {
    Path file = folder.resolve("priors.vec");
    boolean wanted =
        options.examples().kind() != FitOptions.Kind.MATRICES || options.end().posteriors();
    if (wanted && !Files.exists(file)) {
      try (Context context = options.passes().open()) {
        float[] priors =
            Priors.of(
                context,
                nnet,
                data.some(options.end().priorExamples()),
                options.passes().choices());
        KaldiOutput.write(file.toString(), true, out -> out.writeVector(priors));
      }
    }
  }
}
