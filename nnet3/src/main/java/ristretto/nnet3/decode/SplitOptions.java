package ristretto.nnet3.decode;

import java.io.Serializable;
import java.util.Locale;
import java.util.stream.IntStream;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.config.Descriptor;

/**
 * Options for splitting utterances into chunks. All lengths are in input frames.
 *
 * @param extraLeft left context in addition to that of the network
 * @param extraRight right context in addition to that of the network
 * @param extraLeftInitial extra left context at the beginning of an utterance; negative for {@code
 *     extraLeft}
 * @param extraRightFinal extra right context at the end of an utterance; negative for {@code
 *     extraRight}
 * @param subsampling input frames per output frame
 * @param framesPerChunk input frames that correspond to the outputs of a chunk
 */
public record SplitOptions(
    int extraLeft,
    int extraRight,
    int extraLeftInitial,
    int extraRightFinal,
    int subsampling,
    int framesPerChunk)
    implements Serializable {
  /** Maximum of each option. */
  private static final int MOST = 1_000_000;

  /**
   * Checks the options.
   *
   * @throws ComputationException if an option is out of range
   */
  public SplitOptions {
    if (subsampling < 1
        || framesPerChunk < 1
        || extraLeft < 0
        || extraRight < 0
        || IntStream.of(
                subsampling,
                framesPerChunk,
                extraLeft,
                extraRight,
                extraLeftInitial,
                extraRightFinal)
            .anyMatch(frames -> frames > MOST)) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              """
              [compute] --frame-subsampling-factor and --frames-per-chunk must be at least 1, \
              --extra-left-context and --extra-right-context at least 0, and all of them at most %d; \
              got %d, %d, %d and %d; correct them.\
              """,
              MOST,
              subsampling,
              framesPerChunk,
              extraLeft,
              extraRight));
    }
  }

  /**
   * Returns options whose chunk length is rounded up to a multiple of the subsampling factor and of
   * the network's modulus.
   */
  public SplitOptions rounded(int modulus) {
    int n = Math.toIntExact(Descriptor.lcm(subsampling, modulus));
    int frames = Math.toIntExact((framesPerChunk + n - 1L) / n * n);
    return new SplitOptions(
        extraLeft, extraRight, extraLeftInitial, extraRightFinal, subsampling, frames);
  }

  int left(boolean initial) {
    return initial && extraLeftInitial >= 0 ? extraLeftInitial : extraLeft;
  }

  int right(boolean last) {
    return last && extraRightFinal >= 0 ? extraRightFinal : extraRight;
  }

  /** Returns the number of output frames for a number of input frames. */
  int outputs(int frames) {
    return (frames + subsampling - 1) / subsampling;
  }
}
