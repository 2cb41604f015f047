package ristretto.nnet3.tool;

import java.util.List;
import ristretto.expr.Context;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.decode.ChunkLengths;
import ristretto.nnet3.decode.ChunkOptions;
import ristretto.nnet3.decode.Splitter;
import ristretto.nnet3.decode.UtteranceComputer;

/** Computes the outputs of utterances. */
final class NnetCompute implements Tool {
  private final Options options =
      new Options(
          "nnet3-compute",
          """
          Propagates features through a 'raw' neural network, and writes its output, a matrix for
          each utterance; with --apply-exp=true, its exponential.

          Usage:  nnet3-compute [options] <nnet-in> <features-rspecifier> <matrix-wspecifier>
          e.g.:
           nnet3-compute final.raw scp:feats.scp ark:nnet_prediction.ark
          See also: nnet3-compute-batch, nnet3-xvector-compute, nnet3-copy
          """);
  private final ComputeOptions compute = new ComputeOptions(options, "yes");
  private final UtteranceTables tables = new UtteranceTables(options);

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(3, 3);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    compute.check();
    try (Context context = compute.open()) {
      TestModel model = tables.model(arguments.get(0), log);
      Nnet nnet = model.nnet();
      ChunkOptions chunks = compute.chunks(nnet.modulus(), log);
      var lengths = ChunkLengths.of(nnet, model.context(), chunks);
      var splitter = new Splitter.Simple(chunks, model.context(), lengths);
      var computer =
          new UtteranceComputer(
              nnet, compute.compiler(nnet, context, log), splitter, ComputeOptions::sequences);
      return tables.run(arguments, model, computer, compute.acousticScale.get(), log);
    }
  }
}
