package ristretto.nnet3.egs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Index;
import ristretto.nnet3.matrix.CompressedMatrix;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;

/**
 * Inputs of chunks: features with their context as {@code input}, and one i-vector, of a random
 * frame from the chunk's first input frame on, as {@code ivector}.
 */
public final class ChunkInputs {
  private final Random random;
  private final boolean compress;

  /**
   * Creates the maker of inputs.
   *
   * @param compress true if the inputs will be compressed, so that features must be finite
   */
  public ChunkInputs(long seed, boolean compress) {
    this.random = new Random(seed);
    this.compress = compress;
  }

  /**
   * I-vectors of an utterance.
   *
   * @param rows one i-vector per {@code period} frames
   */
  public record Ivectors(Matrix rows, int period) {}

  /**
   * Returns the inputs of a chunk.
   *
   * @param ivectors i-vectors of the utterance, or null
   */
  public List<NnetIo> of(
      String key, GeneralMatrix features, ExampleChunk chunk, Ivectors ivectors) {
    if (compress && features instanceof Matrix full) {
      requireFinite(key, full);
    }
    int from = chunk.first() - chunk.left();
    int end = chunk.first() + chunk.size() + chunk.right();
    List<NnetIo> io = new ArrayList<>();
    io.add(new NnetIo("input", times(-chunk.left(), end - from, 1), rows(features, from, end)));
    if (ivectors != null) {
      io.add(new NnetIo("ivector", times(0, 1, 1), ivector(ivectors, from, features.rows())));
    }
    return io;
  }

  private static void requireFinite(String key, Matrix features) {
    float[] data = features.data();
    for (int k = 0; k < data.length; k++) {
      if (!Float.isFinite(data[k])) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[egs] features must be finite; got %s in frame %d of '%s'; leave the utterance"
                    + " out.",
                data[k],
                k / features.cols(),
                Excerpt.of(key)));
      }
    }
  }

  /** Indexes of frames at equal distances. */
  public static List<Index> times(int first, int count, int step) {
    return IntStream.range(0, count).mapToObj(k -> new Index(0, first + k * step)).toList();
  }

  /**
   * Selects frames {@code from} to {@code end - 1}; frames outside of the utterance repeat its
   * first or last frame.
   */
  private static GeneralMatrix rows(GeneralMatrix features, int from, int end) {
    int[] wanted =
        IntStream.range(from, end).map(t -> Math.clamp(t, 0, features.rows() - 1)).toArray();
    return features instanceof CompressedMatrix compressed
        ? compressed.rows(wanted)
        : features.select(wanted);
  }

  private Matrix ivector(Ivectors ivectors, int from, int length) {
    int frame = from + random.nextInt(length);
    return ivectors.rows.select(
        new int[] {Math.clamp(frame / ivectors.period, 0, ivectors.rows.rows() - 1)});
  }
}
