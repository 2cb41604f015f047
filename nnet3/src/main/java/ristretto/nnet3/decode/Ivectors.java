package ristretto.nnet3.decode;

import java.util.Locale;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.io.Matrix;

/** What an utterance supplies to the input node {@code ivector}. */
public sealed interface Ivectors {
  /** Nothing. */
  record None() implements Ivectors {}

  /** One vector for all of it. */
  record Fixed(float[] vector) implements Ivectors {}

  /** A vector every {@code period} frames. */
  record Online(Matrix vectors, int period) implements Ivectors {
    /** Some vectors. */
    public Online {
      if (period < 1) {
        throw new ComputationException(
            String.format(
                Locale.ROOT,
                "[compute] online ivectors must have a period of at least 1; got %d; set"
                    + " --online-ivector-period.",
                period));
      }
    }
  }

  /** The elements of a vector; 0 where there is none. */
  default int dim() {
    return switch (this) {
      case None() -> 0;
      case Fixed(float[] vector) -> vector.length;
      case Online(Matrix vectors, int _) -> vectors.cols();
    };
  }

  /**
   * The vector at a frame, or null where there is none.
   *
   * @param margin frames for which the last vector may serve after its time
   */
  default float[] at(int frame, int margin) {
    return switch (this) {
      case None() -> null;
      case Fixed(float[] vector) -> vector;
      case Online(Matrix vectors, int period) -> {
        int last = vectors.rows() - 1;
        if (last < 0 || (frame / period - last) * (long) period > margin) {
          throw new ComputationException(
              String.format(
                  Locale.ROOT,
                  """
                  [compute] online ivectors must reach to the end of the utterance; got %d of them, one \
                  every %d frames, for frame %d; correct --online-ivector-period.\
                  """,
                  last + 1,
                  period,
                  frame));
        }
        yield vectors.row(Math.min(frame / period, last));
      }
    };
  }
}
