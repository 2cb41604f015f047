package ristretto.nnet3.cli;

import java.nio.file.Path;
import java.util.List;
import ristretto.nnet3.cli.options.ChainFlags;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.CompilerOptions;
import ristretto.nnet3.cli.options.ExampleGenerationFlags;
import ristretto.nnet3.cli.options.MasterOption;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.TrainingToolOptions;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.cluster.Cluster;
import ristretto.nnet3.fit.Fit;
import ristretto.nnet3.fit.FitOptions;
import ristretto.nnet3.fit.JobRunner;
import ristretto.nnet3.fit.ThreadJobs;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.network.AmNnet;
import ristretto.nnet3.network.Nnet;
import ristretto.symbolic.optim.OuterStep;

/** Trains a network, from features and targets to the final model. */
final class NnetFit extends Tool {
  NnetFit() {
    super(
        "nnet3-fit",
        """
        Trains a network from features and targets: makes examples, trains in iterations with
        decreasing learning rates, averages the last networks, and computes priors. All results are
        in one folder: models 0.raw, 1.raw, ..., final.raw, priors.vec, history.tsv, and report.html
        with learning curves, which a browser refreshes. When the same command is given again, an
        interrupted training continues, with the same result as without the interruption.

        With --objective=chain, chain models (LF-MMI) are trained: targets are supervisions made by
        chain-get-supervision, and --num-epochs counts as in steps/nnet3/chain/train.py: an epoch
        has a pass over the data for each of the --frame-subsampling-factor input frames per
        output frame.

        Usage:  nnet3-fit [options] --feats=... --targets=... --dir=DIR <config>
           or:  nnet3-fit [options] --egs-dir=DIR --dir=DIR <config>
           or:  nnet3-fit [options] --input-model=... --feats=... --targets=... --dir=DIR
        e.g.
        nnet3-fit --feats=ark:feats.ark --targets=ark:ali.ark --dir=exp/tdnn network.config
        Training of recurrent networks as by Kaldi's train_rnn.py:
        nnet3-fit --num-frames=20 --left-context=40 --minibatch-size=100 --momentum=0.5 \\
           --deriv-truncate-margin=8 --shrink-value=0.99 --feats=ark:feats.ark \\
           --targets=ark:ali.ark --dir=exp/lstm network.config
        Training of chain models:
        nnet3-fit --objective=chain --den-fst=den.fst --normalization-fst=normalization.fst \\
           --num-frames=150,110,90 --frame-subsampling-factor=3 --xent-regularize=0.1 \\
           --l2-regularize=0.00005 --leaky-hmm-coefficient=0.1 --feats=ark:feats.ark \\
           --targets=ark:sup.ark --dir=exp/chain network.config
        """,
        0,
        1);
  }

  private final Option<String> feats = options.string("feats", "", "Rspecifier of features");
  private final Option<String> targets = options.string("targets", "", "Rspecifier of targets");
  private final Option<String> kind =
      options.string(
          "targets-type",
          "alignments",
          "Kind of the targets: alignments (one class per frame), posteriors, or matrices");
  private final Option<String> objective =
      options.string(
          "objective", "targets", "Objective: targets, of each frame, or chain (LF-MMI)");
  private final Option<String> denominator =
      options.string("den-fst", "", "Denominator FST; required with --objective=chain");
  private final Option<String> normalization =
      options.string(
          "normalization-fst",
          "",
          "Normalization FST; required with --objective=chain, unless examples exist");
  private final ChainFlags chainFlags = new ChainFlags(options);
  private final Option<Boolean> derivativeWeights =
      options.bool(
          "apply-deriv-weights",
          true,
          "With --objective=chain, apply the weights of derivatives that examples have");
  private final Option<String> ivectors =
      options.string("ivectors", "", "Rspecifier of i-vectors, one matrix per utterance");
  private final Option<Integer> ivectorPeriod =
      options.integer("ivector-period", 10, "Number of feature frames per row of i-vectors");
  private final Option<String> dir = options.string("dir", "", "Folder of all results; required");
  private final Option<String> egs =
      options.string(
          "egs-dir",
          "",
          "Folder with examples instead of --feats and --targets: DIR/egs of another training, or"
              + " the output of Kaldi's get_egs.sh");
  private final Option<String> input =
      options.string("input-model", "", "Initial raw model, instead of a config");
  private final Option<String> init =
      options.string(
          "init-config",
          "",
          "Config of an initial network. A feature transform of its outputs, DIR/lda.mat, is"
              + " computed before the config is read, which extends that network; if DIR/configs"
              + " exists, it gets a link to lda.mat");
  private final Option<Float> prune =
      options.real(
          "rand-prune",
          4,
          "Option --rand-prune of nnet3-acc-lda-stats for the statistics of lda.mat");
  private final Option<Float> scalePower =
      options.real(
          "presoftmax-prior-scale-power",
          -0.25f,
          "Exponent of the class frequencies in DIR/presoftmax_prior_scale.vec, which is computed"
              + " for a config that reads it; if DIR/configs exists, it gets a link to the file");
  private final Option<Integer> classes =
      options.integer(
          "num-classes", 0, "Number of classes with scales, if larger than in the targets");
  private final ExampleGenerationFlags chunking = new ExampleGenerationFlags(options, "8");
  private final Option<String> minibatch =
      options.string("minibatch-size", "64", "Examples per minibatch, as for nnet3-merge-egs");
  private final Option<Float> epochs =
      options.real("num-epochs", 5, "Number of passes over the data");
  private final Option<Integer> jobs =
      options.integer(
          "num-jobs", 1, "Number of networks that are trained in an iteration and averaged");
  private final Option<Integer> firstJobs =
      options.integer("num-jobs-initial", 0, "If not 0, overrides --num-jobs at the start");
  private final Option<Integer> lastJobs =
      options.integer("num-jobs-final", 0, "If not 0, overrides --num-jobs at the end");
  private final Option<Integer> step =
      options.integer(
          "num-jobs-step",
          1,
          "Divisor of the number of jobs, once the number is at least as large");
  private final Option<Integer> samples =
      options.integer(
          "samples-per-iter",
          400000,
          "Frames per job and iteration, after which networks are averaged");
  private final Option<Integer> valid =
      options.integer("num-utts-valid", 20, "Number of utterances held out for validation");
  private final Option<Float> initialRate =
      options.real("initial-effective-lrate", 0.001f, "Learning rate at the start");
  private final Option<Float> finalRate =
      options.real("final-effective-lrate", 0.0002f, "Learning rate at the end");
  private final Option<Float> outerRate =
      options.real(
          "outer-lrate",
          1,
          "Learning rate of averages: the change of the parameters from one average to the next is"
              + " taken as a gradient (DiLoCo); 0.7 is usual with --outer-momentum=0.9");
  private final Option<Float> outerMomentum =
      options.real("outer-momentum", 0, "Nesterov momentum of averages");
  private final Option<Boolean> halved =
      options.bool(
          "halved-traffic",
          false,
          "With --master, jobs send the changes of parameters in BF16, half of the bytes");
  private final Option<Float> shrink =
      options.real(
          "proportional-shrink",
          0,
          "Shrinks parameters before each iteration by the factor 1 minus this times the learning"
              + " rate");
  private final Option<Float> shrinkValue =
      options.real(
          "shrink-value",
          1,
          "Shrinks parameters by this factor instead, if smaller, before the first iteration and"
              + " when sigmoids and tanhs are saturated");
  private final Option<Float> shrinkThreshold =
      options.real(
          "shrink-saturation-threshold",
          0.4f,
          "Saturation threshold: one minus the mean derivative of sigmoids and tanhs, relative to"
              + " the largest derivative");
  private final Option<Integer> truncation =
      options.integer(
          "deriv-truncate-margin",
          -1,
          "If not negative, limits derivatives to times within this many frames of the network's"
              + " input for a chunk's outputs; overrides --optimization.*deriv-time*");
  private final Option<String> dropout =
      options.string(
          "dropout-schedule", "", "Dropout proportions over the training: 0,0@0.2,0.5@0.5,0");
  private final Option<Integer> combined =
      options.integer(
          "max-models-combine", 20, "Largest number of last networks in the final average");
  private final Option<Integer> evaluations =
      options.integer(
          "max-objective-evaluations",
          30,
          "Approximate number of evaluations of the objective to find the number of averaged"
              + " networks");
  private final Option<Boolean> combine =
      options.bool(
          "do-final-combination",
          true,
          "Average the last networks; if false, the final network is that of the last iteration");
  private final Option<Integer> priorExamples =
      options.integer(
          "prior-subset-size", 20000, "Number of examples for the computation of priors");
  private final Option<Boolean> posteriors =
      options.bool(
          "compute-average-posteriors",
          false,
          "Write priors.vec, the average output, also if targets are matrices");
  private final Option<Boolean> cleanup =
      options.bool("cleanup", false, "Remove networks of iterations that are no longer needed");
  private final Option<Integer> interval =
      options.integer(
          "preserve-model-interval",
          100,
          "With --cleanup, keep the first network and one in this many");
  private final Option<Boolean> removeEgs =
      options.bool(
          "remove-egs", false, "Remove the examples at the end, unless given by --egs-dir");
  private final Option<String> transitionModel =
      options.string(
          "transition-model",
          "",
          "File that begins with a transition model, for writing final.mdl with priors");
  private final Option<Integer> seed = options.integer("srand", 0, "Seed of all random choices");
  private final MasterOption master =
      new MasterOption(options, "trains the networks of an iteration at the same time");
  private final Option<Boolean> progress =
      options.bool("progress", true, "Show a progress bar on a terminal");
  private final TrainingToolOptions training = new TrainingToolOptions(options);
  private final CompilerOptions compilation = new CompilerOptions(options);

  @Override
  public int run(List<String> arguments, CommandLog log) {
    boolean made = egs.get().isEmpty();
    for (Option<String> needed : made ? List.of(feats, targets, dir) : List.of(dir)) {
      if (needed.get().isEmpty()) {
        throw new UsageException(
            "[options] --%s must be given; got none; see the usage above.".formatted(needed.name));
      }
    }
    if (arguments.isEmpty() == input.get().isEmpty()) {
      throw new UsageException(
          "[options] either a config or --input-model must be given; got %s; see the usage above."
              .formatted(arguments.isEmpty() ? "none" : "both"));
    }
    if (!transitionModel.get().isEmpty()) {
      AmNnet.requireTransitionModel(transitionModel.get());
    }
    requireGraphs(made);
    Path folder = Path.of(dir.get());
    boolean terminal = progress.get() && System.console() != null && System.console().isTerminal();
    String config = arguments.isEmpty() ? "" : arguments.get(0);
    var fit =
        new Fit(
            folder,
            settings(config, log),
            new Fit.Cleanup(cleanup.get(), interval.get(), removeEgs.get()),
            workers -> jobs(workers, log),
            l -> log.info("%s", l),
            terminal);
    Nnet result = fit.run();
    if (!transitionModel.get().isEmpty()) {
      model(folder, result);
    }
    log.info("Finished training, wrote %s", folder.resolve("final.raw"));
    return 0;
  }

  private JobRunner jobs(int workers, CommandLog log) {
    return !master.isGiven()
        ? new ThreadJobs(workers, compilation.cache(log))
        : Cluster.find("nnet3-fit").jobs(master.address("nnet3-fit", log));
  }

  /** Checks the options that belong to the chain objective. */
  private void requireGraphs(boolean made) {
    boolean chain = objective.get().equals("chain");
    if (!chain && !objective.get().equals("targets")) {
      throw new UsageException(
          "[options] --objective must be targets or chain; got \"%s\"; write one of them."
              .formatted(objective.get()));
    }
    if (!chain && !(denominator.get() + normalization.get()).isEmpty()) {
      throw new UsageException(
          "[options] --den-fst and --normalization-fst must be given with --objective=chain only;"
              + " got them for targets of each frame; add --objective=chain, or leave them out.");
    }
    for (Option<String> needed : List.of(denominator, normalization)) {
      if (chain && needed.get().isEmpty() && (made || needed == denominator)) {
        throw new UsageException(
            "[options] --%s must be given for chain models; got none; make it with chain-make-den-fst."
                .formatted(needed.name));
      }
    }
  }

  private FitOptions.Chain chain() {
    return objective.get().equals("chain")
        ? new FitOptions.Chain(
            denominator.get(), normalization.get(), chainFlags.get(), derivativeWeights.get())
        : null;
  }

  private void model(Path folder, Nnet result) {
    AmNnet model = AmNnet.of(transitionModel.get(), result);
    boolean binary;
    boolean priors = objective.get().equals("targets");
    try (KaldiInput in = KaldiInput.open(transitionModel.get())) {
      binary = in.binary();
    }
    String file = folder.resolve("final.mdl").toString();
    if (!priors) {
      model.save(file, binary);
      return;
    }
    try (KaldiInput in = KaldiInput.open(folder.resolve("priors.vec").toString())) {
      model.withPriors(in.readVector()).save(file, binary);
    }
  }

  private FitOptions settings(String config, CommandLog log) {
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
    require(outerRate, outerRate.get() > 0, "above 0");
    require(
        outerMomentum, outerMomentum.get() >= 0 && outerMomentum.get() < 1, "0 or more, below 1");
    require(halved, !halved.get() || master.isGiven(), "given with --master only");
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
        new FitOptions.Averages(new OuterStep(outerRate.get(), outerMomentum.get()), halved.get()),
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
        compilation.settings(),
        chain(),
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
