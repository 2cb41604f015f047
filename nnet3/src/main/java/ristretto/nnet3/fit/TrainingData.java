package ristretto.nnet3.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.egs.ChunkInputs;
import ristretto.nnet3.egs.Example;
import ristretto.nnet3.egs.ExampleMerger;
import ristretto.nnet3.egs.MinibatchSizes;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.network.Nnet;

/** Example archives of a training, read in random order, and one archive for validation. */
final class TrainingData<E extends Example<E>> {
  /**
   * Minibatch sizes for validation and diagnostics: from 1 to 64, so that no example is dropped.
   */
  private static final String ANY_SIZE = "1:64";

  private final FitTask<E> task;
  private final ExampleFiles files;
  private final FitOptions.Examples options;
  private final FitOptions.Plan plan;
  private final Nnet nnet;
  private final int seed;
  private final Consumer<String> log;

  /**
   * @param folder folder of new examples, unless the options name a folder with existing ones
   * @param nnet the network that examples are for
   */
  TrainingData(FitTask<E> task, Path folder, FitOptions options, Nnet nnet, Consumer<String> log) {
    this.task = task;
    this.options = options.examples();
    this.plan = options.plan();
    this.nnet = nnet;
    this.seed = options.seed();
    this.log = log;
    String given = this.options.folder();
    this.files =
        given.isEmpty()
            ? ExampleFiles.ours(folder)
            : ExampleFiles.found(Path.of(given), task.suffix());
  }

  /** Returns the number of training archives, making the examples unless they exist. */
  int prepare() {
    if (!files.isComplete()) {
      make();
    }
    int archives = files.archives();
    int jobs = Math.max(plan.workers(), plan.lastWorkers());
    if (archives < jobs) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[nnet3-fit] there must be at least as many example archives as parallel jobs; got %d"
                  + " and %d; give a smaller --num-jobs.",
              archives,
              jobs));
    }
    return archives;
  }

  private void make() {
    boolean wanted = nnet.inputDim("ivector") >= 0;
    if (wanted == options.ivectors().isEmpty()) {
      throw new ShapeException(
          "[nnet3-fit] --ivectors must be given for a network with an input named ivector, and for no other; got %s; %s."
              .formatted(
                  wanted ? "none" : options.ivectors(), wanted ? "give them" : "leave them out"));
    }
    FitFiles.makeFolder(files.folder());
    List<String> keys = new ArrayList<>();
    long frames = 0;
    try (var features = TableReader.open(options.features(), Holder.GENERAL_MATRIX)) {
      while (features.next()) {
        keys.add(features.key());
        frames += features.value().rows();
      }
    }
    if (keys.size() < 2) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[nnet3-fit] there must be at least two utterances, one for training and one for"
                  + " validation; got %d in %s; give more.",
              keys.size(),
              options.features()));
    }
    var random = new Random(seed);
    Collections.shuffle(keys, random);
    int kept = Math.min(options.validUtterances(), keys.size() / 2);
    Set<String> held = new HashSet<>(keys.subList(0, kept));
    long perArchive = (long) options.framesPerIteration() * options.chunks().subsampling();
    int archives =
        (int)
            Math.max(
                Math.max(plan.workers(), plan.lastWorkers()),
                (frames + perArchive - 1) / perArchive);
    List<TableWriter<E>> writers = new ArrayList<>();
    int made;
    try (var valid = TableWriter.open("ark:" + files.valid(), task.holder())) {
      for (int k = 0; k < archives; k++) {
        writers.add(TableWriter.open("ark:" + files.train(k), task.holder()));
      }
      made = write(held, valid, writers, random);
      writers.forEach(TableWriter::commit);
      valid.commit();
    } finally {
      writers.forEach(TableWriter::close);
    }
    if (made == 0) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[nnet3-fit] some utterances must have targets and be as long as a chunk; got none of"
                  + " %d in %s; check their keys, or give shorter chunks.",
              keys.size(),
              options.features()));
    }
    files.complete(archives);
    log.accept(
        String.format(
            Locale.ROOT,
            "Made %d examples of %d utterances in %d archives, and a validation archive of %d"
                + " utterances.",
            made,
            keys.size() - kept,
            archives,
            kept));
  }

  /** Writes examples; returns the number of training examples. */
  private int write(
      Set<String> held, TableWriter<E> validation, List<TableWriter<E>> writers, Random random) {
    var count = new int[1];
    try (var features = TableReader.open(options.features(), Holder.GENERAL_MATRIX);
        UtteranceTargets<E> targets = task.targets(nnet);
        var ivectors =
            options.ivectors().isEmpty()
                ? null
                : RandomAccessTable.open(options.ivectors(), Holder.GENERAL_MATRIX)) {
      while (features.next()) {
        String key = features.key();
        if (!targets.has(key) || ivectors != null && !ivectors.has(key)) {
          log.accept("Skipped " + key + ", which has no targets or no i-vectors.");
          continue;
        }
        ChunkInputs.Ivectors vectors =
            ivectors == null
                ? null
                : new ChunkInputs.Ivectors(ivectors.get(key).toMatrix(), options.ivectorPeriod());
        check("input", features.value().cols(), key);
        if (vectors != null) {
          check("ivector", vectors.rows().cols(), key);
        }
        boolean valid = held.contains(key);
        targets.examples(
            valid,
            key,
            features.value(),
            vectors,
            (name, example) -> {
              if (valid) {
                validation.write(name, example);
              } else {
                writers.get(random.nextInt(writers.size())).write(name, example);
                count[0]++;
              }
            });
      }
      targets.report().forEach(log);
    }
    return count[0];
  }

  private void check(String input, int columns, String key) {
    int wanted = nnet.inputDim(input);
    if (columns != wanted) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[nnet3-fit] the data for the network's %s must have its dimension, %d; got %d for"
                  + " '%s'; give other features, or another network.",
              input,
              wanted,
              columns,
              Excerpt.of(key)));
    }
  }

  /**
   * Returns the minibatches of an archive, shuffled by a seed.
   *
   * @param shift number of frames by which the times of examples are shifted
   */
  List<E> train(int archive, int shift, long order, String sizes) {
    return shuffled(task, file(archive), shift, order, sizes);
  }

  /** Returns the file of a training archive. */
  Path file(int archive) {
    return files.train(archive);
  }

  /** Returns the minibatches of a file, shuffled by a seed; see {@link #train}. */
  static <E extends Example<E>> List<E> shuffled(
      FitTask<E> task, Path file, int shift, long order, String sizes) {
    List<E> examples = examples(task, file, Integer.MAX_VALUE);
    examples.replaceAll(example -> task.shifted(example, shift));
    return minibatches(examples, order, sizes);
  }

  /** Returns the number of training archives. */
  int archives() {
    return files.archives();
  }

  /** Returns the minibatches for validation. */
  List<E> validation() {
    return minibatches(examples(task, files.valid(), Integer.MAX_VALUE), 0, ANY_SIZE);
  }

  /** Returns the minibatches on which combinations of networks are compared. */
  List<E> toCombine() {
    if (Files.exists(files.combine())) {
      return minibatches(examples(task, files.combine(), Integer.MAX_VALUE), 0, ANY_SIZE);
    }
    List<E> all = validation();
    all.addAll(train(0, 0, seed, ANY_SIZE).stream().limit(all.size()).toList());
    return all;
  }

  /**
   * Returns the minibatches of the first {@code count} training examples, or of all if there are
   * fewer.
   */
  List<E> some(int count) {
    List<E> some = new ArrayList<>();
    int archives = files.archives();
    for (int k = 0; k < archives && some.size() < count; k++) {
      some.addAll(examples(task, files.train(k), count - some.size()));
    }
    return minibatches(some, seed, ANY_SIZE);
  }

  /** Passes the minibatches of the first archives to a consumer. */
  void each(int archives, Consumer<E> to) {
    for (int k = 0; k < Math.min(archives, files.archives()); k++) {
      train(k, 0, seed, ANY_SIZE).forEach(to);
    }
  }

  /** Removes the examples that this training has made. */
  void remove() {
    if (options.folder().isEmpty()) {
      FitFiles.removeFolder(files.folder());
    }
  }

  private static <E extends Example<E>> List<E> examples(FitTask<E> task, Path file, int most) {
    List<E> examples = new ArrayList<>();
    try (var reader = TableReader.open("ark:" + file, task.holder())) {
      while (examples.size() < most && reader.next()) {
        examples.add(reader.value());
      }
    }
    return examples;
  }

  private static <E extends Example<E>> List<E> minibatches(
      List<E> examples, long order, String sizes) {
    Collections.shuffle(examples, new Random(order));
    List<E> minibatches = new ArrayList<>();
    var merger =
        new ExampleMerger<E>(
            new MinibatchSizes(sizes), (minibatch, _) -> minibatches.add(minibatch));
    examples.forEach(merger::accept);
    merger.finish();
    return minibatches;
  }
}
