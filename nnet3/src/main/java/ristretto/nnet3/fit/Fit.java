package ristretto.nnet3.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.chain.DenominatorGraph;
import ristretto.nnet3.egs.Example;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;
import ristretto.nnet3.train.NetworkAverage;

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
  private final IntFunction<JobRunner> runner;
  private final Consumer<String> log;
  private final boolean shown;
  private final NetworkFiles models;

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
   * @param runner starts what runs a number of jobs at the same time
   * @param log receives lines about progress
   * @param shown true to show a progress bar
   */
  public Fit(
      Path folder,
      FitOptions options,
      Cleanup cleanup,
      IntFunction<JobRunner> runner,
      Consumer<String> log,
      boolean shown) {
    this.folder = folder;
    this.options = options;
    this.cleanup = cleanup;
    this.runner = runner;
    this.log = log;
    this.shown = shown;
    this.models = new NetworkFiles(folder, cleanup);
  }

  /** Runs the remaining stages, and returns the final network. */
  public Nnet run() {
    if (options.chain() == null) {
      return run(new TargetTask(options));
    }
    FitOptions.Chain chain = options.chain();
    return run(new ChainTask(options, chain, DenominatorGraph.load(chain.denominator()), log));
  }

  private <E extends Example<E>> Nnet run(FitTask<E> task) {
    DropoutSchedule.parse(options.plan().dropout());
    FitFiles.makeFolder(folder);
    checkSettings();
    Path told = folder.resolve("result");
    if (Files.exists(told)) {
      log.accept(FitFiles.read(told).strip());
      return Nnet.load(last().toString());
    }
    var start = new InitialNetwork(folder, options, log);
    TrainingData<E> data = begin(task, start);
    Nnet first = models.load(0);
    IterationSchedule schedule =
        IterationSchedule.of(options.plan(), data.prepare() * task.passes());
    if (!Files.exists(last())) {
      iterate(task, data, schedule, SimpleContext.of(first));
      end(task, data, schedule);
    }
    Nnet result = Nnet.load(last().toString());
    task.priors(folder.resolve("priors.vec"), result, data);
    FitFiles.write(told, tell(task, result, data, schedule.iterations()) + "\n");
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
          "[nnet3-fit] a continued training must have the settings it began with; got others than in %s; give the same, or another --dir."
              .formatted(file));
    }
  }

  /** Makes the first network, unless it exists, and returns the examples. */
  private <E extends Example<E>> TrainingData<E> begin(FitTask<E> task, InitialNetwork start) {
    boolean there = models.has(0);
    Nnet like = there ? models.load(0) : start.needsTransform() ? start.like() : start.make();
    if (like.inputDim("input") < 0 || like.outputDim("output") < 0) {
      throw new ShapeException(
          "[nnet3-fit] a network must have an input named input and an output named output; got %s; name them so."
              .formatted(like.configLines(false)));
    }
    var data = new TrainingData<E>(task, egs(), options, like, log);
    if (!there) {
      data.prepare();
      if (start.needsTransform()) {
        start.makeTransform(task, data);
        models.save(0, start.make());
      } else {
        models.save(0, like);
      }
    }
    return data;
  }

  private <E extends Example<E>> void iterate(
      FitTask<E> task, TrainingData<E> data, IterationSchedule schedule, SimpleContext context) {
    int iterations = schedule.iterations();
    var history = new TrainingHistory(history(), task.measures(), models.last(iterations));
    int begun = history.rows().size();
    if (begun > 0) {
      log.accept(
          String.format(Locale.ROOT, "Continuing after iteration %d of %d.", begun, iterations));
    }
    List<Integer> needed = options.end().combine() ? combined(schedule) : List.of();
    new TrainingIterations<E>(
            task, models, data, schedule, options, context, momentum(), runner, log)
        .run(history, report(), needed, shown);
  }

  private OuterMomentum momentum() {
    return new OuterMomentum(folder, options.averages().step());
  }

  private List<Integer> combined(IterationSchedule schedule) {
    return schedule.combined(options.end().combined());
  }

  private <E extends Example<E>> void end(
      FitTask<E> task, TrainingData<E> data, IterationSchedule schedule) {
    FitOptions.End end = options.end();
    if (!end.combine()) {
      FitFiles.copy(models.file(schedule.iterations()), last());
      return;
    }
    List<Integer> of = combined(schedule);
    var how = new NetworkAverage.Options(end.evaluations(), false, true);
    task.average(data.toCombine(), how, log)
        .settings(options.settings())
        .of(of.size(), n -> models.load(of.get(n)))
        .save(last().toString(), true);
  }

  /** Reports the final validation results, in the log and the report page. */
  private <E extends Example<E>> String tell(
      FitTask<E> task, Nnet result, TrainingData<E> data, int iterations) {
    EvaluationResult measured = task.evaluate(result, data.validation());
    String text = "Final network: validation " + measured.words(task.measures());
    report()
        .write(new TrainingHistory(history(), task.measures(), iterations), iterations, text + ".");
    log.accept(text);
    return text;
  }

  private Path history() {
    return folder.resolve("history.tsv");
  }

  private FitReport report() {
    return new FitReport(folder.resolve("report.html"), options.start().name());
  }
}
