package ristretto.symbolic.run;

import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.QuantizedTensor;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.kernels.ShapeException;
import ristretto.kernels.block.BlockFormat;
import ristretto.symbolic.graph.Variable;

/** Quantized matrices that take the place of parameters. */
public final class QuantizedParameters {
  /** No parameters. */
  public static final QuantizedParameters NONE = new QuantizedParameters();

  private final Map<Variable<?>, QuantizedTensor> all = new IdentityHashMap<>();
  private final Map<String, QuantizedTensor> names = new LinkedHashMap<>();

  private QuantizedParameters() {}

  /**
   * Quantizes the F32 matrices of a graph: tables along their rows, others along axis 0, unless the
   * extent is no multiple of a block.
   *
   * @param values returns the tensor of a parameter
   * @throws ShapeException if there are none
   */
  public static QuantizedParameters of(
      Graph graph, Function<Variable<?>, Tensor<?>> values, BlockFormat format) {
    var made = new QuantizedParameters();
    List<Variable<?>> parameters = graph.of(Variable.Kind.PARAMETER);
    for (Variable<?> v : parameters) {
      int axis = isTable(graph, v) ? 1 : 0;
      if (v.dtype() == (Object) F32.INSTANCE
          && v.dims().rank() == 2
          && v.dims().at(axis) % format.length() == 0) {
        var matrix = Ops.quantize(values.apply(v).as(Ops.F32), format, axis);
        made.all.put(v, matrix);
        made.names.put(v.name(), matrix);
      }
    }
    if (made.all.isEmpty()) {
      throw new ShapeException(
          ("[quantize] a parameter must be an F32 matrix whose axis 0 is a multiple of %s; got %s;"
                  + " choose I8, which takes any length.")
              .formatted(format.length(), parameters));
    }
    return made;
  }

  /** Returns true for a parameter that an operator takes rows of, at indices. */
  private static boolean isTable(Graph graph, Variable<?> v) {
    return graph.readers(v).stream()
        .anyMatch(reader -> reader.inputs().stream().anyMatch(in -> in.dtype().isInteger()));
  }

  /** Matrix in the place of a variable. */
  public Optional<Expr<?>> of(Variable<?> v) {
    return Optional.ofNullable(all.get(v));
  }

  /** Matrices by the names of the parameters. */
  public Map<String, QuantizedTensor> byName() {
    return new LinkedHashMap<>(names);
  }
}
