package ristretto.symbolic;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import ristretto.expr.Expr;
import ristretto.expr.I64;
import ristretto.expr.Ops;
import ristretto.expr.Shape;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;

/**
 * Finds out what shape a formula yields: tries it with two numbers in place of each unknown extent,
 * and what differs between both results is unknown too.
 */
final class Probe implements Values {
  /** Primes, which no extent of a model is likely to have. */
  private static final long FIRST = 7919;

  private static final long SECOND = 6841;

  private final Map<Variable<?>, Expr<?>> values = new IdentityHashMap<>();
  private final long extent;

  private Probe(long extent, List<? extends Variable<?>> inputs) {
    this.extent = extent;
    inputs.forEach(this::put);
  }

  private <T> void put(Variable<T> v) {
    values.put(v, Ops.fill(v.dtype(), 0, v.dims().with(extent).toArray()));
  }

  static <T> Dims infer(String name, Formula<T> formula, List<? extends Variable<?>> inputs) {
    Shape first;
    try {
      first = shape(name, formula, inputs, FIRST);
    } catch (ShapeException e) {
      return matching(name, formula, inputs, e);
    }
    if (inputs.stream().allMatch(v -> v.dims().known())) {
      return Dims.common(first, first);
    }
    return Dims.common(first, shape(name, formula, inputs, SECOND));
  }

  /** Where what is unknown must be as long as what is known beside it. */
  private static Dims matching(
      String name, Formula<?> formula, List<? extends Variable<?>> inputs, ShapeException failure) {
    var known = new TreeSet<Long>();
    for (Variable<?> v : inputs) {
      for (int d = 0; d < v.dims().rank(); d++) {
        known.add(v.dims().at(d));
      }
    }
    if (known.remove(Dims.UNKNOWN)) {
      for (long extent : known) {
        try {
          Shape shape = shape(name, formula, inputs, extent);
          return Dims.common(shape, shape);
        } catch (ShapeException _) {
          // The first failure tells more.
        }
      }
    }
    throw failure;
  }

  private static Shape shape(
      String name, Formula<?> formula, List<? extends Variable<?>> inputs, long extent) {
    try {
      return formula.of(new Probe(extent, inputs)).shape();
    } catch (RistrettoException e) {
      throw new ShapeException(
          "["
              + name
              + "] the inputs must fit the operator; got "
              + inputs.stream().map(Variable::toString).collect(Collectors.joining(", "))
              + ": "
              + e.getMessage().replaceAll("\\b" + extent + "\\b", "?"),
          e);
    }
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> Expr<T> get(Variable<T> variable) {
    Expr<?> value = values.get(variable);
    if (value == null) {
      throw new ShapeException(
          "[get] an operator must name what it reads as its inputs; got " + variable + ".");
    }
    return (Expr<T>) value;
  }

  @Override
  public boolean training() {
    return true;
  }

  @Override
  public Expr<I64> seed() {
    return Ops.scalar(Ops.I64, 0L);
  }
}
