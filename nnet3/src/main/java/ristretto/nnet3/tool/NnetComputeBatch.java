package ristretto.nnet3.tool;

import java.util.List;
import java.util.Locale;
import java.util.function.ToIntFunction;
import ristretto.expr.Context;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.decode.Chunk;
import ristretto.nnet3.decode.ChunkOptions;
import ristretto.nnet3.decode.Splitter;
import ristretto.nnet3.decode.UtteranceComputer;

/** Computes the outputs of utterances in minibatches of chunks of one length. */
final class NnetComputeBatch implements Tool {
  private final Options options =
      new Options(
          "nnet3-compute-batch",
          """
          Propagates features through a 'raw' neural network, and writes its output, a matrix for
          each utterance; with --apply-exp=true, its exponential. Chunks of several utterances are
          computed together.

          Usage:  nnet3-compute-batch [options] <nnet-in> <features-rspecifier> <matrix-wspecifier>
          e.g.:
           nnet3-compute-batch final.raw scp:feats.scp ark:nnet_prediction.ark
          See also: nnet3-compute
          """);
  private final ComputeOptions compute = new ComputeOptions(options, "yes");
  private final UtteranceTables tables = new UtteranceTables(options);
  private final Option<Integer> minibatch =
      options.integer("minibatch-size", 128, "Chunks that are computed together");
  private final Option<Integer> edgeMinibatch =
      options.integer(
          "edge-minibatch-size",
          32,
          "The same for chunks at the beginning or end of utterances, where they are different");
  private final Option<Boolean> exact =
      options.bool(
          "ensure-exact-final-context",
          false,
          "Compute utterances shorter than --frames-per-chunk alone, instead of adding copies of"
              + " their last frame");
  private final Option<Float> partial =
      options.real(
          "partial-minibatch-factor",
          0.5f,
          "Accepted; a minibatch that is not full is computed with the chunks it has");

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
    check();
    TestModel model = tables.model(arguments.get(0), log);
    Nnet nnet = model.nnet();
    ChunkOptions chunks = compute.chunks(nnet.modulus(), log);
    var splitter = new Splitter.Even(chunks, model.context(), exact.get());
    int usual = chunks.framesPerChunk() / chunks.subsampling();
    ToIntFunction<Chunk.Form> size =
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
