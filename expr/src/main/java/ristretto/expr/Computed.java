package ristretto.expr;

import java.util.List;
import ristretto.expr.graph.Operation;
import ristretto.expr.type.DType;
import ristretto.expr.type.RValue;
import ristretto.expr.type.Shape;

/**
 * Expression of an operation of this library. Constructors for few operands make no arrays, which
 * would be garbage of each expression that is built.
 */
final class Computed<T> extends Expr<T> implements RValue<T> {
  Computed(Operation operation, DType<T> dtype, Shape shape) {
    super(operation, dtype, shape, List.of());
  }

  Computed(Operation operation, DType<T> dtype, Shape shape, Expr<?> input) {
    super(operation, dtype, shape, List.of(input));
  }

  Computed(Operation operation, DType<T> dtype, Shape shape, Expr<?> first, Expr<?> second) {
    super(operation, dtype, shape, List.of(first, second));
  }

  Computed(Operation operation, DType<T> dtype, Shape shape, Expr<?>... inputs) {
    super(operation, dtype, shape, List.of(inputs));
  }

  Computed(Operation operation, DType<T> dtype, Shape shape, List<? extends Expr<?>> inputs) {
    super(operation, dtype, shape, inputs);
  }
}
