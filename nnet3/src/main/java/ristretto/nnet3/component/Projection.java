package ristretto.nnet3.component;

import ristretto.nnet3.io.Matrix;

/** A component that computes {@code x w' + b}. */
public interface Projection {
  /** w. */
  Matrix weights();

  /** b; empty if there is none. */
  float[] offset();
}
