package ristretto.symbolic.graph;

import ristretto.expr.type.Shape;

/** Fan-in and fan-out of a layer, given the shape of its weights. */
final class FanInOut {
  private FanInOut() {}

  static double in(Shape weights) {
    return switch (weights.rank()) {
      case 0, 1 -> Math.max(1, weights.size());
      case 2 -> weights.dim(0);
      default -> weights.dim(1) * window(weights);
    };
  }

  static double out(Shape weights) {
    return switch (weights.rank()) {
      case 0, 1 -> Math.max(1, weights.size());
      case 2 -> weights.dim(1);
      default -> weights.dim(0) * window(weights);
    };
  }

  private static double window(Shape weights) {
    return (double) weights.size() / (weights.dim(0) * weights.dim(1));
  }
}
