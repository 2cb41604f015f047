package ristretto.nnet3.cli.chain;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.ChainSupervision;
import ristretto.nnet3.chain.EndToEndSupervision;
import ristretto.nnet3.chain.NormalizeSupervision;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.ExampleGenerationFlags;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.IvectorTable;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.egs.ChunkInputs;
import ristretto.nnet3.egs.ExampleChunk;
import ristretto.nnet3.egs.ExampleGenerationOptions;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.hmm.TransitionModel;
import ristretto.nnet3.hmm.Transitions;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.matrix.GeneralMatrix;

/** Makes examples of whole utterances from features and training graphs. */
public final class ChainE2eGetEgs extends Tool {
  /** Differences in frames from an allowed length that are made up for. */
  private static final int LARGEST_CHANGE = 4;

  private final ExampleGenerationFlags chunking = new ExampleGenerationFlags(options);
  private final Option<Boolean> compress =
      options.bool("compress", true, "Compress features to one or two bytes per element");
  private final IvectorTable ivectors = new IvectorTable(options);
  private final Option<Integer> seed =
      options.integer("srand", 0, "Seed for the random choice of i-vectors");

  public ChainE2eGetEgs() {
    super(
        "nnet3-chain-e2e-get-egs",
        """
        Makes training examples of end-to-end chain models: whole utterances, whose lengths must be
        among --num-frames. Without a normalization FST they are not ready for training, but must
        pass through nnet3-chain-normalize-egs.

        Usage:  nnet3-chain-e2e-get-egs [options] [<normalization-fst>] <features-rspecifier> <fst-rspecifier> <trans-model> <egs-wspecifier>
        e.g.:
        nnet3-chain-e2e-get-egs --num-frames=150,165,180 --frame-subsampling-factor=3 \\
           dir/normalization.fst scp:feats.scp ark:fst.ark 0.trans_mdl ark:cegs.1.ark
        """,
        4,
        5);
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    int first = arguments.size() - 4;
    NormalizeSupervision normalization =
        first == 1 ? ChainNormalizeEgs.load(arguments.getFirst(), 1) : null;
    ExampleGenerationOptions lengths = chunking.get(log);
    if (lengths.sizes().isEmpty()) {
      throw new UsageException(
          "[options] --num-frames must be the lengths of the utterances; got -1; write, for"
              + " example, 150,165,180.");
    }
    var transitions = new Transitions(TransitionModel.load(arguments.get(first + 2)));
    var inputs = new ChunkInputs(seed.get(), compress.get());
    int done = 0;
    int errors = 0;
    try (var features = RandomAccessTable.open(arguments.get(first), Holder.MATRIX);
        var vectors = ivectors.open();
        var graphs = TableReader.open(arguments.get(first + 1), Fst.HOLDER);
        var out = ExampleKind.CHAIN.writer(arguments.get(first + 3))) {
      while (graphs.next()) {
        String key = graphs.key();
        if (!features.has(key)) {
          log.warning("No features for utterance %s", key);
          errors++;
          continue;
        }
        GeneralMatrix rows = features.get(key);
        ChunkInputs.Ivectors vector = null;
        if (vectors != null) {
          vector = ivectors.of(vectors, key, rows.rows(), log);
          if (vector == null) {
            errors++;
            continue;
          }
        }
        Optional<ExampleChunk> chunk = chunk(key, rows.rows(), lengths, log);
        Optional<ChainSupervision> supervision =
            chunk.flatMap(
                whole -> supervision(key, graphs.value(), transitions, whole, normalization, log));
        if (supervision.isEmpty()) {
          errors++;
          continue;
        }
        float[] weights = chunk.get().weights();
        var output =
            new ChainExample.Output(
                "output",
                ChunkInputs.times(0, weights.length, lengths.subsampling()),
                supervision.get(),
                weights);
        var example = new ChainExample(inputs.of(key, rows, chunk.get(), vector), List.of(output));
        out.write(key, compress.get() ? example.compressed() : example);
        done++;
      }
      if (done > 0) {
        out.commit();
      }
    }
    if (errors > 0) {
      log.warning("%d utterances had errors and could not be processed.", errors);
    }
    log.info("Wrote %d examples.", done);
    return done > 0 ? 0 : 1;
  }

  /** The whole utterance; its end is repeated or dropped to get the nearest allowed length. */
  private static Optional<ExampleChunk> chunk(
      String key, int frames, ExampleGenerationOptions lengths, CommandLog log) {
    int nearest = lengths.sizes().getFirst();
    for (int size : lengths.sizes()) {
      if (Math.abs(frames - size) < Math.abs(frames - nearest)) {
        nearest = size;
      }
    }
    if (nearest != frames) {
      log.warning(
          "No exact match found for the length of utt %s which has length: %d closest allowed"
              + " length is off by %d frames. Will try to fix it..",
          key, frames, frames - nearest);
      if (Math.abs(frames - nearest) > LARGEST_CHANGE) {
        log.warning("Too much length difference for utterance %s", key);
        return Optional.empty();
      }
    }
    var weights = new float[Math.ceilDiv(nearest, lengths.subsampling())];
    Arrays.fill(weights, 1);
    int left = lengths.leftInitial() >= 0 ? lengths.leftInitial() : lengths.left();
    int right = lengths.rightFinal() >= 0 ? lengths.rightFinal() : lengths.right();
    return Optional.of(new ExampleChunk(0, nearest, left, right, weights));
  }

  private static Optional<ChainSupervision> supervision(
      String key,
      Fst graph,
      Transitions transitions,
      ExampleChunk chunk,
      NormalizeSupervision normalization,
      CommandLog log) {
    int frames = chunk.weights().length;
    Optional<ChainSupervision> made = EndToEndSupervision.of(graph, transitions, frames);
    if (made.isEmpty()) {
      log.warning("Utterance %s rejected due to eps on input label", key);
      return made;
    }
    int fewest = EndToEndSupervision.fewestFrames(made.get());
    if (fewest < 0 || fewest > frames) {
      log.warning(
          "For utterance %s, there are too many phones for too few frames; Number of subsampled"
              + " frames: %d, Minimum number of frames required by the fst: %d",
          key, frames, fewest);
      return Optional.empty();
    }
    if (normalization == null) {
      return made;
    }
    Optional<ChainSupervision> weighted = normalization.apply(made.get());
    if (weighted.isEmpty()) {
      log.warning(
          "For utterance %s, FST was empty after composing with normalization FST. The example is"
              + " left out.",
          key);
    }
    return weighted;
  }
}
