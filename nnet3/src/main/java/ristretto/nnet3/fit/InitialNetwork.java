package ristretto.nnet3.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.egs.Example;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.FeatureTransform;
import ristretto.nnet3.train.LdaRows;
import ristretto.nnet3.train.LdaStats;

/**
 * Initial network of a training: an existing one, or one made from a config. The config may read a
 * feature transform, {@code lda.mat}, estimated from the output of a first config, and {@link
 * ClassScales}.
 */
final class InitialNetwork {
  private static final String TRANSFORM = "lda.mat";

  /** Number of archives from which the transform is estimated. */
  private static final int ARCHIVES = 10;

  private final Path folder;
  private final FitOptions options;
  private final FitOptions.Start start;
  private final Consumer<String> log;

  InitialNetwork(Path folder, FitOptions options, Consumer<String> log) {
    this.folder = folder;
    this.options = options;
    this.start = options.start();
    this.log = log;
  }

  /** Returns true if the config needs a transform, and therefore examples. */
  boolean needsTransform() {
    return !start.initConfig().isEmpty();
  }

  /** Makes the network, with the existing transform. */
  Nnet make() {
    if (!start.model().isEmpty()) {
      return Nnet.load(start.model());
    }
    String text = text(start.config());
    if (text.contains(ClassScales.NAME)) {
      new ClassScales(options).write(folder.resolve(ClassScales.NAME).toString());
      linkFromConfigs(ClassScales.NAME);
    }
    Nnet first = needsTransform() ? splicing() : null;
    return first == null
        ? Nnet.fromConfig(start.config(), text, options.seed())
        : first.withConfig(start.config(), text, options.seed());
  }

  private Nnet splicing() {
    return Nnet.fromConfig(start.initConfig(), text(start.initConfig()), options.seed());
  }

  private static String text(String config) {
    return KaldiInput.text(config, "a config");
  }

  /** Makes a network of the right shape, with a zero transform. */
  Nnet like() {
    int dim = splicing().outputDim("output");
    if (dim < 0) {
      throw new ShapeException(
          "[nnet3-fit] the network of --init-config must have an output named output; got none in %s; name it so."
              .formatted(start.initConfig()));
    }
    write(new Matrix(dim, dim + 1));
    return make();
  }

  /** Estimates and writes the transform. */
  <E extends Example<E>> void makeTransform(FitTask<E> task, TrainingData<E> data) {
    LdaStats stats;
    try (Context context = options.settings().open()) {
      var rows = new LdaRows(context, splicing(), start.randPrune(), options.seed());
      data.each(ARCHIVES, example -> task.accept(rows, example));
      stats = rows.stats();
    }
    if (stats == null || stats.count() == 0) {
      throw new ShapeException(
          "[nnet3-fit] a transform needs examples with targets; got none; leave --init-config"
              + " out.");
    }
    FeatureTransform transform = FeatureTransform.of(stats, FeatureTransform.Options.DEFAULT);
    log.accept(
        "Made a feature transform; ratios of variance between classes to variance within, by"
            + " column: "
            + Arrays.stream(transform.ratios())
                .mapToObj(ratio -> FloatText.of(ratio, 3))
                .collect(Collectors.joining(" ")));
    write(transform.matrix());
  }

  private void write(Matrix matrix) {
    KaldiOutput.write(folder.resolve(TRANSFORM).toString(), true, out -> out.writeMatrix(matrix));
    linkFromConfigs(TRANSFORM);
  }

  private void linkFromConfigs(String name) {
    Path configs = folder.resolve("configs");
    if (Files.isDirectory(configs)) {
      FitFiles.link(configs.resolve(name), name);
    }
  }
}
