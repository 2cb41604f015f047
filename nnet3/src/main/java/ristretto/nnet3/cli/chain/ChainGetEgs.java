package ristretto.nnet3.cli.chain;

import java.util.List;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.ChainSupervision;
import ristretto.nnet3.chain.MakeChainExamples;
import ristretto.nnet3.chain.NormalizeSupervision;
import ristretto.nnet3.chain.UnconstrainedSupervision;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.ExampleGenerationFlags;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.IvectorTable;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.egs.ChunkInputs;
import ristretto.nnet3.egs.Chunker;
import ristretto.nnet3.egs.ExampleChunk;
import ristretto.nnet3.hmm.TransitionModel;
import ristretto.nnet3.hmm.Transitions;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.GeneralMatrix;

/** Makes training examples of chain models from features and supervisions. */
public final class ChainGetEgs extends Tool {
  private final ExampleGenerationFlags chunking = new ExampleGenerationFlags(options);
  private final Option<Boolean> compress =
      options.bool(
          "compress",
          true,
          "Compress features to one or two bytes per element; compressed features stay as they"
              + " are");
  private final IvectorTable ivectors = new IvectorTable(options);
  private final Option<Integer> tolerance =
      options.integer(
          "supervision-length-tolerance",
          1,
          "Largest difference in output frames between supervision and features, and between"
              + " supervision and weights");
  private final Option<String> weights =
      options.string(
          "deriv-weights-rspecifier",
          "",
          "Rspecifier of the weights of the derivative, one per output frame");
  private final Option<Float> scale =
      options.real("normalization-fst-scale", 1f, "Factor of the costs of the normalization FST");
  private final Option<String> model =
      options.string(
          "transition-model",
          "",
          "Transition model for unconstrained examples, from supervisions made with"
              + " --convert-to-pdfs=false");
  private final Option<Boolean> longKey =
      options.bool("long-key", false, "Write keys with the contexts and the number of frames");
  private final Option<Integer> seed =
      options.integer("srand", 0, "Seed for the random choice of chunks and i-vectors");

  public ChainGetEgs() {
    super(
        "nnet3-chain-get-egs",
        """
        Makes training examples of chain models: chunks of features with context, and of
        supervisions. Without a normalization FST they are not ready for training, but must pass
        through nnet3-chain-normalize-egs.

        Usage:  nnet3-chain-get-egs [options] [<normalization-fst>] <features-rspecifier> <chain-supervision-rspecifier> <egs-wspecifier>
        e.g.:
        nnet3-chain-get-egs --left-context=25 --right-context=9 --num-frames=150,100,90 \\
           --frame-subsampling-factor=3 dir/normalization.fst ark:feats.ark ark:sup.ark \\
           ark:cegs.1.ark
        """,
        3,
        4);
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    int first = arguments.size() - 3;
    if (first == 1 && scale.get() == 0) {
      throw new UsageException(
          "[options] --normalization-fst-scale must be above 0; got 0; leave the normalization FST"
              + " out for examples without its costs.");
    }
    NormalizeSupervision normalization =
        first == 1 ? ChainNormalizeEgs.load(arguments.getFirst(), scale.get()) : null;
    UnconstrainedSupervision unconstrained =
        model.get().isEmpty()
            ? null
            : new UnconstrainedSupervision(
                new Transitions(TransitionModel.load(model.get())), seed.get());
    var chunker = new Chunker(chunking.get(log), seed.get());
    int errors = 0;
    try (var features = TableReader.open(arguments.get(first), Holder.GENERAL_MATRIX);
        var vectors = ivectors.open();
        var given =
            weights.get().isEmpty() ? null : RandomAccessTable.open(weights.get(), Holder.VECTOR);
        var supervisions =
            RandomAccessTable.open(arguments.get(first + 1), ChainSupervision.HOLDER);
        var out = ExampleKind.CHAIN.writer(arguments.get(first + 2))) {
      var maker =
          new MakeChainExamples(
              chunker,
              new ChunkInputs(seed.get(), compress.get()),
              normalization,
              unconstrained,
              tolerance.get(),
              compress.get(),
              line -> log.warning("%s", line));
      while (features.next()) {
        errors += make(maker, features, supervisions, vectors, given, out, log) ? 0 : 1;
      }
      if (chunker.chunkCount() > 0) {
        out.commit();
      }
    }
    if (errors > 0) {
      log.warning("%d utterances had errors and could not be processed.", errors);
    }
    if (chunker.chunkCount() == 0) {
      log.warning("No examples were made, and nothing was written.");
      return 1;
    }
    chunker.report().forEach(line -> log.info("%s", line));
    return 0;
  }

  private boolean make(
      MakeChainExamples maker,
      TableReader<GeneralMatrix> features,
      RandomAccessTable<ChainSupervision> supervisions,
      RandomAccessTable<GeneralMatrix> vectors,
      RandomAccessTable<float[]> given,
      TableWriter<ChainExample> out,
      CommandLog log) {
    String key = features.key();
    if (!supervisions.has(key)) {
      log.warning("No supervision for key %s", key);
      return false;
    }
    ChainSupervision supervision = supervisions.get(key);
    GeneralMatrix rows = features.value();
    ChunkInputs.Ivectors vector = null;
    if (vectors != null) {
      vector = ivectors.of(vectors, key, rows.rows(), log);
      if (vector == null) {
        return false;
      }
    }
    float[] of = null;
    if (given != null) {
      if (!given.has(key)) {
        log.warning("No deriv weights for utterance %s", key);
        return false;
      }
      of = given.get(key);
      if (Math.abs(of.length - supervision.frames()) > tolerance.get()) {
        log.warning(
            "For utterance %s, mismatch between deriv-weights dim and num-output-frames; %d vs %d",
            key, of.length, supervision.frames());
        return false;
      }
    }
    return maker.make(
        key,
        rows,
        supervision,
        vector,
        of,
        (chunk, example) -> out.write(name(key, chunk), example));
  }

  private String name(String key, ExampleChunk chunk) {
    return longKey.get()
        ? "%s-%s-%s-%s-%s-v1"
            .formatted(key, chunk.first(), chunk.left(), chunk.size(), chunk.right())
        : key + "-" + chunk.first();
  }
}
