package ristretto.symbolic.graph;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import ristretto.expr.type.DType;
import ristretto.kernels.ShapeException;

/**
 * Part of a model that is applied several times with shared parameters and states.
 *
 * <pre>{@code
 * var encoder = Shared.of((Variable<F32> v) -> relu(dense("encoder", v, 64)));
 * Variable<F32> distance = square(encoder.of(a).minus(encoder.of(b)));
 * }</pre>
 *
 * <p>Each application creates new layers; parameters and states are matched by name with those of
 * the first application.
 *
 * @param <A> type of the input
 * @param <B> type of the output
 */
public final class Shared<A, B> {
  private static final ScopedValue<Scope> CURRENT = ScopedValue.newInstance();

  private final Function<A, B> part;
  private final Map<String, Variable<?>> variables = new HashMap<>();

  /** Variables of a part that is being applied, and those of the part around it, or null. */
  private record Scope(Map<String, Variable<?>> variables, Scope outer) {
    Variable<?> variable(String name, Supplier<? extends Variable<?>> fresh) {
      Variable<?> known = variables.get(name);
      if (known == null) {
        known = outer == null ? fresh.get() : outer.variable(name, fresh);
        variables.put(name, known);
      }
      return known;
    }
  }

  private Shared(Function<A, B> part) {
    this.part = part;
  }

  /**
   * Creates a shared part.
   *
   * @param part function that creates the layers
   */
  public static <A, B> Shared<A, B> of(Function<A, B> part) {
    return new Shared<>(part);
  }

  /**
   * Applies the part to an input.
   *
   * @throws ShapeException if a parameter would have another dtype or shape than in the first
   *     application
   */
  public B of(A input) {
    return ScopedValue.where(
            CURRENT, new Scope(variables, CURRENT.isBound() ? CURRENT.get() : null))
        .call(() -> part.apply(input));
  }

  /**
   * Returns the parameter or state of this name of the part that is being applied, or a new one.
   */
  @SuppressWarnings("unchecked")
  static <T> Variable<T> variable(
      String name, DType<T> dtype, Dims dims, Supplier<Variable<T>> fresh) {
    if (!CURRENT.isBound()) {
      return fresh.get();
    }
    Variable<?> known = CURRENT.get().variable(name, fresh);
    if (known.dtype() != (Object) dtype || !known.dims().equals(dims)) {
      throw new ShapeException(
          ("[shared] a shared part must have the same parameters for each of its inputs; got %s"
                  + " before and %s%s now; apply it to inputs of the same width.")
              .formatted(known, dtype, dims));
    }
    return (Variable<T>) known;
  }
}
