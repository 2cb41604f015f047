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
             or:  nnet3-fit [options] --egs-dir=DIR --dir=DIR <config>
             or:  nnet3-fit [options] --input-model=... --feats=... --targets=... --dir=DIR
          e.g.
          nnet3-fit --feats=ark:feats.ark --targets=ark:ali.ark --dir=exp/tdnn network.config
          Networks with a recurrence as Kaldi's train_rnn.py trains them:
          nnet3-fit --num-frames=20 --left-context=40 --minibatch-size=100 --momentum=0.5 \\
             --deriv-truncate-margin=8 --shrink-value=0.99 --feats=ark:feats.ark \\
             --targets=ark:ali.ark --dir=exp/lstm network.config
          """);
  private final Option<String> feats = options.string("feats", "", "Rspecifier of features");
  private final Option<String> targets = options.string("targets", "", "Rspecifier of targets");
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
  private final Option<String> egs =
      options.string(
          "egs-dir",
          "",
          "Folder with examples in place of --feats and --targets: DIR/egs of another training, or"
              + " one that Kaldi's get_egs.sh made");
  private final Option<String> input =
      options.string("input-model", "", "Raw model to begin with, in place of a config");
  private final Option<String> init =
      options.string(
          "init-config",
          "",
          "Config of a network for whose outputs a transform is made, DIR/lda.mat, before the"
              + " config is read, which adds to that network; DIR/configs/lda.mat is a link to it,"
              + " if that folder is there");
  private final Option<Float> prune =
      options.real("rand-prune", 4, "Of the statistics behind lda.mat, as nnet3-acc-lda-stats");
  private final Option<Float> scalePower =
      options.real(
          "presoftmax-prior-scale-power",
          -0.25f,
          "Power of how often each class is, in DIR/presoftmax_prior_scale.vec, which is made for a"
              + " config that reads it; DIR/configs has a link to it, if that folder is there");
  private final Option<Integer> classes =
      options.integer(
          "num-classes", 0, "How many classes have scales, if more than the targets name");
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
  private final Option<Integer> step =
      options.integer(
          "num-jobs-step", 1, "Of what the number of jobs is a multiple once it is as large");
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
  private final Option<Float> shrinkValue =
      options.real(
          "shrink-value",
          1,
          "By this instead where it is smaller, before the first iteration and when sigmoids and"
              + " tanhs are saturated");
  private final Option<Float> shrinkThreshold =
      options.real(
          "shrink-saturation-threshold",
          0.4f,
          "They are when one minus their mean derivative, as part of the largest, is above this");
  private final Option<Integer> truncation =
      options.integer(
          "deriv-truncate-margin",
          -1,
          "Unless negative, derivatives are of times up to so many frames around what the network"
              + " reads for the outputs of a chunk, in place of --optimization.*deriv-time*");
  private final Option<String> dropout =
      options.string(
          "dropout-schedule", "", "Dropout proportions over the training: 0,0@0.2,0.5@0.5,0");
  private final Option<Integer> combined =
      options.integer(
          "max-models-combine", 20, "Of how many of the last networks the average may be");
  private final Option<Integer> evaluations =
      options.integer(
          "max-objective-evaluations",
          30,
          "About how often the objective is computed to find out how many are averaged");
  private final Option<Boolean> combine =
      options.bool(
          "do-final-combination", true, "If not, the final network is that of the last iteration");
  private final Option<Integer> priorExamples =
      options.integer("prior-subset-size", 20000, "Of how many examples priors are computed");
  private final Option<Boolean> posteriors =
      options.bool(
          "compute-average-posteriors",
          false,
          "Write priors.vec, the average output, for matrices as targets, too");
  private final Option<Boolean> cleanup =
      options.bool("cleanup", false, "Remove networks of iterations that nothing needs any more");
  private final Option<Integer> interval =
      options.integer("preserve-model-interval", 100, "Keep one in so many of them, and the first");
  private final Option<Boolean> removeEgs =
      options.bool("remove-egs", false, "Remove examples at the end, if they were made here");
  private final Option<String> transitionModel =
      options.string(
          "transition-model", "", "File that begins with one, to write final.mdl with priors");
  private final Option<Integer> seed = options.integer("srand", 0, "Seed of all random choices");
  private final Option<Boolean> progress =
      options.bool("progress", true, "Show a bar, on a terminal");
  private final TrainingToolOptions training = new TrainingToolOptions(options);
  private final CompilerOptions compilation = new CompilerOptions(options);

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(0, 1);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    boolean made = egs.get().isEmpty();
    for (Option<String> needed : made ? List.of(feats, targets, dir) : List.of(dir)) {
      if (needed.get().isEmpty()) {
        throw new UsageException(
            "[options] --%s must be given; got none; see above.".formatted(needed.name));
      }
    }
    if (arguments.isEmpty() == input.get().isEmpty()) {
      throw new UsageException(
          "[options] either a config or --input-model must be given; got %s; see above."
              .formatted(arguments.isEmpty() ? "none" : "both"));
    }
    if (!transitionModel.get().isEmpty()) {
      AmNnet.requireTransitionModel(transitionModel.get());
    }
    Path folder = Path.of(dir.get());
    boolean terminal = progress.get() && System.console() != null && System.console().isTerminal();
    String config = arguments.isEmpty() ? "" : arguments.get(0);
    var fit =
        new Fit(
            folder,
            settings(config, log),
            new Fit.Cleanup(cleanup.get(), interval.get(), removeEgs.get()),
            compilation.keeping(log),
            l -> log.info("%s", l),
            terminal);
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
    atLeast(1, jobs, step, samples, valid, combined, evaluations, priorExamples, interval);
    atLeast(0, firstJobs, lastJobs, classes);
    require(shrink, shrink.get() >= 0, "0 or more");
    require(shrinkValue, shrinkValue.get() > 0 && shrinkValue.get() <= 1, "above 0 and at most 1");
    require(epochs, epochs.get() > 0, "above 0");
    require(initialRate, initialRate.get() > 0, "above 0");
    require(finalRate, finalRate.get() > 0, "above 0");
    require(prune, prune.get() >= 0, "0 or more");
    return new FitOptions(
        new FitOptions.Start(
            config, input.get(), init.get(), prune.get(), scalePower.get(), classes.get()),
        new FitOptions.Examples(
            egs.get(),
            feats.get(),
            targets.get(),
            ivectors.get(),
            ivectorPeriod.get(),
            of,
            chunking.get(log),
            samples.get(),
            valid.get()),
        new FitOptions.Plan(
            epochs.get(),
            firstJobs.get() == 0 ? jobs.get() : firstJobs.get(),
            lastJobs.get() == 0 ? jobs.get() : lastJobs.get(),
            step.get(),
            initialRate.get(),
            finalRate.get(),
            dropout.get()),
        new FitOptions.Shrinking(shrink.get(), shrinkValue.get(), shrinkThreshold.get()),
        new FitOptions.End(
            combine.get(),
            combined.get(),
            evaluations.get(),
            priorExamples.get(),
            posteriors.get()),
        minibatch.get(),
        training.get(seed.get()),
        compilation.derivativeTimes(truncation.get()),
        compilation.passes(),
        seed.get());
  }

  @SafeVarargs
  private static void atLeast(int least, Option<Integer>... all) {
    for (Option<Integer> option : all) {
      require(option, option.get() >= least, least + " or more");
    }
  }

  private static void require(Option<?> option, boolean ok, String rule) {
    if (!ok) {
      throw new UsageException(
          "[options] --%s must be %s; got %s; leave it out for the default."
              .formatted(option.name, rule, option.get()));
    }
  }
}
