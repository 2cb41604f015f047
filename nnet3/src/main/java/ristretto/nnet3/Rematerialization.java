package ristretto.nnet3;

/** Values that the backward pass recomputes instead of keeping them in memory. */
public enum Rematerialization {
  /** No values. */
  NOTHING,

  /** Some values that are element-wise, or scaled by a normalization. */
  CHEAP,

  /** More values than {@link #CHEAP}, among them those of recurrences and some products. */
  PRODUCTS
}
