package ristretto.jmh.training;

import java.util.List;
import ristretto.jmh.line.Dims;

/**
 * A step of training that is measured: forward, backward and, where it says so, an update.
 *
 * @param name of the model
 * @param what for people
 * @param dims batch first
 * @param small for warming up
 * @param wanted least time of PyTorch's step over ours
 */
record TrainingLine(String name, String what, Dims dims, Dims small, double wanted) {
  private static TrainingLine of(
      String name, String what, String dims, String small, double wanted) {
    return new TrainingLine(name, what, Dims.parse(dims), Dims.parse(small), wanted);
  }

  static final List<TrainingLine> ALL =
      List.of(
          of("mlp", "784-128-64-10 with ReLU and cross-entropy; Adam", "1000", "16", 1.25),
          of("mlp", "784-128-64-10 with ReLU and cross-entropy; Adam", "64", "16", 2));

  /** As {@code --only} knows it. */
  String label() {
    return name + "-" + dims;
  }
}
