package ristretto.nnet3.cli;

import java.util.List;
import ristretto.expr.Context;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.CompilerOptions;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UseGpuOption;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.edit.EditLog;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.ComputeProb;

/** Computes the average objective and accuracy of a network on examples. */
final class NnetComputeProb extends Tool {
  NnetComputeProb() {
    super(
        "nnet3-compute-prob",
        """
        Computes the average objective and accuracy of a raw network on examples of nnet3-get-egs
        or nnet3-merge-egs, and logs them on standard error.

        Usage:  nnet3-compute-prob [options] <raw-model-in> <training-examples-in>
        e.g.: nnet3-compute-prob 0.raw ark:valid.egs
        """,
        2,
        2);
    options.bool("debug-computation", false, "Accepted without effect; see --computation.debug");
  }

  private final Option<Boolean> batchnorm =
      options.bool("batchnorm-test-mode", true, "Put batch normalization in test mode");
  private final Option<Boolean> dropout =
      options.bool("dropout-test-mode", true, "Disable dropout");
  private final Option<Boolean> collapse =
      options.bool("collapse-model", true, "Merge components where results do not change");
  private final Option<Boolean> accuracy =
      options.bool("compute-accuracy", true, "Log accuracies as well as objectives");
  private final Option<Boolean> perDim =
      options.bool("compute-per-dim-accuracy", false, "Log the accuracy of each class");
  private final CompilerOptions compilation = new CompilerOptions(options);
  private final UseGpuOption computation = new UseGpuOption(options);

  @Override
  public int run(List<String> arguments, CommandLog log) {
    var edits = new NetworkEdits(Nnet.load(arguments.get(0)), EditLog.NONE);
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
        var examples = ExampleKind.NNET3.reader(arguments.get(1))) {
      var prob =
          new ComputeProb(context, edits.nnet(), perDim.get(), compilation.cache(log))
              .lowering(compilation.lowering());
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
