package ristretto.nnet3.egs;

import java.util.List;
import java.util.Locale;
import ristretto.kernels.ShapeException;

/**
 * How utterances are cut into chunks, with Kaldi's meanings.
 *
 * @param sizes frames of a chunk: the first is the usual size, the others help out, at most two in
 *     an utterance; none for chunks of whole utterances
 * @param overlap frames that chunks of the usual size are to share with their neighbours, roughly
 * @param subsampling input frames a frame of targets; sizes are rounded up to multiples of it
 * @param left frames of input before a chunk
 * @param right frames of input after a chunk
 * @param leftInitial in place of {@code left} at the begin of an utterance; negative for the same
 * @param rightFinal in place of {@code right} at the end of an utterance; negative for the same
 */
public record ChunkOptions(
    List<Integer> sizes,
    int overlap,
    int subsampling,
    int left,
    int right,
    int leftInitial,
    int rightFinal) {
  /** Checks sizes, and rounds them. */
  public ChunkOptions {
    if (subsampling < 1) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[egs] input frames a frame of targets must be 1 or more; got %d; leave it out for"
                  + " 1.",
              subsampling));
    }
    if (sizes.stream().anyMatch(size -> size < 1)) {
      throw new ShapeException(
          "[egs] sizes of chunks must be 1 or more; got %s; give such as 8 or 40,25,50."
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

  /** Chunks of one size with some context. */
  public static ChunkOptions of(int size, int left, int right) {
    return new ChunkOptions(List.of(size), 0, 1, left, right, -1, -1);
  }

  /** Frames of targets of so many input frames. */
  int targets(int frames) {
    return (frames + subsampling - 1) / subsampling;
  }
}
