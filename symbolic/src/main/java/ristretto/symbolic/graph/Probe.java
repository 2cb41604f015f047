package ristretto.symbolic.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/**
 * Values with shapes only, to find out a formula's result shape, and the operators across which the
 * formula takes gradients.
 */
final class Probe implements Values {
  private final Map<Variable<?>, Expr<?>> values = new IdentityHashMap<>();
  private final Map<Variable<?>, Shape> shapes;
  private final List<? extends Variable<?>> inputs;
  private final LongSupplier unknown;
  private final Set<Operator> crossed = new LinkedHashSet<>();
  private final boolean training;
  private boolean asked;

  /**
   * Creates values of inputs.
   *
   * @param unknown supplier of one number for each unknown dimension, also of variables that the
   *     formula reads only through gradients
   */
  Probe(boolean training, List<? extends Variable<?>> inputs, LongSupplier unknown) {
    this.training = training;
    this.inputs = inputs;
    this.unknown = unknown;
    this.shapes = new IdentityHashMap<>();
    inputs.forEach(this::shape);
  }

  /** Creates values with the shapes of others, for another mode. */
  Probe(boolean training, Probe other) {
    this.training = training;
    this.inputs = other.inputs;
    this.unknown = other.unknown;
    this.shapes = other.shapes;
  }

  /**
   * Infers the dimensions of a formula's result, if the caller does not need the crossed operators.
   */
  static <T> Dims infer(String name, Formula<T> formula, List<? extends Variable<?>> inputs) {
    return new ShapeInference(name, formula, inputs).infer();
  }

  private Shape shape(Variable<?> v) {
    return shapes.computeIfAbsent(
        v,
        _ ->
            Shape.of(
                Arrays.stream(v.dims().toArray())
                    .map(d -> d == Dims.UNKNOWN ? unknown.getAsLong() : d)
                    .toArray()));
  }

  /** Returns true if the formula has asked for the mode, training or evaluation. */
  boolean asked() {
    return asked;
  }

  /** Returns the operators whose backward passes the formula needs. */
  Set<Operator> crossed() {
    return crossed;
  }

  @Override
  public <T> Expr<T> get(Variable<T> variable) {
    if (!inputs.contains(variable)) {
      throw new ShapeException(
          "[get] an operator must declare the variables it reads as inputs; got " + variable + ".");
    }
    return value(variable);
  }

  @SuppressWarnings("unchecked")
  private <T> Expr<T> value(Variable<T> v) {
    var known = (Expr<T>) values.get(v);
    if (known == null) {
      Expr<T> zeros = Ops.fill(v.dtype(), 0, shape(v).extents());
      known = v.owner() == null ? zeros : output(v.owner(), zeros);
      values.put(v, known);
    }
    return known;
  }

  private <T> Expr<T> output(Operator op, Expr<T> zeros) {
    return Gradients.custom(
        zeros,
        () -> op.inputs().stream().<Expr<?>>map(this::value).toList(),
        (dy, _) -> {
          crossed.add(op);
          var from = new ArrayList<Expr<?>>(List.of(dy));
          op.inputs().forEach(in -> from.add(value(in)));
          op.outputs().forEach(out -> from.add(value(out)));
          return op.inputs().stream().<Expr<?>>map(in -> computed(value(in), from)).toList();
        });
  }

  /** Returns a dummy expression that has the shape of one expression and depends on others. */
  private static <T> Expr<T> computed(Expr<T> like, List<Expr<?>> from) {
    return Gradients.custom(
        Ops.fill(like.dtype(), 0, like.shape().extents()),
        () -> from,
        (dy, _) -> {
          var more = new ArrayList<>(from);
          more.add(dy);
          return from.stream().<Expr<?>>map(e -> computed(e, more)).toList();
        });
  }

  @Override
  public boolean training() {
    asked = true;
    return training;
  }

  @Override
  public Expr<I64> seed() {
    return Ops.scalar(Ops.I64, 0L);
  }
}
