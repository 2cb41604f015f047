package ristretto.nnet3.tool;

import java.nio.file.Path;
import java.util.List;
import ristretto.nnet3.AmNnet;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.fit.Fit;
import ristretto.nnet3.fit.FitOptions;
import ristretto.nnet3.io.KaldiInput;

/** Trains a network, from features and targets to the final model. */
final class NnetFit implements Tool {
  private final Options options =
      new Options(
          "nnet3-fit",
          """
          Trains a network from features and targets: makes examples, trains in iterations with
          falling learning rates, averages the last networks, and computes priors. All of it is in
          one folder: models 0.raw, 1.raw, ..., final.raw, priors.vec, history.tsv, and report.html
          with curves, which a browser follows. A training that was ended goes on where it was, when
          the same command is given again, to the same result.

          Usage:  nnet3-fit [options] --feats=... --targets=... --dir=DIR <config>
          e.g.
          nnet3-fit --feats=ark:feats.ark --targets=ark:ali.ark --dir=exp/tdnn network.config
          """);
  private final Option<String> feats =
      options.string("feats", "", "Rspecifier of features; needed");
  private final Option<String> targets =
      options.string("targets", "", "Rspecifier of targets; needed");
  private final Option<String> kind =
      options.string(
          "targets-type",
          "alignments",
          "What targets are: alignments (one class a frame), posteriors, or matrices");
  private final Option<String> ivectors =
      options.string("ivectors", "", "Rspecifier of i-vectors, a matrix for each utterance");
  private final Option<Integer> ivectorPeriod =
      options.integer("ivector-period", 10, "Frames of features for a row of i-vectors");
  private final Option<String> dir = options.string("dir", "", "Folder for everything; needed");
  private final ChunkingOptions chunking = new ChunkingOptions(options, "8");
  private final Option<String> minibatch =
      options.string("minibatch-size", "64", "Examples a minibatch, as for nnet3-merge-egs");
  private final Option<Float> epochs = options.real("num-epochs", 5, "How often data are used");
  private final Option<Integer> jobs =
      options.integer(
          "num-jobs", 1, "Networks that are trained side by side in an iteration, and averaged");
  private final Option<Integer> firstJobs =
      options.integer("num-jobs-initial", 0, "In place of --num-jobs at the begin, unless 0");
  private final Option<Integer> lastJobs =
      options.integer("num-jobs-final", 0, "In place of --num-jobs at the end, unless 0");
  private final Option<Integer> samples =
      options.integer(
          "samples-per-iter", 400000, "Frames that a job uses before networks are averaged");
  private final Option<Integer> valid =
      options.integer("num-utts-valid", 20, "Utterances that are kept apart, to measure with");
  private final Option<Float> initialRate =
      options.real("initial-effective-lrate", 0.001f, "Learning rate at the begin");
  private final Option<Float> finalRate =
      options.real("final-effective-lrate", 0.0002f, "Learning rate at the end");
  private final Option<Float> shrink =
      options.real(
          "proportional-shrink",
          0,
          "Before each iteration parameters are multiplied by 1 minus this times the learning"
              + " rate");
  private final Option<String> dropout =
      options.string(
          "dropout-schedule", "", "Dropout proportions over the training: 0,0@0.2,0.5@0.5,0");
  private final Option<Integer> combined =
      options.integer(
          "max-models-combine", 20, "Of how many of the last networks the average may be");
  private final Option<String> transitionModel =
      options.string(
          "transition-model", "", "File that begins with one, to write final.mdl with priors");
  private final Option<Integer> seed = options.integer("srand", 0, "Seed of all random choices");
  private final Option<Boolean> progress =
      options.bool("progress", true, "Show a bar, on a terminal");
  private final TrainingToolOptions training = new TrainingToolOptions(options);

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(1, 1);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    for (Option<String> needed : List.of(feats, targets, dir)) {
      if (needed.get().isEmpty()) {
        throw new UsageException(
            "[options] --%s must be given; got none; see above.".formatted(needed.name));
      }
    }
    Path folder = Path.of(dir.get());
    boolean terminal = progress.get() && System.console() != null && System.console().isTerminal();
    var fit = new Fit(folder, settings(arguments.get(0), log), l -> log.info("%s", l), terminal);
    Nnet result = fit.run();
    if (!transitionModel.get().isEmpty()) {
      model(folder, result);
    }
    log.info("Finished training, wrote %s", folder.resolve("final.raw"));
    return 0;
  }

  private void model(Path folder, Nnet result) {
    AmNnet model = AmNnet.of(transitionModel.get(), result);
    boolean binary;
    try (KaldiInput in = KaldiInput.open(transitionModel.get())) {
      binary = in.binary();
    }
    try (KaldiInput in = KaldiInput.open(folder.resolve("priors.vec").toString())) {
      model.withPriors(in.readVector()).save(folder.resolve("final.mdl").toString(), binary);
    }
  }

  private FitOptions settings(String config, Log log) {
    FitOptions.Kind of =
        switch (kind.get()) {
          case "alignments" -> FitOptions.Kind.ALIGNMENTS;
          case "posteriors" -> FitOptions.Kind.POSTERIORS;
          case "matrices" -> FitOptions.Kind.MATRICES;
          default ->
              throw new UsageException(
                  "[options] --targets-type must be alignments, posteriors or matrices; got \"%s\"; write one of them."
                      .formatted(kind.get()));
        };
    require(jobs, jobs.get() >= 1, "1 or more");
    require(firstJobs, firstJobs.get() >= 0, "0 or more");
    require(lastJobs, lastJobs.get() >= 0, "0 or more");
    require(shrink, shrink.get() >= 0, "0 or more");
    require(samples, samples.get() >= 1, "1 or more");
    require(valid, valid.get() >= 1, "1 or more");
    require(combined, combined.get() >= 1, "1 or more");
    require(epochs, epochs.get() > 0, "above 0");
    require(initialRate, initialRate.get() > 0, "above 0");
    require(finalRate, finalRate.get() > 0, "above 0");
    return new FitOptions(
        config,
        feats.get(),
        targets.get(),
        ivectors.get(),
        ivectorPeriod.get(),
        of,
        chunking.get(log),
        minibatch.get(),
        epochs.get(),
        firstJobs.get() == 0 ? jobs.get() : firstJobs.get(),
        lastJobs.get() == 0 ? jobs.get() : lastJobs.get(),
        samples.get(),
        valid.get(),
        initialRate.get(),
        finalRate.get(),
        shrink.get(),
        dropout.get(),
        combined.get(),
        training.get(seed.get()),
        seed.get());
  }

  private static void require(Option<?> option, boolean ok, String rule) {
    if (!ok) {
      throw new UsageException(
          "[options] --%s must be %s; got %s; leave it out for the default."
              .formatted(option.name, rule, option.get()));
    }
  }
}
