package ristretto.nnet3.cli;

import java.util.List;
import ristretto.expr.Context;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.ComputeOptions;
import ristretto.nnet3.cli.options.EvaluationModel;
import ristretto.nnet3.cli.options.MasterOption;
import ristretto.nnet3.cli.options.UtteranceTables;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.cluster.Cluster;
import ristretto.nnet3.cluster.ClusterOutputs;
import ristretto.nnet3.decode.UtteranceComputer;
import ristretto.nnet3.decode.UtteranceJob;
import ristretto.nnet3.network.Nnet;

/** Computes the outputs of utterances. */
final class NnetCompute extends Tool {
  NnetCompute() {
    super(
        "nnet3-compute",
        """
        Propagates features through a 'raw' neural network, and writes its output, one matrix per
        utterance; with --apply-exp=true, the exponential of the output.

        Usage:  nnet3-compute [options] <nnet-in> <features-rspecifier> <matrix-wspecifier>
        e.g.:
         nnet3-compute final.raw scp:feats.scp ark:nnet_prediction.ark
        See also: nnet3-compute-batch, nnet3-xvector-compute, nnet3-copy
        """,
        3,
        3);
  }

  private final ComputeOptions compute = new ComputeOptions(options, "yes");
  private final UtteranceTables tables = new UtteranceTables(options);

  private final MasterOption master = new MasterOption(options, "computes the outputs");

  @Override
  public int run(List<String> arguments, CommandLog log) {
    compute.check();
    if (master.isGiven()) {
      return runOnCluster(arguments, log);
    }
    try (Context context = compute.open()) {
      EvaluationModel model = tables.model(arguments.get(0), log);
      Nnet nnet = model.nnet();
      UtteranceComputer computer =
          job(model, log).computer(nnet, compute.compiler(nnet, context, log));
      return tables.run(arguments, model, computer, compute.acousticScale.get(), log);
    }
  }

  private UtteranceJob job(EvaluationModel model, CommandLog log) {
    return compute.job(compute.chunks(model.nnet().modulus(), log), model.context(), log);
  }

  private int runOnCluster(List<String> arguments, CommandLog log) {
    Cluster cluster = Cluster.find("nnet3-compute");
    EvaluationModel model = tables.model(arguments.get(0), log);
    try (ClusterOutputs outputs =
        cluster.outputs(master.address("nnet3-compute", log), job(model, log), model.nnet())) {
      return tables.run(arguments, model, outputs, compute.acousticScale.get(), log);
    }
  }
}
