package ristretto.nnet3.cli.chain;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.ChainSupervision;
import ristretto.nnet3.chain.NormalizeSupervision;
import ristretto.nnet3.chain.SplitSupervision;
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

  /** Parts that do not change between utterances. */
  private record Making(
      Chunker chunker,
      ChunkInputs inputs,
      NormalizeSupervision normalization,
      UnconstrainedSupervision unconstrained,
      TableWriter<ChainExample> out,
      CommandLog log) {}

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
      var making =
          new Making(
              chunker,
              new ChunkInputs(seed.get(), compress.get()),
              normalization,
              unconstrained,
              out,
              log);
      while (features.next()) {
        errors += make(making, features, supervisions, vectors, given) ? 0 : 1;
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
      Making making,
      TableReader<GeneralMatrix> features,
      RandomAccessTable<ChainSupervision> supervisions,
      RandomAccessTable<GeneralMatrix> vectors,
      RandomAccessTable<float[]> given) {
    String key = features.key();
    CommandLog log = making.log;
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
    int factor = making.chunker.options().subsampling();
    int expected = Math.ceilDiv(rows.rows(), factor);
    if (Math.abs(supervision.frames() - expected) > tolerance.get()) {
      log.warning(
          "Supervision does not have expected length for utterance %s: expected length = %d, got"
              + " %d",
          key, expected, supervision.frames());
      return false;
    }
    int frames = (int) Math.min(rows.rows(), (long) supervision.frames() * factor);
    return write(making, key, rows, supervision, making.chunker.chunks(frames), vector, of);
  }

  private boolean write(
      Making making,
      String key,
      GeneralMatrix rows,
      ChainSupervision supervision,
      List<ExampleChunk> chunks,
      ChunkInputs.Ivectors vector,
      float[] weights) {
    if (chunks.isEmpty()) {
      making.log.warning(
          "Not producing egs for utterance %s because it is too short: %d frames.",
          key, rows.rows());
      return false;
    }
    int factor = making.chunker.options().subsampling();
    var splitter = new SplitSupervision(supervision);
    for (ExampleChunk chunk : chunks) {
      int first = chunk.first() / factor;
      int count = chunk.size() / factor;
      ChainSupervision part = splitter.range(first, count);
      if (making.unconstrained != null) {
        Optional<ChainSupervision> free = making.unconstrained.apply(part);
        if (free.isEmpty()) {
          making.log.warning(
              "The supervision of utterance %s from frame %d on is too large; it is left out.",
              key, chunk.first());
          continue;
        }
        part = free.get();
      }
      if (making.normalization != null) {
        Optional<ChainSupervision> weighted = making.normalization.apply(part);
        if (weighted.isEmpty()) {
          making.log.warning(
              "For utterance %s, feature frames %d to %d, FST was empty after composing with"
                  + " normalization FST. The example is left out.",
              key, chunk.first(), chunk.first() + chunk.size());
          continue;
        }
        part = weighted.get();
      }
      List<ChainExample.Output> outputs =
          List.of(
              new ChainExample.Output(
                  "output",
                  ChunkInputs.times(0, count, factor),
                  part,
                  weights(chunk, first, count, weights)));
      var example = new ChainExample(making.inputs.of(key, rows, chunk, vector), outputs);
      making.out.write(name(key, chunk), compress.get() ? example.compressed() : example);
    }
    return true;
  }

  private String name(String key, ExampleChunk chunk) {
    return longKey.get()
        ? "%s-%s-%s-%s-%s-v1"
            .formatted(key, chunk.first(), chunk.left(), chunk.size(), chunk.right())
        : key + "-" + chunk.first();
  }

  private static float[] weights(ExampleChunk chunk, int first, int count, float[] given) {
    // The last frame of an utterance may have fewer input frames than the others.
    float[] of = Arrays.copyOf(chunk.weights(), count);
    for (int k = 0; given != null && k < count; k++) {
      of[k] *= first + k < given.length ? given[first + k] : 0;
    }
    return of;
  }
}
