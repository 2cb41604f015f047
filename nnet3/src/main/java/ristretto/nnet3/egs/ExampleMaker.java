package ristretto.nnet3.egs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.io.Posterior;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;

/**
 * Makes examples from utterances, one per chunk, with keys such as {@code utterance-40}: features
 * with their context as {@code input}, targets as {@code output}, and one i-vector, of a random
 * frame from the chunk's first input frame on, as {@code ivector}.
 */
public final class ExampleMaker {
  private final Chunker chunker;
  private final ChunkInputs inputs;
  private final boolean compress;
  private final BiConsumer<String, NnetExample> examples;

  /**
   * Creates a maker that passes keys and examples to {@code examples}.
   *
   * @param compress true to compress features to one or two bytes per element; features that are
   *     compressed already are kept unchanged
   * @param examples receives keys and examples
   */
  public ExampleMaker(
      Chunker chunker, long seed, boolean compress, BiConsumer<String, NnetExample> examples) {
    this.chunker = chunker;
    this.inputs = new ChunkInputs(seed, compress);
    this.compress = compress;
    this.examples = examples;
  }

  /** Targets of an utterance, from which those of a chunk are selected. */
  private interface Targets {
    GeneralMatrix rows(int first, float[] weights);
  }

  /**
   * Makes examples from an utterance whose targets are weights of classes.
   *
   * @param classes number of classes
   * @param ivectors i-vectors of the utterance, or null
   * @return the number of examples made
   */
  public int accept(
      String key,
      GeneralMatrix features,
      Posterior targets,
      int classes,
      ChunkInputs.Ivectors ivectors) {
    return accept(
        key, features, ivectors, (first, weights) -> sparse(targets, classes, first, weights));
  }

  /**
   * Makes examples from an utterance whose targets are rows of numbers; frames beyond the last row
   * get the last row. Returns the number of examples made.
   */
  public int accept(
      String key, GeneralMatrix features, Matrix targets, ChunkInputs.Ivectors ivectors) {
    return accept(
        key,
        features,
        ivectors,
        (first, weights) ->
            targets.select(
                IntStream.range(first, first + weights.length)
                    .map(t -> Math.min(t, targets.rows() - 1))
                    .toArray()));
  }

  private int accept(
      String key, GeneralMatrix features, ChunkInputs.Ivectors ivectors, Targets targets) {
    List<ExampleChunk> chunks = chunker.chunks(features.rows());
    int subsampling = chunker.options().subsampling();
    for (ExampleChunk chunk : chunks) {
      List<NnetIo> io = new ArrayList<>(inputs.of(key, features, chunk, ivectors));
      io.add(
          new NnetIo(
              "output",
              ChunkInputs.times(0, chunk.weights().length, subsampling),
              targets.rows(chunk.first() / subsampling, chunk.weights())));
      var example = new NnetExample(io);
      examples.accept(key + "-" + chunk.first(), compress ? example.compressed() : example);
    }
    return chunks.size();
  }

  private static SparseMatrix sparse(Posterior all, int classes, int first, float[] weights) {
    List<SparseVector> rows = new ArrayList<>();
    for (int k = 0; k < weights.length; k++) {
      Map<Integer, Float> row = new TreeMap<>();
      // the last frame may have no targets
      if (first + k < all.frames()) {
        int[] ids = all.classes()[first + k];
        for (int i = 0; i < ids.length; i++) {
          row.merge(ids[i], all.weights()[first + k][i] * weights[k], Float::sum);
        }
      }
      for (int id : row.keySet()) {
        if (id < 0 || id >= classes) {
          throw new ShapeException(
              String.format(
                  Locale.ROOT,
                  "[egs] classes must be at least 0 and below the number of classes, %d; got %d;"
                      + " correct that number.",
                  classes,
                  id));
        }
      }
      var values = new float[row.size()];
      int at = 0;
      for (float value : row.values()) {
        values[at++] = value;
      }
      rows.add(
          new SparseVector(
              classes, row.keySet().stream().mapToInt(Integer::intValue).toArray(), values));
    }
    return new SparseMatrix(rows);
  }
}
