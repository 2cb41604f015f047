package ristretto.symbolic.train;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import ristretto.expr.measure.Progress;
import ristretto.kernels.FileException;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.data.Batch;
import ristretto.symbolic.data.Batcher;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;

/**
 * Trains a model for several epochs. Each input is set from the data field of the same name.
 *
 * <pre>{@code
 * History history =
 *     new Trainer(executor, loss, Optimizer.adam(0.001))
 *         .metrics(Metric.accuracy(logits, labels))
 *         .validation(new Batcher(valid, 1000))
 *         .checkpoints(Path.of("out", "model"))
 *         .train(new Batcher(data, 100).shuffled(1), 10);
 * }</pre>
 */
public final class Trainer {
  private static final String LOSS = "loss";
  private static final String VALID = "valid_";

  /** Field with the lengths of sequences. */
  private static final String LENGTHS = "steps";

  private final Executor executor;
  private final Variable<?> loss;
  private final Optimizer optimizer;
  private final List<Metric> metrics = new ArrayList<>();
  private final List<Consumer<History>> afterEpochs = new ArrayList<>();
  private Consumer<String> log = System.out::println;
  private Batcher validation;
  private Path folder;
  private Report report;
  private int patience = Integer.MAX_VALUE;
  private final List<Consumer<TrainingStep>> afterSteps = new ArrayList<>();
  private Plateau plateau;
  private boolean averages;
  private boolean givesBest;

  /** Data of the last training, or null. */
  private Batcher trainedWith;

  /** Weights of the best epoch, if they are to be given back. */
  private Weights bestWeights;

  /**
   * Creates a trainer.
   *
   * @param loss a scalar, one of the executor's outputs
   */
  public Trainer(Executor executor, Variable<?> loss, Optimizer optimizer) {
    if (executor == null || loss == null || optimizer == null) {
      throw new ShapeException(
          "[train] a trainer must have an executor, a loss and an optimizer; got no "
              + (executor == null ? "executor" : loss == null ? "loss" : "optimizer")
              + ".");
    }
    this.executor = executor;
    this.loss = loss;
    this.optimizer = optimizer;
  }

  /**
   * Adds metrics, which are measured besides the loss: over the batches of each training epoch, and
   * in validation.
   *
   * @throws ShapeException if two metrics have the same name, or one is named loss
   */
  public Trainer metrics(Metric... more) {
    metrics.addAll(List.of(more));
    List<String> names = metrics.stream().map(Metric::name).toList();
    if (names.contains(LOSS) || Set.copyOf(names).size() < names.size()) {
      throw new ShapeException(
          "[train] metrics must have unique names other than loss; got "
              + names
              + "; change one with named(...).");
    }
    return this;
  }

  /** Sets the validation data, on which loss and metrics are measured after each epoch. */
  public Trainer validation(Batcher batches) {
    this.validation = batches;
    return this;
  }

  /**
   * Enables early stopping: training stops if the first metric, or the loss if there is no metric,
   * has not improved for {@code epochs} epochs. The measure is that of validation if there is
   * validation data.
   */
  public Trainer earlyStopping(int epochs) {
    if (epochs < 1) {
      throw new ShapeException(
          "[train] early stopping must wait for at least 1 epoch; got " + epochs + ".");
    }
    this.patience = epochs;
    return this;
  }

  /**
   * Gives the executor the parameters and states of the best epoch after training, by the measure
   * that {@link #earlyStopping} watches. Optimizer states stay those of the last epoch.
   */
  public Trainer bestWeights() {
    this.givesBest = true;
    return this;
  }

  /**
   * Validates with the running means of the parameters, which the optimizer must maintain; training
   * goes on with the parameters themselves. {@link #bestWeights} then gives back the running means
   * of the best epoch.
   *
   * @throws ShapeException if the optimizer was made without {@link Optimizer#average}
   */
  public Trainer averagedValidation() {
    if (!optimizer.isAveraging()) {
      throw new ShapeException(
          "[train] the optimizer must average parameters for averagedValidation; got %s; make it"
                  .formatted(optimizer.name())
              + " with average(decay).");
    }
    this.averages = true;
    return this;
  }

  /**
   * Multiplies the learning rate by a factor each time the watched measure, that of {@link
   * #earlyStopping}, has not improved by 0.01 % for more than {@code patience} epochs, as PyTorch's
   * {@code ReduceLROnPlateau} does.
   *
   * @throws ShapeException if the factor is not between 0 and 1, or the patience is negative
   */
  public Trainer reduceOnPlateau(double factor, int patience) {
    if (!(factor > 0 && factor < 1) || patience < 0) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[train] reduceOnPlateau must have a factor between 0 and 1 and a patience of at"
                  + " least 0 epochs; got %s and %d.",
              factor,
              patience));
    }
    this.plateau = new Plateau(factor, patience);
    return this;
  }

  /** Adds a listener that is called after each training step. */
  public Trainer afterStep(Consumer<TrainingStep> what) {
    afterSteps.add(what);
    return this;
  }

  /**
   * Writes the checkpoints {@code last.safetensors} and {@code best.safetensors} to a folder after
   * each epoch, the latter with the running means if {@link #averagedValidation} is set. If {@code
   * last.safetensors} exists, training resumes from it, with bitwise the same results as without
   * interruption.
   */
  public Trainer checkpoints(Path folder) {
    this.folder = folder;
    return this;
  }

  /**
   * Writes {@code index.html} with curves and tables, and the curves as PNG files, after each
   * epoch.
   */
  public Trainer report(String title, Path folder) {
    this.report = new Report(title, folder);
    return this;
  }

  /** Sets the receiver of the log, one line per epoch; standard output by default. */
  public Trainer log(Consumer<String> log) {
    this.log = log;
    return this;
  }

  /** Adds a listener that is called with the history after each epoch. */
  public Trainer afterEpoch(Consumer<History> what) {
    afterEpochs.add(what);
    return this;
  }

  /**
   * Trains up to a total number of epochs, including those before a resumed checkpoint.
   *
   * @throws ShapeException if classes, words or means of the validation data are not those of the
   *     training data
   * @throws NotFiniteException if the loss becomes NaN or infinite
   */
  public History train(Batcher batches, int epochs) {
    requireEpochs(epochs);
    if (validation != null) {
      validation.requireInputs(executor.inputs());
      validation.requireCodesOf(batches);
    }
    trainedWith = batches;
    noteLengths(batches);
    noteRemainder(batches, epochs);
    try {
      return train((epoch, values) -> learn(batches, epoch, values), epochs);
    } finally {
      batches.close();
    }
  }

  /**
   * Trains up to a total number of epochs, as {@link #train(Batcher, int)} does, in epochs that
   * something else computes.
   *
   * @param epochs includes those before a resumed checkpoint
   */
  public History train(EpochTraining training, int epochs) {
    requireEpochs(epochs);
    History history = resumed();
    bestWeights = null;
    while (history.epochs() < epochs && !isOver(history)) {
      var values = new LinkedHashMap<String, Double>();
      training.train(history.epochs(), values);
      judge(history, values);
      log.accept(history.line(history.epochs() - 1));
      reduceRate(history);
      keep(history);
      afterEpochs.forEach(what -> what.accept(history));
    }
    if (isOver(history)) {
      log.accept(
          String.format(
              Locale.ROOT,
              "stopped: %s has not improved since epoch %d",
              watched(),
              best(history) + 1));
    }
    giveBest();
    return history;
  }

  private static void requireEpochs(int epochs) {
    if (epochs < 1) {
      throw new ShapeException("[train] there must be at least 1 epoch; got " + epochs + ".");
    }
  }

  /** Logs a note if the model reads padded sequences, but not their lengths. */
  private void noteLengths(Batcher batches) {
    List<String> read = executor.inputs().stream().map(Variable::name).toList();
    List<String> padded = batches.padded().stream().filter(read::contains).toList();
    boolean hasLengths = batches.fields().stream().anyMatch(f -> f.name().equals(LENGTHS));
    if (!padded.isEmpty() && hasLengths && !read.contains(LENGTHS)) {
      log.accept(
          "[train] a model of padded sequences should read their lengths; got "
              + padded
              + " without steps; declare an input \"steps\", I32 [n], for Recurrent.lengths or a"
              + " mask, unless the model ignores the padding.");
    }
  }

  /** Validates, adds the measures of an epoch, and keeps its weights if they are the best. */
  private void judge(History history, Map<String, Double> values) {
    Weights trained = averages ? new Weights(executor) : null;
    if (averages) {
      Weights.useAverages(executor, optimizer);
    }
    try {
      if (validation != null) {
        values.putAll(measure(validation, VALID));
      }
      history.add(values);
      if (best(history) == history.epochs() - 1) {
        keepBest(history);
      }
    } finally {
      if (averages) {
        trained.restore();
      }
    }
  }

  /** Logs a note if the last steps would accumulate gradients without an update. */
  private void noteRemainder(Batcher batches, int epochs) {
    long rest = batches.batches() * epochs % optimizer.accumulated();
    if (rest > 0) {
      log.accept(
          String.format(
              Locale.ROOT,
              "[train] the steps of all epochs should be a multiple of those of an update; got %d"
                  + " steps in each of %d epochs and %d for an update, so the last %d change"
                  + " nothing.",
              batches.batches(),
              epochs,
              optimizer.accumulated(),
              rest));
    }
  }

  private void giveBest() {
    if (bestWeights != null) {
      bestWeights.restore();
    } else if (givesBest && folder != null && Files.exists(best())) {
      executor.load(best());
    }
  }

  private void reduceRate(History history) {
    if (plateau == null) {
      return;
    }
    int now = plateau.reductions(history, watched(), higherIsBetter());
    if (now
        > plateau.reductions(history.first(history.epochs() - 1), watched(), higherIsBetter())) {
      executor.scaleRate(optimizer, plateau.factor());
      log.accept(
          String.format(
              Locale.ROOT,
              "%s stays on a plateau: learning rate times %s from here on",
              watched(),
              plateau.factor()));
    }
  }

  /**
   * Measures the loss and all metrics over one epoch of other data, in evaluation mode.
   *
   * @throws ShapeException if classes, words or means of the data are not those of the data that
   *     this trainer has trained with
   */
  public Map<String, Double> measure(Batcher batches) {
    if (trainedWith != null) {
      batches.requireCodesOf(trainedWith);
    }
    return measure(batches, "");
  }

  private static void requireExamples(Batcher batches) {
    if (batches.batches() == 0) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[train] an epoch must have a batch; got %d examples of %s; give more data or smaller"
                  + " batches.",
              batches.examples(),
              batches.fields()));
    }
  }

  private Map<String, Double> measure(Batcher batches, String prefix) {
    Metric mean = Metric.mean(LOSS, loss);
    requireExamples(batches);
    metrics.forEach(Metric::reset);
    try (batches) {
      for (Batch batch : batches.epoch(0)) {
        give(batch);
        executor.forward();
        mean.update(executor, batch.size());
        metrics.forEach(m -> m.update(executor, batch.size()));
      }
    }
    var values = new LinkedHashMap<String, Double>();
    values.put(prefix + LOSS, mean.value());
    metrics.forEach(m -> values.put(prefix + m.name(), m.value()));
    return values;
  }

  private void learn(Batcher batches, int epoch, Map<String, Double> values) {
    requireExamples(batches);
    metrics.forEach(Metric::reset);
    double sum = 0;
    long examples = 0;
    long number = 0;
    String task = "epoch " + (epoch + 1);
    try (var progress = Progress.onTerminal(task, batches.batches())) {
      for (Batch batch : batches.epoch(epoch)) {
        give(batch);
        executor.step(loss, optimizer);
        // The host waits for this one number per step, so that a NaN is found while its cause can
        // be traced.
        double value = executor.tensor(loss).item();
        number++;
        if (!Double.isFinite(value)) {
          throw new NotFiniteException(
              String.format(
                  Locale.ROOT,
                  "[train] the loss must be finite; got %s in epoch %d, batch %d: %s; lower the"
                      + " rate, clip gradients, or correct the data or the operator.",
                  value,
                  epoch + 1,
                  number,
                  executor.whyNotFinite(loss)));
        }
        metrics.forEach(m -> m.update(executor, batch.size()));
        var step = new TrainingStep(epoch, number - 1, value);
        afterSteps.forEach(what -> what.accept(step));
        sum += value * batch.size();
        examples += batch.size();
        double mean = sum / examples;
        progress.step(() -> measures(mean) + waiting(batches));
      }
    }
    values.put(LOSS, sum / examples);
    metrics.forEach(m -> values.put(m.name(), m.value()));
  }

  /** Returns the share of time that steps have waited for data as text. */
  private static String waiting(Batcher batches) {
    return String.format(Locale.ROOT, "  waiting for data %.0f%%", 100 * batches.waiting());
  }

  /** Returns the current measures as text. */
  private String measures(double mean) {
    var text = new StringBuilder(String.format(Locale.ROOT, "loss %.4f", mean));
    metrics.forEach(m -> text.append(String.format(Locale.ROOT, "  %s %.4f", m.name(), m.value())));
    return text.toString();
  }

  private void give(Batch batch) {
    executor.inputs().forEach(input -> batch.giveTo(executor, input));
  }

  private History resumed() {
    if (folder == null || !Files.exists(last())) {
      return new History();
    }
    History history = History.of(executor.restore(last()), last());
    log.accept(
        String.format(Locale.ROOT, "continuing after epoch %d, from %s", history.epochs(), last()));
    return history;
  }

  private Path last() {
    return folder.resolve("last.safetensors");
  }

  private Path best() {
    return folder.resolve("best.safetensors");
  }

  private void keepBest(History history) {
    if (givesBest) {
      bestWeights = new Weights(executor);
    }
    if (folder != null) {
      makeFolder(folder);
      executor.save(best(), history.notes());
    }
  }

  private void keep(History history) {
    if (folder != null) {
      executor.save(last(), history.notes());
    }
    if (report != null) {
      report.write(history, executor, metrics);
    }
  }

  static void makeFolder(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new FileException(
          ("[train] folders for checkpoints and reports must be writable; got %s (%s); check the"
                  + " path.")
              .formatted(folder.toAbsolutePath(), e.getMessage()),
          e);
    }
  }

  private String watched() {
    String name = metrics.isEmpty() ? LOSS : metrics.get(0).name();
    return validation == null ? name : VALID + name;
  }

  private int best(History history) {
    return history.best(watched(), higherIsBetter());
  }

  private boolean higherIsBetter() {
    return !metrics.isEmpty() && metrics.get(0).higherIsBetter();
  }

  private boolean isOver(History history) {
    return history.epochsAfterBest(watched(), higherIsBetter()) >= patience;
  }
}
