package ristretto.nnet3.decode;

import java.util.Locale;
import java.util.stream.IntStream;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.Descriptor;

/**
 * How utterances are cut.
 *
 * @param extraLeft frames of input before what the network needs
 * @param extraRight frames of input after what the network needs
 * @param extraLeftInitial the same at the beginning of an utterance; below 0 for no other number
 * @param extraRightFinal the same at its end
 * @param subsampling frames of input for one of output
 * @param framesPerChunk frames of input for the outputs of a chunk
 */
public record ChunkOptions(
    int extraLeft,
    int extraRight,
    int extraLeftInitial,
    int extraRightFinal,
    int subsampling,
    int framesPerChunk) {
  /** Frames that any of these may be at most. */
  private static final int MOST = 1_000_000;

  /** Checked. */
  public ChunkOptions {
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

  /** The same with chunks of a multiple of the subsampling factor and of the network's modulus. */
  public ChunkOptions rounded(int modulus) {
    int n = Math.toIntExact(Descriptor.lcm(subsampling, modulus));
    int frames = Math.toIntExact((framesPerChunk + n - 1L) / n * n);
    return new ChunkOptions(
        extraLeft, extraRight, extraLeftInitial, extraRightFinal, subsampling, frames);
  }

  int left(boolean initial) {
    return initial && extraLeftInitial >= 0 ? extraLeftInitial : extraLeft;
  }

  int right(boolean last) {
    return last && extraRightFinal >= 0 ? extraRightFinal : extraRight;
  }

  /** Frames of output for so many of input. */
  int outputs(int frames) {
    return (frames + subsampling - 1) / subsampling;
  }
}
