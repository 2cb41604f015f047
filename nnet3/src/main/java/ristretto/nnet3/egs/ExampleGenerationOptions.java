package ristretto.nnet3.egs;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.ShapeException;

/**
 * Options for cutting utterances into chunks, with Kaldi's meanings.
 *
 * @param sizes chunk sizes in input frames: first the default size, then other sizes, of which an
 *     utterance has at most two chunks; empty for whole utterances as chunks
 * @param overlap approximate number of frames that chunks of the default size share with their
 *     neighbours
 * @param subsampling input frames per target frame; sizes are rounded up to multiples of this
 *     number
 * @param left number of context frames before a chunk
 * @param right number of context frames after a chunk
 * @param leftInitial replaces {@code left} at the start of an utterance, unless negative
 * @param rightFinal replaces {@code right} at the end of an utterance, unless negative
 */
public record ExampleGenerationOptions(
    List<Integer> sizes,
    int overlap,
    int subsampling,
    int left,
    int right,
    int leftInitial,
    int rightFinal)
    implements Serializable {
  /** Checks the options and rounds the sizes. */
  public ExampleGenerationOptions {
    if (subsampling < 1) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[egs] the number of input frames per target frame must be at least 1; got %d; omit"
                  + " it for 1.",
              subsampling));
    }
    if (sizes.stream().anyMatch(size -> size < 1)) {
      throw new ShapeException(
          "[egs] chunk sizes must be at least 1; got %s; give sizes such as 8 or 40,25,50."
              .formatted(sizes));
    }
    sizes =
        sizes.stream().map(size -> (size + subsampling - 1) / subsampling * subsampling).toList();
    if (!sizes.isEmpty() && (overlap < 0 || overlap >= sizes.get(0))) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[egs] chunks must overlap by less than their usual size, %d; got %d; give less.",
              sizes.get(0),
              overlap));
    }
  }

  /** Options for chunks of one size, without overlap or subsampling. */
  public static ExampleGenerationOptions of(int size, int left, int right) {
    return new ExampleGenerationOptions(List.of(size), 0, 1, left, right, -1, -1);
  }

  /** Number of target frames for {@code frames} input frames. */
  int targets(int frames) {
    return (frames + subsampling - 1) / subsampling;
  }
}
