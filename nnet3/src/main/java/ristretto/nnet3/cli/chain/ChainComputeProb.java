package ristretto.nnet3.cli.chain;

import java.util.List;
import ristretto.expr.Context;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.ChainProb;
import ristretto.nnet3.chain.DenominatorGraph;
import ristretto.nnet3.cli.options.ChainFlags;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.CompilerOptions;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UseGpuOption;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.edit.EditLog;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.network.Nnet;

/** Computes the average chain objective of a network on examples. */
public final class ChainComputeProb extends Tool {
  private final ChainFlags chain = new ChainFlags(options);
  private final Option<Boolean> batchnorm =
      options.bool("batchnorm-test-mode", true, "Put batch normalization in test mode");
  private final Option<Boolean> dropout =
      options.bool("dropout-test-mode", true, "Disable dropout");
  private final Option<Boolean> collapse =
      options.bool("collapse-model", true, "Merge components where results do not change");
  private final CompilerOptions compilation = new CompilerOptions(options);
  private final UseGpuOption computation = new UseGpuOption(options);

  public ChainComputeProb() {
    super(
        "nnet3-chain-compute-prob",
        """
        Computes the average chain objective of a raw network on chain examples, and that of the
        cross-entropy output if --xent-regularize is not 0, and logs them on standard error.

        Usage:  nnet3-chain-compute-prob [options] <raw-nnet3-model-in> <denominator-fst> <training-examples-in>
        e.g.: nnet3-chain-compute-prob 0.mdl den.fst ark:valid.cegs
        """,
        3,
        3);
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    var edits = new NetworkEdits(Nnet.load(arguments.get(0)), EditLog.NONE);
    DenominatorGraph graph = DenominatorGraph.load(arguments.get(1));
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
        var examples = TableReader.open(arguments.get(2), ChainExample.HOLDER)) {
      var prob =
          new ChainProb(
              context,
              edits.nnet(),
              graph,
              chain.get(),
              compilation.lowering(),
              compilation.cache(log));
      while (examples.next()) {
        prob.accept(examples.value());
      }
      prob.report().forEach(line -> log.info("%s", line));
      boolean some = prob.totals().values().stream().anyMatch(total -> total.weight() > 0);
      if (!some) {
        log.warning("No examples were read.");
      }
      return some ? 0 : 1;
    }
  }
}
