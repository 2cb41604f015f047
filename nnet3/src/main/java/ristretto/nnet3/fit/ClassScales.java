package ristretto.nnet3.fit;

import java.util.Arrays;
import java.util.TreeMap;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.io.TableReader;

/**
 * Scales of classes for a component before the softmax, {@code presoftmax_prior_scale.vec}: a power
 * of the class counts, smoothed by a hundredth of the mean count, scaled to a mean of one.
 */
final class ClassScales {
  static final String NAME = "presoftmax_prior_scale.vec";

  private static final double SMOOTH = 0.01;

  private final FitOptions.Start start;
  private final FitOptions.Examples examples;

  ClassScales(FitOptions options) {
    this.start = options.start();
    this.examples = options.examples();
  }

  /**
   * Writes the scales of the targets' classes.
   *
   * @throws ShapeException if targets are no alignments, or none are given
   */
  void write(String file) {
    float[] scales = scales(counts(), start.scalePower());
    KaldiOutput.write(file, false, out -> out.writeVector(scales));
  }

  private double[] counts() {
    if (examples.kind() != FitOptions.Kind.ALIGNMENTS || examples.targets().isEmpty()) {
      throw new ShapeException(
          "[nnet3-fit] class scales must be computed from alignments; got %s for a config that reads %s; give --targets with one class per frame, or a config without that file."
              .formatted(examples.targets().isEmpty() ? "no --targets" : "others", NAME));
    }
    TreeMap<Integer, Long> found = new TreeMap<>();
    try (var targets = TableReader.open(examples.targets(), Holder.INTS)) {
      while (targets.next()) {
        for (int c : targets.value()) {
          found.merge(c, 1L, Long::sum);
        }
      }
    }
    if (found.isEmpty() || found.firstKey() < 0) {
      throw new ShapeException(
          "[nnet3-fit] targets must be classes of at least 0; got %s in %s; give others."
              .formatted(found.isEmpty() ? "none" : found.firstKey(), examples.targets()));
    }
    var counts = new double[Math.max(start.classes(), found.lastKey() + 1)];
    found.forEach((c, n) -> counts[c] = n);
    return counts;
  }

  static float[] scales(double[] counts, double power) {
    double mean = Arrays.stream(counts).sum() / counts.length;
    double[] powers = Arrays.stream(counts).map(n -> Math.pow(n + SMOOTH * mean, power)).toArray();
    double sum = Arrays.stream(powers).sum();
    var scales = new float[counts.length];
    for (int c = 0; c < scales.length; c++) {
      scales[c] = (float) (powers[c] * scales.length / sum);
    }
    return scales;
  }
}
