package ristretto.symbolic.train;

/**
 * Reductions of the learning rate where a measure stays on a plateau, by the rule of PyTorch's
 * {@code ReduceLROnPlateau}.
 *
 * @param factor of the learning rate at each reduction
 * @param patience number of epochs without improvement that are tolerated
 */
record Plateau(double factor, int patience) {
  /** Least relative improvement that counts. */
  private static final double THRESHOLD = 1e-4;

  /** Returns the number of reductions after all epochs of a history. */
  int reductions(History history, String measure, boolean higherIsBetter) {
    double best = higherIsBetter ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    int bad = 0;
    int reductions = 0;
    for (int epoch = 0; epoch < history.epochs(); epoch++) {
      double value = history.get(epoch, measure);
      boolean improves =
          higherIsBetter ? value > best * (1 + THRESHOLD) : value < best * (1 - THRESHOLD);
      if (improves) {
        best = value;
      }
      bad = improves ? 0 : bad + 1;
      if (bad > patience) {
        reductions++;
        bad = 0;
      }
    }
    return reductions;
  }
}
