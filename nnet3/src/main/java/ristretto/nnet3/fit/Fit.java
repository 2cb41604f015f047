package ristretto.nnet3.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import ristretto.expr.Context;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.SimpleContext;
import ristretto.nnet3.component.EditLog;
import ristretto.nnet3.component.Edits;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.train.Combination;
import ristretto.nnet3.train.ComputeProb;
import ristretto.nnet3.train.NnetTrainer;
import ristretto.nnet3.train.ObjectiveTotals;
import ristretto.nnet3.train.Priors;
import ristretto.nnet3.train.TrainingOptions;

/**
 * A training in a folder, from features and targets to {@code final.raw}. Each stage, and each
 * iteration, is a function of files that earlier ones have written as a whole; what is there is not
 * made again. So a training that was ended at any moment goes on to the same bits.
 */
public final class Fit {
  private final Path folder;
  private final FitOptions options;
  private final Consumer<String> log;
  private final boolean shown;
  private final DropoutSchedule dropout;

  /**
   * A training in a folder, which may have begun already.
   *
   * @param log hears of progress
   * @param shown whether a progress bar is
   */
  public Fit(Path folder, FitOptions options, Consumer<String> log, boolean shown) {
    this.folder = folder;
    this.options = options;
    this.log = log;
    this.shown = shown;
    this.dropout = DropoutSchedule.parse(options.dropout());
  }

  /** Does what is left to do, and returns the final network. */
  public Nnet run() {
    FitFiles.makeFolder(folder);
    checkSettings();
    Nnet first = initial();
    var data =
        new Data(
            folder.resolve("egs"),
            options.withContext(SimpleContext.of(first)),
            first.outputDim("output"),
            log);
    Schedule schedule = Schedule.of(options, data.prepare());
    Path last = folder.resolve("final.raw");
    if (!Files.exists(last)) {
      iterate(data, schedule);
      combine(data, schedule).save(last.toString(), true);
    }
    Nnet result = Nnet.load(last.toString());
    priors(data, result);
    tell(result, data, schedule.iterations());
    return result;
  }

  /** Other settings would give files that do not belong together. */
  private void checkSettings() {
    Path file = folder.resolve("settings");
    String now = options.toString() + "\n";
    if (!Files.exists(file)) {
      FitFiles.write(file, now);
    } else if (!FitFiles.read(file).equals(now)) {
      throw new ShapeException(
          "[nnet3-fit] a training that goes on must have the settings that it began with; got others than in %s; give the same, or another --dir."
              .formatted(file));
    }
  }

  private Nnet initial() {
    Path file = model(0);
    if (!Files.exists(file)) {
      String config = options.config();
      Nnet made = Nnet.fromConfig(config, FitFiles.read(Path.of(config)), options.seed());
      made.save(file.toString(), true);
    }
    Nnet nnet = Nnet.load(file.toString());
    if (nnet.inputDim("input") < 0 || nnet.outputDim("output") < 0) {
      throw new ShapeException(
          "[nnet3-fit] a network must have an input named input and an output named output; got %s; name them so."
              .formatted(nnet.configLines(false)));
    }
    return nnet;
  }

  private Path model(int iteration) {
    return folder.resolve(iteration + ".raw");
  }

  private void iterate(Data data, Schedule schedule) {
    int iterations = schedule.iterations();
    int begun = 0;
    while (begun < iterations && Files.exists(model(begun + 1))) {
      begun++;
    }
    if (begun > 0) {
      log.accept("Going on after iteration %d of %d.".formatted(begun, iterations));
    }
    var history = new History(history(), begun);
    var report = report();
    List<NnetExample> valid = data.validation();
    try (ExecutorService workers =
            Executors.newFixedThreadPool(Math.max(options.workers(), options.lastWorkers()));
        var progress = new FitProgress("iterations", iterations, shown)) {
      progress.begin(begun);
      for (int k = begun; k < iterations; k++) {
        History.Row row = iteration(data, schedule, k, workers, valid);
        history.add(row);
        report.write(history, iterations, "");
        progress.step(row.train());
        log.accept(
            "Iteration %d of %d: training %s, validation %s, accuracy %s"
                .formatted(
                    k + 1,
                    iterations,
                    number(row.train()),
                    number(row.valid()),
                    number(row.accuracy())));
      }
    }
  }

  private static String number(double value) {
    return "%.4f".formatted(value);
  }

  /** What a worker has made, and how its objective was meanwhile. */
  private record Trained(Nnet nnet, ObjectiveTotals.Value objective) {}

  private History.Row iteration(
      Data data, Schedule schedule, int k, ExecutorService workers, List<NnetExample> valid) {
    long start = System.nanoTime();
    double rate = schedule.rate(k);
    int jobs = schedule.jobs(k);
    Nnet before = dropout.apply(Nnet.load(model(k).toString()), schedule.part(k));
    if (options.shrink() != 0) {
      before.scale(shrinkage(rate * jobs));
    }
    List<Future<Trained>> open = new ArrayList<>();
    for (int w = 0; w < jobs; w++) {
      int number = schedule.used(k) + w;
      TrainingOptions how = how(k == 0, jobs).withSeed(options.seed() * 7919L + number);
      String sizes = k == 0 ? Schedule.halved(options.minibatch()) : options.minibatch();
      open.add(
          workers.submit(() -> {
            int archive = number % schedule.archives();
            List<NnetExample> minibatches = data.train(archive, how.seed(), sizes);
            return train(minibatches, archive, before, how, rate * jobs);
          }));
    }
    List<Trained> made = open.stream().map(Fit::result).toList();
    // Networks that began with the same random numbers may have gone different ways at first.
    Nnet after = k == 0 ? best(made) : average(made);
    after.save(model(k + 1).toString(), true);
    Measured measured = measured(after, valid);
    double objective = 0;
    double weight = 0;
    for (Trained one : made) {
      objective += one.objective.objective();
      weight += one.objective.weight();
    }
    return new History.Row(
        k + 1,
        schedule.epoch(k + 1),
        rate,
        objective / weight,
        measured.objective,
        measured.accuracy,
        (System.nanoTime() - start) / 1e9);
  }

  /** By what parameters are multiplied before an iteration. */
  private float shrinkage(double rate) {
    double by = 1 - options.shrink() * rate;
    if (by <= 0.5) {
      throw new ShapeException(
          "[nnet3-fit] --proportional-shrink times the learning rate must be below 0.5; got %s times %s; give a smaller one."
              .formatted(FloatText.of(options.shrink(), 6), FloatText.of(rate, 6)));
    }
    return (float) by;
  }

  /** A network changes fast at first, so that steps are smaller then. */
  private TrainingOptions how(boolean first, int jobs) {
    TrainingOptions how = options.training();
    double most = how.maxParamChange();
    return how.with(first ? most / Math.sqrt(2) : most, how.momentum(), how.l2Factor() / jobs);
  }

  private static Trained train(
      List<NnetExample> minibatches, int archive, Nnet before, TrainingOptions how, double rate) {
    try (Context context = Context.open()) {
      var trainer = new NnetTrainer(context, before, how);
      trainer.learningRate((float) rate);
      minibatches.forEach(trainer::train);
      ObjectiveTotals.Value objective = trainer.totals().all().get("output");
      if (objective == null) {
        throw new ShapeException(
            "[nnet3-fit] each archive must have minibatches; got none in number %d; give a smaller --minibatch-size."
                .formatted(archive));
      }
      return new Trained(trainer.nnet(), objective);
    }
  }

  private static Trained result(Future<Trained> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RistrettoException known) {
        throw known;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static Nnet best(List<Trained> made) {
    Trained best = made.get(0);
    for (Trained one : made) {
      best = one.objective.average() > best.objective.average() ? one : best;
    }
    return best.nnet;
  }

  private static Nnet average(List<Trained> made) {
    Nnet average = made.get(0).nnet;
    if (made.size() > 1) {
      average.scale(1f / made.size());
      made.stream().skip(1).forEach(one -> average.add(1f / made.size(), one.nnet));
    }
    return average;
  }

  /** What a network is like on examples. */
  private record Measured(double objective, double accuracy) {}

  private static Measured measured(Nnet nnet, List<NnetExample> valid) {
    Nnet test =
        new Edits(nnet, EditLog.NONE)
            .setBatchNormTestMode(true)
            .setDropoutTestMode(true)
            .collapse()
            .nnet();
    try (Context context = Context.open()) {
      var prob = new ComputeProb(context, test, false);
      valid.forEach(example -> prob.accept(example, true));
      return new Measured(
          prob.objectives().get("output").average(), prob.accuracies().get("output"));
    }
  }

  private Nnet combine(Data data, Schedule schedule) {
    List<Integer> of = schedule.combined(options.combined());
    List<NnetExample> all = data.validation();
    all.addAll(data.some(0, options.seed()));
    return new Combination(all, Combination.Options.DEFAULT, log)
        .of(of.size(), n -> Nnet.load(model(of.get(n)).toString()));
  }

  /** What came of it. */
  private void tell(Nnet result, Data data, int iterations) {
    Measured measured = measured(result, data.validation());
    String text =
        "Final network: validation %s, accuracy %s"
            .formatted(number(measured.objective), number(measured.accuracy));
    report().write(new History(history(), iterations), iterations, text + ".");
    log.accept(text);
  }

  private Path history() {
    return folder.resolve("history.tsv");
  }

  private FitReport report() {
    return new FitReport(folder.resolve("report.html"), options.config());
  }

  private void priors(Data data, Nnet nnet) {
    Path file = folder.resolve("priors.vec");
    if (options.kind() != FitOptions.Kind.MATRICES && !Files.exists(file)) {
      List<NnetExample> some = data.some(0, options.seed());
      try (Context context = Context.open()) {
        float[] priors = Priors.of(context, nnet, some);
        KaldiOutput.write(file.toString(), true, out -> out.writeVector(priors));
      }
    }
  }
}
