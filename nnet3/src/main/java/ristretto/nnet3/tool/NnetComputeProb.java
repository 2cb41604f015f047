package ristretto.nnet3.tool;

import java.util.List;
import ristretto.expr.Context;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.component.EditLog;
import ristretto.nnet3.component.Edits;
import ristretto.nnet3.train.ComputeProb;

/** Computes the average objective and accuracy of a network on examples. */
final class NnetComputeProb implements Tool {
  private final Options options =
      new Options(
          "nnet3-compute-prob",
          """
          Computes the average objective and accuracy of a raw network on examples, as
          nnet3-get-egs and nnet3-merge-egs make them, and tells them on standard error.

          Usage:  nnet3-compute-prob [options] <raw-model-in> <training-examples-in>
          e.g.: nnet3-compute-prob 0.raw ark:valid.egs
          """);
  private final Option<Boolean> batchnorm =
      options.bool("batchnorm-test-mode", true, "Use statistics in batch normalization");
  private final Option<Boolean> dropout =
      options.bool("dropout-test-mode", true, "Drop nothing at random");
  private final Option<Boolean> collapse =
      options.bool("collapse-model", true, "Merge components where that changes nothing");
  private final Option<Boolean> accuracy =
      options.bool("compute-accuracy", true, "Tell accuracies as well as objectives");
  private final Option<Boolean> perDim =
      options.bool("compute-per-dim-accuracy", false, "Tell the accuracy of each class");
  private final CompilerOptions compilation = new CompilerOptions(options);
  private final ComputationOptions computation = new ComputationOptions(options);

  NnetComputeProb() {
    options.bool("debug-computation", false, "Accepted; see --computation.debug");
  }

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(2, 2);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    var edits = new Edits(Nnet.load(arguments.get(0)), EditLog.NONE);
    computation.tell(log);
    if (batchnorm.get()) {
      edits.setBatchNormTestMode(true);
    }
    if (dropout.get()) {
      edits.setDropoutTestMode(true);
    }
    if (collapse.get()) {
      edits.collapse();
    }
    try (Context context = compilation.open();
        var examples = Egs.reader(arguments.get(1))) {
      var prob =
          new ComputeProb(context, edits.nnet(), perDim.get(), compilation.keeping(log))
              .choose(compilation.choices());
      while (examples.next()) {
        prob.accept(examples.value(), accuracy.get());
      }
      prob.report().forEach(line -> log.info("%s", line));
      boolean some = prob.objectives().values().stream().anyMatch(v -> v.weight() > 0);
      if (!some) {
        log.warning("No examples had targets.");
      }
      return some ? 0 : 1;
    }
  }
}
