package ristretto.symbolic.graph;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.type.Shape;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;

/**
 * Shape inference of a formula, by one evaluation in which unknown dimensions are {@linkplain
 * UnknownDims symbols}. If the formula reads an unknown dimension as a number, its Java code may do
 * anything with the number; the result is then compared with evaluations for {@linkplain TestSizes
 * known dimensions}, and dimensions that differ are unknown.
 */
final class ShapeInference {
  private final String name;
  private final Formula<?> formula;
  private final List<? extends Variable<?>> inputs;
  private final Set<Operator> crossed = new LinkedHashSet<>();

  ShapeInference(String name, Formula<?> formula, List<? extends Variable<?>> inputs) {
    this.name = name;
    this.formula = formula;
    this.inputs = inputs;
  }

  /** Returns the operators across which the formula takes gradients. */
  Set<Operator> crossed() {
    return crossed;
  }

  /**
   * Infers the shape of the result.
   *
   * @throws ShapeException if the inputs do not fit the formula
   */
  Dims infer() {
    var unknown = new UnknownDims();
    Optional<Dims> inferred;
    try {
      inferred = Optional.of(unknown.call(() -> evaluated(unknown::symbol)));
    } catch (RistrettoException e) {
      if (!unknown.wasRead()) {
        throw failure(e);
      }
      return tested(unknown, Optional.empty(), failure(e));
    } catch (ArithmeticException | IndexOutOfBoundsException | NegativeArraySizeException e) {
      // Java code has taken an unknown dimension for a number.
      return tested(unknown, Optional.empty(), e);
    }
    return unknown.wasRead() ? tested(unknown, inferred, null) : inferred.orElseThrow();
  }

  /**
   * Returns what an inferred shape and those for all test sizes have in common.
   *
   * @param first exception of the inference, or null
   */
  private Dims tested(UnknownDims unknown, Optional<Dims> inferred, RuntimeException first) {
    Dims common = inferred.orElse(null);
    RistrettoException failure = null;
    int fitting = 0;
    for (TestSizes sizes : TestSizes.all(inputs)) {
      try {
        Dims dims = UnknownDims.callKnown(() -> evaluated(sizes.next(unknown)));
        common = common == null || common.rank() != dims.rank() ? dims : common.common(dims);
        fitting++;
      } catch (ArithmeticException e) {
        // no integers satisfy the equations
        continue;
      } catch (RistrettoException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (common == null) {
      throw failure == null ? first : failure(failure);
    }
    return fitting > 1 ? common : common.unknown();
  }

  /** Evaluates the formula in training mode, and in evaluation mode if the modes may differ. */
  private Dims evaluated(LongSupplier dims) {
    var training = new Probe(true, inputs, dims);
    Dims shape = shape(training);
    if (!training.asked()) {
      return shape;
    }
    Dims other = shape(new Probe(false, training));
    return shape.rank() == other.rank() ? shape.common(other) : shape;
  }

  private Dims shape(Probe probe) {
    Shape shape = formula.of(probe).shape();
    crossed.addAll(probe.crossed());
    return Dims.of(shape);
  }

  private ShapeException failure(RistrettoException e) {
    return new ShapeException(
        "[%s] the inputs must fit the operator; got %s: %s"
            .formatted(
                name,
                inputs.stream().map(Variable::toString).collect(Collectors.joining(", ")),
                UnknownDims.printed(e.getMessage())),
        e);
  }
}
