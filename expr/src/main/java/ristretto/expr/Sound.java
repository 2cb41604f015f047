package ristretto.expr;

import ristretto.expr.type.F32;

/**
 * Sound of a WAV file.
 *
 * @param samples F32 [n], or [n, channels] if there are several channels; integers of the file are
 *     scaled to -1 (included) to 1 (excluded)
 * @param rate samples per second
 */
public record Sound(Tensor<F32> samples, int rate) {
  /** Returns the duration in seconds. */
  public double seconds() {
    return samples.shape().dim(0) / (double) rate;
  }
}
