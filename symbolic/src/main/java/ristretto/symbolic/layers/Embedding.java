package ristretto.symbolic.layers;

import java.util.List;
import java.util.OptionalInt;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.FormulaOperator;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Values;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.graph.Views;
import ristretto.symbolic.layers.operator.CheckedFormula;

/**
 * Embedding, rows of a learned table: {@code indices[...] -> [..., width]}. The parameter is {@code
 * name.weight[count, width]} (normal), as in PyTorch's {@code Embedding}. Indices out of range,
 * negative ones included, are errors of the run. The table may also compute the logits of a
 * language model (tied weights, Press and Wolf, 2017):
 *
 * <pre>{@code
 * var tokens = new Embedding("wte", 50_257, 768);
 * Variable<F32> logits = tokens.logits(blocks.of(tokens.of(indices)));
 * }</pre>
 */
public final class Embedding {
  private final long count;
  private final long width;
  private final Initializer initializer;
  private final OptionalInt padding;
  private final Parameters parameters;

  /**
   * Creates a layer without a table yet.
   *
   * @param name name of the layer, the prefix of its parameter
   * @param count number of rows; indices are from 0 to {@code count - 1}
   * @param width width of a row
   */
  public Embedding(String name, long count, long width) {
    this(count, width, Initializer.normal(1), OptionalInt.empty(), new Parameters(name));
  }

  private Embedding(
      long count, long width, Initializer initializer, OptionalInt padding, Parameters parameters) {
    if (count < 1 || width < 1) {
      throw new ShapeException(
          "[%s] a table must have at least one row and one column; got %s rows of width %s."
              .formatted(parameters.layer(), count, width));
    }
    this.count = count;
    this.width = width;
    this.initializer = initializer;
    this.padding = padding;
    this.parameters = parameters;
  }

  /** Returns this layer with an initializer of the table. */
  public Embedding weight(Initializer initializer) {
    return new Embedding(count, width, initializer, padding, parameters.changed("weight(...)"));
  }

  /**
   * Returns this layer with an index that yields zeros and has no gradient.
   *
   * @param index index of the padding, from 0 to {@code count - 1}
   */
  public Embedding padding(int index) {
    if (index < 0 || index >= count) {
      throw new ShapeException(
          "[%s] the padding must be an index of the table, from 0 to %s; got %s."
              .formatted(parameters.layer(), count - 1, index));
    }
    return new Embedding(
        count,
        width,
        initializer,
        OptionalInt.of(index),
        parameters.changed("padding(" + index + ")"));
  }

  /** Returns the rows of indices: {@code indices[...] -> [..., width]}. */
  public Variable<F32> of(Variable<I32> indices) {
    return of(indices, Ops.F32);
  }

  /**
   * Returns the rows of indices from a table of a given dtype: {@code indices[...] -> [...,
   * width]}.
   */
  public <T> Variable<T> of(Variable<I32> indices, DType<T> dtype) {
    Variable<T> table = table(indices, dtype);
    return new CheckedFormula<>(
            parameters.layer(),
            dtype,
            x -> check(x, indices),
            x -> {
              Expr<T> rows = Ops.take(x.get(table), index(x, indices), 0);
              return padding.isEmpty()
                  ? rows
                  : Ops.where(x.get(indices).unsqueeze(-1).eq(padding.getAsInt()), 0.0, rows);
            },
            List.of(table, indices))
        .output();
  }

  private void check(OperatorContext x, Variable<I32> indices) {
    x.limit(
        indices,
        count - 1,
        index ->
            "[%s] indices must be from 0 to %s, the last row of the table; got %s in %s; %s."
                .formatted(
                    parameters.layer(),
                    count - 1,
                    index,
                    indices,
                    index < 0
                        ? "choose a row for padding, with padding(0)"
                        : "correct the indices, or make the table larger"));
  }

  /** Returns the row of each index, out of range for negative indices. */
  private Expr<I32> index(Values x, Variable<I32> indices) {
    Expr<I32> index = x.get(indices);
    // Inputs are checked before each run; take would count negative numbers from the end.
    return Views.origin(indices).kind() == Variable.Kind.INPUT
        ? index
        : Ops.where(index.lt(0), index.minus(count), index);
  }

  /**
   * Returns the products of {@code v} with each row of the table: {@code v[..., width] -> [...,
   * count]}.
   */
  public <T> Variable<T> logits(Variable<T> v) {
    if (parameters.width(v) != width) {
      throw new ShapeException(
          "[%s] the width of the input must be that of the table; got %s for a width of %s."
              .formatted(parameters.layer(), v, width));
    }
    Variable<T> table = table(v, v.dtype());
    return FormulaOperator.apply(
        parameters.layer() + ".logits",
        v.dtype(),
        x -> {
          Expr<T> a = x.get(v);
          long[] shape = a.shape().extents();
          shape[shape.length - 1] = count;
          return Ops.dot(a.reshape(-1, width), x.get(table).t()).reshape(shape);
        },
        v,
        table);
  }

  private <T> Variable<T> table(Variable<?> input, DType<T> dtype) {
    return parameters.parameter("weight", input, dtype, initializer, count, width);
  }
}
