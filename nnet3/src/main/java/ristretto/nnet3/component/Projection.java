package ristretto.nnet3.component;

/** Affine map of rows: {@code y = x W' + b}. */
public interface Projection extends WeightMatrixComponent {
  /** Returns b; empty if there is none. */
  float[] offset();
}
