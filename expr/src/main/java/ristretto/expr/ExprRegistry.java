package ristretto.expr;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import ristretto.expr.type.DType;
import ristretto.kernels.ShapeException;

/** Registry of operators by name and input dtypes, open to other libraries. Thread-safe. */
public final class ExprRegistry {
  private record Signature(String name, List<DType<?>> inputs) {}

  private static final Map<Signature, Function<List<Expr<?>>, Expr<?>>> FACTORIES =
      new ConcurrentHashMap<>();

  private ExprRegistry() {}

  /**
   * Registers an operator for {@link Ops#call}.
   *
   * @param inputs dtypes of its inputs, in order
   * @param factory creates the expression from inputs of these dtypes
   * @throws ShapeException if the name is taken for these dtypes
   */
  public static void register(
      String name, List<DType<?>> inputs, Function<List<Expr<?>>, Expr<?>> factory) {
    if (FACTORIES.putIfAbsent(new Signature(name, List.copyOf(inputs)), factory) != null) {
      throw new ShapeException(
          "[register] a name must be unused for its dtypes; \"%s\" %s is registered already."
              .formatted(name, inputs));
    }
  }

  @SuppressWarnings("unchecked")
  static <T> Expr<T> call(DType<T> result, String name, List<Expr<?>> inputs) {
    List<DType<?>> dtypes = inputs.stream().<DType<?>>map(Expr::dtype).toList();
    Function<List<Expr<?>>, Expr<?>> factory = FACTORIES.get(new Signature(name, dtypes));
    if (factory == null) {
      List<String> known =
          FACTORIES.keySet().stream()
              .filter(s -> s.name.equals(name))
              .map(s -> s.inputs.toString())
              .sorted()
              .toList();
      throw new ShapeException(
          "[call] an operator must be registered for its inputs; got \"%s\" %s%s"
              .formatted(
                  name,
                  dtypes,
                  known.isEmpty()
                      ? "; the name is not registered."
                      : "; registered: " + String.join(", ", known) + "."));
    }
    Expr<?> made = factory.apply(inputs);
    if (made.dtype() != (Object) result) {
      throw new ShapeException(
          "[call] the result must have the requested dtype; got %s from \"%s\", asked for %s."
              .formatted(made.label(), name, result));
    }
    return (Expr<T>) made;
  }
}
