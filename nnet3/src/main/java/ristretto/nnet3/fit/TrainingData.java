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
import ristretto.nnet3.egs.Chunker;
import ristretto.nnet3.egs.ExampleGenerationOptions;
import ristretto.nnet3.egs.ExampleMaker;
import ristretto.nnet3.egs.ExampleMerger;
import ristretto.nnet3.egs.MinibatchSizes;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.Posterior;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;

/** Example archives of a training, read in random order, and one archive for validation. */
final class TrainingData {
  /**
   * Minibatch sizes for validation and diagnostics: from 1 to 64, so that no example is dropped.
   */
  private static final String ANY_SIZE = "1:64";

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
  TrainingData(Path folder, FitOptions options, Nnet nnet, Consumer<String> log) {
    this.options = options.examples();
    this.plan = options.plan();
    this.nnet = nnet;
    this.seed = options.seed();
    this.log = log;
    String given = this.options.folder();
    this.files = given.isEmpty() ? ExampleFiles.ours(folder) : ExampleFiles.found(Path.of(given));
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
    List<TableWriter<NnetExample>> writers = new ArrayList<>();
    int made;
    try (var valid = TableWriter.open("ark:" + files.valid(), NnetExample.HOLDER)) {
      for (int k = 0; k < archives; k++) {
        writers.add(TableWriter.open("ark:" + files.train(k), NnetExample.HOLDER));
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
      Set<String> held,
      TableWriter<NnetExample> valid,
      List<TableWriter<NnetExample>> writers,
      Random random) {
    var count = new int[1];
    ExampleGenerationOptions chunks = options.chunks(SimpleContext.of(nnet));
    var chunker = new Chunker(chunks, seed);
    var validChunker = new Chunker(chunks, seed);
    var trainMaker =
        new ExampleMaker(
            chunker,
            seed,
            true,
            (key, example) -> {
              writers.get(random.nextInt(writers.size())).write(key, example);
              count[0]++;
            });
    var validMaker = new ExampleMaker(validChunker, seed, true, valid::write);
    try (var features = TableReader.open(options.features(), Holder.GENERAL_MATRIX);
        var targets = RandomAccessTable.open(options.targets(), holder());
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
        accept(
            held.contains(key) ? validMaker : trainMaker,
            key,
            features.value(),
            targets.get(key),
            vectors);
      }
    }
    chunker.report().forEach(log);
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

  private Holder<?> holder() {
    return switch (options.kind()) {
      case ALIGNMENTS -> Holder.INTS;
      case POSTERIORS -> Holder.POSTERIOR;
      case MATRICES -> Holder.GENERAL_MATRIX;
    };
  }

  private void accept(
      ExampleMaker maker,
      String key,
      GeneralMatrix features,
      Object targets,
      ChunkInputs.Ivectors ivectors) {
    int classes = nnet.outputDim("output");
    switch (targets) {
      case int[] alignment ->
          maker.accept(key, features, Posterior.of(alignment), classes, ivectors);
      case Posterior posterior -> maker.accept(key, features, posterior, classes, ivectors);
      default -> maker.accept(key, features, ((GeneralMatrix) targets).toMatrix(), ivectors);
    }
  }

  /** Returns the minibatches of an archive, shuffled by a seed. */
  List<NnetExample> train(int archive, long order, String sizes) {
    return minibatches(examples(files.train(archive), Integer.MAX_VALUE), order, sizes);
  }

  /** Returns the minibatches for validation. */
  List<NnetExample> validation() {
    return minibatches(examples(files.valid(), Integer.MAX_VALUE), 0, ANY_SIZE);
  }

  /** Returns the minibatches on which combinations of networks are compared. */
  List<NnetExample> toCombine() {
    if (Files.exists(files.combine())) {
      return minibatches(examples(files.combine(), Integer.MAX_VALUE), 0, ANY_SIZE);
    }
    List<NnetExample> all = validation();
    all.addAll(train(0, seed, ANY_SIZE).stream().limit(all.size()).toList());
    return all;
  }

  /**
   * Returns the minibatches of the first {@code count} training examples, or of all if there are
   * fewer.
   */
  List<NnetExample> some(int count) {
    List<NnetExample> some = new ArrayList<>();
    int archives = files.archives();
    for (int k = 0; k < archives && some.size() < count; k++) {
      some.addAll(examples(files.train(k), count - some.size()));
    }
    return minibatches(some, seed, ANY_SIZE);
  }

  /** Passes the minibatches of the first archives to a consumer. */
  void each(int archives, Consumer<NnetExample> to) {
    for (int k = 0; k < Math.min(archives, files.archives()); k++) {
      train(k, seed, ANY_SIZE).forEach(to);
    }
  }

  /** Removes the examples that this training has made. */
  void remove() {
    if (options.folder().isEmpty()) {
      FitFiles.removeFolder(files.folder());
    }
  }

  private static List<NnetExample> examples(Path file, int most) {
    List<NnetExample> examples = new ArrayList<>();
    try (var reader = TableReader.open("ark:" + file, NnetExample.HOLDER)) {
      while (examples.size() < most && reader.next()) {
        examples.add(reader.value());
      }
    }
    return examples;
  }

  private static List<NnetExample> minibatches(
      List<NnetExample> examples, long order, String sizes) {
    Collections.shuffle(examples, new Random(order));
    List<NnetExample> minibatches = new ArrayList<>();
    var merger =
        new ExampleMerger<NnetExample>(
            new MinibatchSizes(sizes), (minibatch, _) -> minibatches.add(minibatch));
    examples.forEach(merger::accept);
    merger.finish();
    return minibatches;
  }
}
