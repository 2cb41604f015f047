package ristretto.nnet3.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.egs.Chunker;
import ristretto.nnet3.egs.ExampleMaker;
import ristretto.nnet3.egs.ExampleMerger;
import ristretto.nnet3.egs.MinibatchSizes;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.io.GeneralMatrix;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.Posterior;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;

/** Examples in a folder: archives to train with, in random order, and one to measure with. */
final class Data {
  private static final String MARKER = "complete";

  /** Of what is measured with, nothing is left out. */
  private static final String ANY_SIZE = "1:64";

  private final Path folder;
  private final FitOptions options;
  private final int classes;
  private final Consumer<String> log;

  /**
   * @param classes columns of targets
   */
  Data(Path folder, FitOptions options, int classes, Consumer<String> log) {
    this.folder = folder;
    this.options = options;
    this.classes = classes;
    this.log = log;
  }

  /** How many archives there are to train with; makes them unless they are there. */
  int prepare() {
    Path marker = folder.resolve(MARKER);
    if (!Files.exists(marker)) {
      make();
    }
    return Integer.parseInt(FitFiles.read(marker).strip());
  }

  private Path train(int archive) {
    return folder.resolve("train." + archive + ".ark");
  }

  private Path valid() {
    return folder.resolve("valid.ark");
  }

  private void make() {
    FitFiles.makeFolder(folder);
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
          "[nnet3-fit] there must be two utterances at least, one to train and one to measure with; got %d in %s; give more."
              .formatted(keys.size(), options.features()));
    }
    var random = new Random(options.seed());
    Collections.shuffle(keys, random);
    int kept = Math.min(options.validUtterances(), keys.size() / 2);
    Set<String> held = new HashSet<>(keys.subList(0, kept));
    long perArchive = (long) options.framesPerIteration() * options.chunks().subsampling();
    int archives =
        (int)
            Math.max(
                Math.max(options.workers(), options.lastWorkers()),
                (frames + perArchive - 1) / perArchive);
    List<TableWriter<NnetExample>> writers = new ArrayList<>();
    int made;
    try (var valid = TableWriter.open("ark:" + valid(), NnetExample.HOLDER)) {
      for (int k = 0; k < archives; k++) {
        writers.add(TableWriter.open("ark:" + train(k), NnetExample.HOLDER));
      }
      made = write(held, valid, writers, random);
      writers.forEach(TableWriter::commit);
      valid.commit();
    } finally {
      writers.forEach(TableWriter::close);
    }
    if (made == 0) {
      throw new ShapeException(
          "[nnet3-fit] utterances must have targets and be as long as a chunk; got none such of %d in %s; look at their keys, or give shorter chunks."
              .formatted(keys.size(), options.features()));
    }
    FitFiles.write(folder.resolve(MARKER), archives + "\n");
    log.accept(
        "Made %d examples of %d utterances in %d archives, and one of %d utterances to measure with."
            .formatted(made, keys.size() - kept, archives, kept));
  }

  /** Writes examples; how many there are to train with. */
  private int write(
      Set<String> held,
      TableWriter<NnetExample> valid,
      List<TableWriter<NnetExample>> writers,
      Random random) {
    var count = new int[1];
    var chunker = new Chunker(options.chunks(), options.seed());
    var validChunker = new Chunker(options.chunks(), options.seed());
    var trainMaker =
        new ExampleMaker(
            chunker,
            options.seed(),
            true,
            (key, example) -> {
              writers.get(random.nextInt(writers.size())).write(key, example);
              count[0]++;
            });
    var validMaker = new ExampleMaker(validChunker, options.seed(), true, valid::write);
    try (var features = TableReader.open(options.features(), Holder.GENERAL_MATRIX);
        var targets = RandomAccessTable.open(options.targets(), holder());
        var ivectors =
            options.ivectors().isEmpty()
                ? null
                : RandomAccessTable.open(options.ivectors(), Holder.GENERAL_MATRIX)) {
      while (features.next()) {
        String key = features.key();
        if (!targets.has(key) || ivectors != null && !ivectors.has(key)) {
          log.accept("Left out " + key + ", which has no targets or no i-vectors.");
          continue;
        }
        ExampleMaker.Ivectors vectors =
            ivectors == null
                ? null
                : new ExampleMaker.Ivectors(ivectors.get(key).toMatrix(), options.ivectorPeriod());
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
      ExampleMaker.Ivectors ivectors) {
    switch (targets) {
      case int[] alignment ->
          maker.accept(key, features, Posterior.of(alignment), classes, ivectors);
      case Posterior posterior -> maker.accept(key, features, posterior, classes, ivectors);
      default -> maker.accept(key, features, ((GeneralMatrix) targets).toMatrix(), ivectors);
    }
  }

  /** Minibatches of an archive, in an order that a seed gives. */
  List<NnetExample> train(int archive, long seed, String sizes) {
    return minibatches(train(archive), seed, sizes);
  }

  /** As many of an archive as there are to measure with. */
  List<NnetExample> some(int archive, long seed) {
    int count = validation().size();
    return minibatches(train(archive), seed, ANY_SIZE).stream().limit(count).toList();
  }

  /** Minibatches to measure with. */
  List<NnetExample> validation() {
    return minibatches(valid(), 0, ANY_SIZE);
  }

  private List<NnetExample> minibatches(Path file, long seed, String sizes) {
    List<NnetExample> examples = new ArrayList<>();
    try (var reader = TableReader.open("ark:" + file, NnetExample.HOLDER)) {
      while (reader.next()) {
        examples.add(reader.value());
      }
    }
    Collections.shuffle(examples, new Random(seed));
    List<NnetExample> minibatches = new ArrayList<>();
    var merger =
        new ExampleMerger(new MinibatchSizes(sizes), (minibatch, _) -> minibatches.add(minibatch));
    examples.forEach(merger::accept);
    merger.finish();
    return minibatches;
  }
}
