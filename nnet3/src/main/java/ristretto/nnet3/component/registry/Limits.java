package ristretto.nnet3.component.registry;

import java.util.Arrays;
import java.util.Objects;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.NaturalGradientSettings;
import ristretto.nnet3.component.UpdatableComponent;

/** Bounds of component settings that determine run time and memory use. */
final class Limits {
  /** Maximum number of input rows per output row: hours of frames. */
  private static final long MOST_READS = 1_000_000;

  private Limits() {}

  /** Violated rule and the offending value. */
  record Problem(String rule, String got) {}

  /** Returns the first rule that the component violates; null if none. */
  static Problem of(ComponentBase component) {
    if (component.inputDim() < 1 || component.outputDim() < 1) {
      return new Problem(
          "dimensions of a component must be between 1 and 2147483647",
          component.inputDim() + " and " + component.outputDim());
    }
    if (component.reads() > MOST_READS) {
      return new Problem(
          "a component must read at most " + MOST_READS + " rows for each output row",
          "" + component.reads());
    }
    return component instanceof UpdatableComponent updatable
        ? Arrays.asList(
                updatable.inputPreconditioning(),
                updatable.outputPreconditioning(),
                updatable.rowPreconditioning(),
                updatable.gradientPreconditioning(),
                updatable.columnPreconditioning())
            .stream()
            .filter(Objects::nonNull)
            .map(Limits::of)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null)
        : null;
  }

  private static Problem of(NaturalGradientSettings p) {
    if (p.rank() < 1) {
      return new Problem("the rank of a natural gradient must be at least 1", "" + p.rank());
    }
    if (p.updatePeriod() < 1) {
      return new Problem(
          "the update period of a natural gradient must be at least 1", "" + p.updatePeriod());
    }
    boolean history =
        isAtLeast(0, p.samplesHistory())
            && isAtLeast(0, p.minibatchesHistory())
            && p.samplesHistory() + p.minibatchesHistory() > 0;
    if (!history) {
      return new Problem(
          "the history of a natural gradient must be above 0",
          p.samplesHistory() + " samples and " + p.minibatchesHistory() + " minibatches");
    }
    return isAtLeast(0, p.alpha())
        ? null
        : new Problem("alpha of a natural gradient must not be negative", "" + p.alpha());
  }

  private static boolean isAtLeast(float least, float value) {
    return value >= least && value < Float.POSITIVE_INFINITY;
  }
}
