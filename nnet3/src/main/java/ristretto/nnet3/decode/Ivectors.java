package ristretto.nnet3.decode;

import java.io.Serializable;
import java.util.Locale;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.matrix.Matrix;

/** I-vectors of an utterance: the input of the node {@code ivector}. */
public sealed interface Ivectors extends Serializable {
  /** No i-vectors. */
  record None() implements Ivectors {}

  /** One i-vector for the whole utterance. */
  record Fixed(float[] vector) implements Ivectors {}

  /** One i-vector every {@code period} frames. */
  record Online(Matrix vectors, int period) implements Ivectors {
    /** Checks the period. */
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

  /** Returns the dimension of the i-vectors; 0 if there are none. */
  default int dim() {
    return switch (this) {
      case None() -> 0;
      case Fixed(float[] vector) -> vector.length;
      case Online(Matrix vectors, int _) -> vectors.cols();
    };
  }

  /**
   * Returns the i-vector at a frame, or null if there are none.
   *
   * @param margin maximum number of frames after its time for which the last i-vector is used
   * @throws ComputationException if the i-vectors end too early
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
