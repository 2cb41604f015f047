package ristretto.nnet3.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import ristretto.expr.measure.Progress;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.edit.Saturation;
import ristretto.nnet3.egs.Example;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;
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
  private final OuterMomentum momentum;
  private final IntFunction<JobRunner> runner;
  private final Consumer<String> log;
  private final DropoutSchedule dropout;

  TrainingIterations(
      FitTask<E> task,
      NetworkFiles models,
      TrainingData<E> data,
      IterationSchedule schedule,
      FitOptions options,
      SimpleContext context,
      OuterMomentum momentum,
      IntFunction<JobRunner> runner,
      Consumer<String> log) {
    this.task = task;
    this.models = models;
    this.data = data;
    this.schedule = schedule;
    this.options = options;
    this.context = context;
    this.momentum = momentum;
    this.runner = runner;
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
    int most = Math.max(1, Math.max(schedule.jobs(0), schedule.jobs(iterations)));
    try (JobRunner workers = runner.apply(most);
        var evaluations = new Evaluations(workers.isRemote());
        var progress = Progress.onError("iterations", iterations, shown)) {
      progress.begin(begun);
      for (int k = begun; k < iterations; k++) {
        int number = k;
        Trained trained = iteration(k, workers);
        evaluations.next(() -> {
          TrainingHistory.Row row = evaluated(number, trained, valid);
          history.add(row);
          report.write(history, iterations, "");
          models.tidy(number, needed);
          momentum.tidy(number);
          progress.step(() -> String.format(Locale.ROOT, "objective %.4f", row.train()));
          log.accept(
              String.format(
                  Locale.ROOT,
                  "Iteration %d of %d: training %s, validation %s",
                  number + 1,
                  iterations,
                  EvaluationResult.number(row.train()),
                  new EvaluationResult(row.valid(), row.measures()).words(task.measures())));
        });
      }
      evaluations.await();
    }
  }

  /** Result of the jobs of an iteration, whose network is saved. */
  private record Trained(Nnet nnet, List<ObjectiveTotals.Value> objectives, double seconds) {}

  private Trained iteration(int k, JobRunner workers) {
    long start = System.nanoTime();
    double rate = schedule.rate(k);
    int jobs = schedule.jobs(k);
    Nnet last = models.load(k);
    float shrinkage = shrinkage(k, last, rate * jobs);
    Nnet before = dropout.apply(last, schedule.part(k));
    if (shrinkage != 1) {
      before.scale(shrinkage);
    }
    List<TrainingJob> work = new ArrayList<>();
    for (int w = 0; w < jobs; w++) {
      work.add(job(k, schedule.used(k) + w, jobs, rate));
    }
    Nnet after;
    List<ObjectiveTotals.Value> objectives;
    try (TrainedNetworks made = workers.run(work, before)) {
      objectives = made.objectives();
      // Networks may diverge from the same random start in the first iteration: the best is kept
      // instead of an average.
      after = k == 0 ? made.network(best(objectives)) : average(k, made);
    }
    if (k > 0) {
      momentum.step(k, before, after);
    }
    models.save(k + 1, after);
    return new Trained(after, objectives, (System.nanoTime() - start) / 1e9);
  }

  private TrainingHistory.Row evaluated(int k, Trained trained, List<E> valid) {
    EvaluationResult measured = task.evaluate(trained.nnet(), valid);
    double objective = 0;
    double weight = 0;
    for (ObjectiveTotals.Value one : trained.objectives()) {
      objective += one.objective();
      weight += one.weight();
    }
    return new TrainingHistory.Row(
        k + 1,
        schedule.epoch(k + 1),
        schedule.rate(k),
        objective / weight,
        measured.objective(),
        measured.measures(),
        trained.seconds());
  }

  private TrainingJob job(int k, int number, int jobs, double rate) {
    int archive = number % data.archives();
    return new TrainingJob(
        options,
        context,
        k,
        number,
        data.file(archive).toString(),
        (archive + 1 + number / data.archives()) % task.passes(),
        k == 0 ? IterationSchedule.halved(options.minibatch()) : options.minibatch(),
        how(k == 0, jobs).withSeed(options.seed() * 7919L + number),
        (float) (rate * jobs));
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

  private static int best(List<ObjectiveTotals.Value> objectives) {
    int best = 0;
    for (int k = 1; k < objectives.size(); k++) {
      best = objectives.get(k).average() > objectives.get(best).average() ? k : best;
    }
    return best;
  }

  /** Averages the networks with an objective close to the best. */
  private Nnet average(int iteration, TrainedNetworks made) {
    List<ObjectiveTotals.Value> objectives = made.objectives();
    double least = objectives.get(best(objectives)).average() - CLOSE;
    List<Integer> close =
        IntStream.range(0, objectives.size())
            .filter(job -> objectives.get(job).average() >= least)
            .boxed()
            .toList();
    if (close.isEmpty()) {
      return made.network(0);
    }
    if (close.size() < objectives.size()) {
      log.accept(
          String.format(
              Locale.ROOT,
              "Iteration %d: %d of %d networks were not averaged, because their objectives were"
                  + " below the best by more than %s",
              iteration + 1,
              objectives.size() - close.size(),
              objectives.size(),
              FloatText.of(CLOSE, 6)));
    }
    return made.average(close);
  }
}
