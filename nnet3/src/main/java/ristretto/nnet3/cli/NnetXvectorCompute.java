package ristretto.nnet3.cli;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.CompilerOptions;
import ristretto.nnet3.cli.options.ComputeOptions;
import ristretto.nnet3.cli.options.EvaluationModel;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.SavedRequests;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.options.UtteranceInputs;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.decode.Ivectors;
import ristretto.nnet3.decode.SplitStrategy;
import ristretto.nnet3.decode.Utterance;
import ristretto.nnet3.decode.UtteranceComputer;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;

/** Computes one vector for each utterance. */
final class NnetXvectorCompute extends Tool {
  private static final Ivectors NONE = new Ivectors.None();

  NnetXvectorCompute() {
    super(
        "nnet3-xvector-compute",
        """
        Propagates features through a network with one output for all frames, such as the x-vector
        of a speaker, and writes one vector per utterance: the output for all its frames, or the mean
        of the outputs of its chunks, weighted by their lengths.

        Usage:  nnet3-xvector-compute [options] <raw-nnet-in> <features-rspecifier> <vector-wspecifier>
        e.g.:
         nnet3-xvector-compute final.raw scp:feats.scp ark:xvectors.ark
        See also: nnet3-compute
        """,
        3,
        3);
  }

  private final ComputeOptions compute =
      new ComputeOptions(options, "no", "", CompilerOptions.CAPACITY);
  private final Option<Integer> chunkSize =
      options.integer("chunk-size", -1, "Frames per chunk; -1 for all frames of the utterance");
  private final Option<Integer> least =
      options.integer("min-chunk-size", 100, "Smallest number of frames per chunk");
  private final Option<Boolean> pad =
      options.bool(
          "pad-input",
          true,
          "Pad chunks below --min-chunk-size with copies of the first and last frame, instead of"
              + " skipping them");

  private final Option<Boolean> onlyFinite = options.onlyFinite();
  private final Option<String> cacheIn =
      options.string(
          "cached-compiler-in",
          "",
          "File of --cached-compiler-out with computations to compile at the start");
  private final Option<String> cacheOut =
      options.string("cached-compiler-out", "", "File for a list of the compiled computations");

  /** Number of chunks of each utterance in progress, in order. */
  private final Deque<Integer> counts = new ArrayDeque<>();

  /** Results of the computed chunks of the first utterance in progress. */
  private final List<UtteranceComputer.Result> computed = new ArrayList<>();

  private int done;
  private int failed;
  private long frames;

  @Override
  public int run(List<String> arguments, CommandLog log) {
    compute.check();
    if (chunkSize.get() < 1 && chunkSize.get() != -1) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "[options] --chunk-size must be at least 1, or -1 for all frames; got %d; correct"
                  + " it.",
              chunkSize.get()));
    }
    long start = System.nanoTime();
    Nnet nnet = EvaluationModel.network(arguments.get(0), onlyFinite.get(), log);
    var splitter = new SplitStrategy.Whole(pad.get() ? least.get() : 0);
    try (Context context = compute.open();
        var features = TableReader.open(arguments.get(1), Holder.MATRIX);
        var writer = TableWriter.open(arguments.get(2), Holder.VECTOR)) {
      var compiled = new ArrayList<ComputationRequest>();
      Compiler compiler = compute.compiler(nnet, context, compiled::add, log);
      if (!cacheIn.get().isEmpty()) {
        log.info("Reading cache from %s", cacheIn.get());
        SavedRequests.read(cacheIn.get()).forEach(compiler::compile);
      }
      var computer = new UtteranceComputer(nnet, compiler, splitter, ComputeOptions::sequences);
      while (features.next()) {
        List<Matrix> chunks = chunks(features.key(), features.value(), log);
        if (chunks.isEmpty()) {
          failed++;
          continue;
        }
        counts.add(chunks.size());
        chunks.forEach(chunk -> computer.accept(new Utterance(features.key(), chunk, NONE)));
        write(computer, writer);
      }
      computer.finish();
      write(computer, writer);
      if (done > 0) {
        writer.commit();
        if (!cacheOut.get().isEmpty()) {
          log.info("Writing cache to %s", cacheOut.get());
          SavedRequests.save(cacheOut.get(), compiled);
        }
      }
    }
    UtteranceInputs.tell(done, failed, frames, start, log);
    return done > 0 ? 0 : 1;
  }

  /**
   * Returns the chunks of an utterance, without those that are too short; logs a message if none is
   * left.
   */
  private List<Matrix> chunks(String key, Matrix rows, CommandLog log) {
    if (rows.rows() == 0) {
      log.warning("Zero-length utterance: %s", key);
      return List.of();
    }
    if (!pad.get() && rows.rows() < least.get()) {
      log.warning(
          "Minimum chunk size of %d is greater than the number of rows in utterance: %s",
          least.get(), key);
      return List.of();
    }
    int each = chunkSize.get() == -1 ? rows.rows() : chunkSize.get();
    if (rows.rows() < each) {
      log.info(
          "Chunk size of %d is greater than the number of rows in utterance: %s, using chunk size"
              + " of %d",
          each, key, rows.rows());
      each = rows.rows();
    }
    var chunks = new ArrayList<Matrix>();
    for (int at = 0; at < rows.rows(); at += each) {
      int end = Math.min(at + each, rows.rows());
      if (pad.get() || end - at >= least.get()) {
        chunks.add(rows.select(IntStream.range(at, end).toArray()));
      }
    }
    if (chunks.isEmpty()) {
      log.warning("No chunk has %d frames in utterance: %s", least.get(), key);
    }
    return chunks;
  }

  /** Writes the vectors of utterances whose chunks are all computed. */
  private void write(UtteranceComputer computer, TableWriter<float[]> writer) {
    for (var next = computer.poll(); next != null; next = computer.poll()) {
      computed.add(next);
      if (computed.size() == counts.element()) {
        writer.write(next.utterance().key(), mean());
        done++;
        computed.clear();
        counts.remove();
      }
    }
  }

  private float[] mean() {
    var sum = new double[computed.get(0).output().cols()];
    int weights = 0;
    for (UtteranceComputer.Result chunk : computed) {
      int weight = chunk.utterance().features().rows();
      for (int i = 0; i < sum.length; i++) {
        sum[i] += weight * (double) chunk.output().data()[i];
      }
      weights += weight;
    }
    frames += weights;
    var mean = new float[sum.length];
    for (int i = 0; i < mean.length; i++) {
      mean[i] = (float) (sum[i] / weights);
    }
    return mean;
  }
}
