package ristretto.nnet3.component;

/** A component that computes {@code x w' + b}. */
public interface Projection extends Weighted {
  /** b; empty if there is none. */
  float[] offset();
}
