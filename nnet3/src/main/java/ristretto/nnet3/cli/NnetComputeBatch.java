package ristretto.nnet3.cli;

import java.util.List;
import java.util.Locale;
import java.util.function.ToIntFunction;
import ristretto.expr.Context;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.ComputeOptions;
import ristretto.nnet3.cli.options.EvaluationModel;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.options.UtteranceTables;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.decode.SplitOptions;
import ristretto.nnet3.decode.SplitStrategy;
import ristretto.nnet3.decode.UtteranceChunk;
import ristretto.nnet3.decode.UtteranceComputer;
import ristretto.nnet3.network.Nnet;

/** Computes the outputs of utterances in minibatches of chunks of one length. */
final class NnetComputeBatch extends Tool {
  NnetComputeBatch() {
    super(
        "nnet3-compute-batch",
        """
        Propagates chunks of several utterances at a time through a 'raw' neural network, and writes
        its output, one matrix per utterance; with --apply-exp=true, the exponential of the output.

        Usage:  nnet3-compute-batch [options] <nnet-in> <features-rspecifier> <matrix-wspecifier>
        e.g.:
         nnet3-compute-batch final.raw scp:feats.scp ark:nnet_prediction.ark
        See also: nnet3-compute
        """,
        3,
        3);
  }

  private final ComputeOptions compute = new ComputeOptions(options, "yes");
  private final UtteranceTables tables = new UtteranceTables(options);
  private final Option<Integer> minibatch =
      options.integer("minibatch-size", 128, "Number of chunks per minibatch");
  private final Option<Integer> edgeMinibatch =
      options.integer(
          "edge-minibatch-size",
          32,
          "Number of chunks per minibatch of chunks at the edges of utterances, if these differ");
  private final Option<Boolean> exact =
      options.bool(
          "ensure-exact-final-context",
          false,
          "Compute utterances shorter than --frames-per-chunk alone, instead of padding them with"
              + " copies of their last frame");
  private final Option<Float> partial =
      options.real(
          "partial-minibatch-factor",
          0.5f,
          "Accepted without effect; a partial minibatch is computed with its chunks");

  @Override
  public int run(List<String> arguments, CommandLog log) {
    compute.check();
    check();
    EvaluationModel model = tables.model(arguments.get(0), log);
    Nnet nnet = model.nnet();
    SplitOptions chunks = compute.chunks(nnet.modulus(), log);
    var splitter = new SplitStrategy.Even(chunks, model.context(), exact.get());
    int usual = chunks.framesPerChunk() / chunks.subsampling();
    ToIntFunction<UtteranceChunk.Form> size =
        form -> form.outputs() < usual ? 1 : form.edge() ? edgeMinibatch.get() : minibatch.get();
    try (Context context = compute.open()) {
      var computer =
          new UtteranceComputer(nnet, compute.compiler(nnet, context, log), splitter, size);
      int status = tables.run(arguments, model, computer, compute.acousticScale.get(), log);
      computer.minibatches().lines().forEach(line -> log.info("%s", line));
      return status;
    }
  }

  private void check() {
    if (minibatch.get() < 1
        || edgeMinibatch.get() < 1
        || !(partial.get() >= 0 && partial.get() < 1)) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              """
              [options] --minibatch-size and --edge-minibatch-size must be at least 1, and \
              --partial-minibatch-factor at least 0 and below 1; got %d, %d and %s; correct them.\
              """,
              minibatch.get(),
              edgeMinibatch.get(),
              partial.get()));
    }
  }
}
