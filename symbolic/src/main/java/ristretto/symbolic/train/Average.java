package ristretto.symbolic.train;

/** Averages of a measure over classes, by the definitions of scikit-learn. */
public enum Average {
  /** Mean over the classes. */
  MACRO,

  /** Mean over the classes, weighted by the number of their labels. */
  WEIGHTED,

  /** Measure of all classes together; the accuracy, for F1, precision and recall. */
  MICRO
}
