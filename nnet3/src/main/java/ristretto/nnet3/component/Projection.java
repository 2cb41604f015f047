package ristretto.nnet3.component;

/** Affine map of rows: {@code y = x W' + b}. */
public interface Projection extends Weighted {
  /** Returns b; empty if there is none. */
  float[] offset();
}
