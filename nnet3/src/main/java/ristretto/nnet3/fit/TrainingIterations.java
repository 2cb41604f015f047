package ristretto.nnet3.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import ristretto.expr.Context;
import ristretto.expr.measure.Progress;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.edit.Saturation;
import ristretto.nnet3.egs.Example;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;
import ristretto.nnet3.train.MinibatchTrainer;
import ristretto.nnet3.train.ObjectiveTotals;
import ristretto.nnet3.train.TrainingOptions;

/** Iterations of a training; each makes a network from the previous one. */
final class TrainingIterations<E extends Example<E>> {
  /** Maximum distance of a network's objective from the best one for it to be averaged. */
  private static final double CLOSE = 1;

  private final FitTask<E> task;
  private final NetworkFiles models;
  private final TrainingData<E> data;
  private final IterationSchedule schedule;
  private final FitOptions options;
  private final SimpleContext context;
  private final CacheSettings cache;
  private final Consumer<String> log;
  private final DropoutSchedule dropout;

  TrainingIterations(
      FitTask<E> task,
      NetworkFiles models,
      TrainingData<E> data,
      IterationSchedule schedule,
      FitOptions options,
      SimpleContext context,
      CacheSettings cache,
      Consumer<String> log) {
    this.task = task;
    this.models = models;
    this.data = data;
    this.schedule = schedule;
    this.options = options;
    this.context = context;
    this.cache = cache;
    this.log = log;
    this.dropout = DropoutSchedule.parse(options.plan().dropout());
  }

  /**
   * Runs the remaining iterations.
   *
   * @param needed iterations whose networks must be kept
   */
  void run(TrainingHistory history, FitReport report, List<Integer> needed, boolean shown) {
    int iterations = schedule.iterations();
    int begun = history.rows().size();
    List<E> valid = data.validation();
    try (ExecutorService workers =
            Executors.newFixedThreadPool(
                Math.max(1, Math.max(schedule.jobs(0), schedule.jobs(iterations))));
        var progress = Progress.onError("iterations", iterations, shown)) {
      progress.begin(begun);
      for (int k = begun; k < iterations; k++) {
        TrainingHistory.Row row = iteration(k, workers, valid);
        history.add(row);
        report.write(history, iterations, "");
        models.tidy(k, needed);
        progress.step(() -> String.format(Locale.ROOT, "objective %.4f", row.train()));
        log.accept(
            String.format(
                Locale.ROOT,
                "Iteration %d of %d: training %s, validation %s",
                k + 1,
                iterations,
                EvaluationResult.number(row.train()),
                new EvaluationResult(row.valid(), row.measures()).words(task.measures())));
      }
    }
  }

  /** Network that a worker has trained, and its objective during training. */
  private record Trained(Nnet nnet, ObjectiveTotals.Value objective) {}

  private TrainingHistory.Row iteration(int k, ExecutorService workers, List<E> valid) {
    long start = System.nanoTime();
    double rate = schedule.rate(k);
    int jobs = schedule.jobs(k);
    Nnet last = models.load(k);
    float shrinkage = shrinkage(k, last, rate * jobs);
    Nnet before = dropout.apply(last, schedule.part(k));
    if (shrinkage != 1) {
      before.scale(shrinkage);
    }
    List<Future<Trained>> open = new ArrayList<>();
    for (int w = 0; w < jobs; w++) {
      int number = schedule.used(k) + w;
      TrainingOptions how = how(k == 0, jobs).withSeed(options.seed() * 7919L + number);
      String sizes = k == 0 ? IterationSchedule.halved(options.minibatch()) : options.minibatch();
      open.add(
          workers.submit(() -> {
            int archive = number % data.archives();
            int shift = (archive + 1 + number / data.archives()) % task.passes();
            List<E> minibatches = data.train(archive, shift, how.seed(), sizes);
            return train(minibatches, archive, before, how, rate * jobs);
          }));
    }
    List<Trained> made = open.stream().map(TrainingIterations::result).toList();
    // Networks may diverge from the same random start in the first iteration: the best is kept
    // instead of an average.
    Nnet after = k == 0 ? best(made).nnet : average(k, made);
    models.save(k + 1, after);
    EvaluationResult measured = task.evaluate(after, valid);
    double objective = 0;
    double weight = 0;
    for (Trained one : made) {
      objective += one.objective.objective();
      weight += one.objective.weight();
    }
    return new TrainingHistory.Row(
        k + 1,
        schedule.epoch(k + 1),
        rate,
        objective / weight,
        measured.objective(),
        measured.measures(),
        (System.nanoTime() - start) / 1e9);
  }

  /** Returns the factor on parameters before an iteration. */
  private float shrinkage(int iteration, Nnet nnet, double rate) {
    FitOptions.Shrinking how = options.shrinking();
    double by = 1 - how.proportional() * rate;
    if (by <= 0.5) {
      throw new ShapeException(
          "[nnet3-fit] --proportional-shrink times the learning rate must be below 0.5; got %s times %s; give a smaller one."
              .formatted(FloatText.of(how.proportional(), 6), FloatText.of(rate, 6)));
    }
    if (how.value() >= by) {
      return (float) by;
    }
    double saturation = Saturation.of(nnet);
    boolean saturated = iteration == 0 || saturation > how.threshold();
    if (saturated) {
      log.accept(
          String.format(
              Locale.ROOT,
              "Iteration %d: parameters are multiplied by %s, %s",
              iteration + 1,
              FloatText.of(how.value(), 6),
              iteration == 0
                  ? "as in each first iteration"
                  : "saturation is " + FloatText.of(saturation, 3)));
    }
    return (float) (saturated ? how.value() : by);
  }

  /**
   * Returns the training options of an iteration; the first has a smaller max-change, because a new
   * network changes fast.
   */
  private TrainingOptions how(boolean first, int jobs) {
    TrainingOptions how = options.training();
    double most = how.maxParamChange();
    return how.with(first ? most / Math.sqrt(2) : most, how.momentum(), how.l2Factor() / jobs);
  }

  private Trained train(
      List<E> minibatches, int archive, Nnet before, TrainingOptions how, double rate) {
    try (Context device = options.settings().open()) {
      MinibatchTrainer<E> trainer =
          task.trainer(device, before, how, cache)
              .lowering(options.settings().lowering())
              .derivativeTimes(request -> options.times().of(request, context));
      trainer.learningRate((float) rate);
      minibatches.forEach(trainer::train);
      ObjectiveTotals.Value objective = trainer.totals().all().get("output");
      if (objective == null) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[nnet3-fit] each archive must have minibatches; got none in archive %d; give a"
                    + " smaller --minibatch-size.",
                archive));
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

  private static Trained best(List<Trained> made) {
    Trained best = made.get(0);
    for (Trained one : made) {
      best = one.objective.average() > best.objective.average() ? one : best;
    }
    return best;
  }

  /** Averages the networks with an objective close to the best. */
  private Nnet average(int iteration, List<Trained> made) {
    double least = best(made).objective.average() - CLOSE;
    List<Trained> close = made.stream().filter(one -> one.objective.average() >= least).toList();
    if (close.isEmpty()) {
      return made.get(0).nnet;
    }
    if (close.size() < made.size()) {
      log.accept(
          String.format(
              Locale.ROOT,
              "Iteration %d: %d of %d networks were not averaged, because their objectives were"
                  + " below the best by more than %s",
              iteration + 1,
              made.size() - close.size(),
              made.size(),
              FloatText.of(CLOSE, 6)));
    }
    Nnet average = close.get(0).nnet;
    if (close.size() > 1) {
      average.scale(1f / close.size());
      close.stream().skip(1).forEach(one -> average.add(1f / close.size(), one.nnet));
    }
    return average;
  }
}
