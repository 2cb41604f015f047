package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.Attention;
import ristretto.symbolic.layers.operator.CacheRows;

/**
 * Multi-head attention (Vaswani et al., 2017): each head attends within its share of the width,
 * with its own projections of the inputs; the concatenated results are projected once more. The
 * parameters are those of dense layers {@code name.query}, {@code name.key}, {@code name.value} and
 * {@code name.output}; PyTorch's {@code MultiheadAttention} has the first three in one matrix.
 *
 * <pre>{@code
 * var attention = new MultiHeadAttention("block.0.attention", 8).causal().rotary(10_000);
 * Variable<F32> y = attention.of(x);                            // x[batch, steps, width]
 * }</pre>
 */
public final class MultiHeadAttention implements Layer {
  private final String name;
  private final long heads;

  // Set only in a fresh copy, before it is published.
  private long groups;
  private boolean causal;
  private boolean bias = true;
  private double dropout;
  private Optional<Double> rotary = Optional.empty();
  private Optional<Initializer> weight = Optional.empty();

  /** Layers of the projections, from the first application on, and the width of the output. */
  private Dense query;

  private Dense key;
  private Dense value;
  private Dense output;
  private long width;

  /**
   * Creates a layer without parameters yet.
   *
   * @param name name of the layer, the prefix of its parameters
   * @param heads number of heads; must divide the width of the input
   */
  public MultiHeadAttention(String name, long heads) {
    if (heads < 1) {
      throw new ShapeException(
          "[%s] attention must have at least one head; got %s.".formatted(name, heads));
    }
    this.name = name;
    this.heads = heads;
    this.groups = heads;
  }

  private MultiHeadAttention with(String option, Consumer<MultiHeadAttention> change) {
    Parameters.requireNew(name, option, query != null);
    var copy = new MultiHeadAttention(name, heads);
    copy.groups = groups;
    copy.causal = causal;
    copy.bias = bias;
    copy.dropout = dropout;
    copy.rotary = rotary;
    copy.weight = weight;
    change.accept(copy);
    return copy;
  }

  /**
   * Returns this layer with grouped queries (Ainslie et al., 2023): {@code count} heads of keys and
   * values, each shared by {@code heads / count} heads of queries.
   */
  public MultiHeadAttention keyValueHeads(long count) {
    if (count < 1 || heads % count != 0) {
      throw new ShapeException(
          "[%s] the heads of keys must divide those of queries; got %s of %s."
              .formatted(name, count, heads));
    }
    return with("keyValueHeads(" + count + ")", a -> a.groups = count);
  }

  /** Returns this layer with a causal mask: no time step sees later ones. */
  public MultiHeadAttention causal() {
    return with("causal()", a -> a.causal = true);
  }

  /** Returns this layer with biases of all projections, or without. */
  public MultiHeadAttention bias(boolean bias) {
    return with("bias(" + bias + ")", a -> a.bias = bias);
  }

  /**
   * Returns this layer with dropout of the attention weights in training mode: random weights
   * become 0, and the others are divided by {@code 1 - rate}, as with PyTorch's {@code dropout};
   * {@link #step}, which generates, has none.
   *
   * @param rate probability of dropping a weight, from 0 to below 1
   */
  public MultiHeadAttention dropout(double rate) {
    ActivationLayers.requireRate(rate);
    return with("dropout(" + rate + ")", a -> a.dropout = rate);
  }

  /**
   * Returns this layer with rotary position embeddings of queries and keys; see {@link
   * PositionLayers#rotary(Variable, double)}.
   *
   * @param base ratio of the longest to the shortest wavelength, usually 10,000
   */
  public MultiHeadAttention rotary(double base) {
    return with("rotary(" + base + ")", a -> a.rotary = Optional.of(base));
  }

  /** Returns this layer with an initializer of all weights. */
  public MultiHeadAttention weight(Initializer initializer) {
    return with("weight(...)", a -> a.weight = Optional.of(initializer));
  }

  /**
   * Applies self-attention.
   *
   * @param v {@code [batch, steps, width]}
   * @return {@code [batch, steps, width]}
   */
  @Override
  public <T> Variable<T> of(Variable<T> v) {
    return of(v, v);
  }

  /**
   * Applies self-attention with a mask; see {@link #of(Variable, Variable, Variable)}.
   *
   * @param v {@code [batch, steps, width]}
   * @return {@code [batch, steps, width]}
   */
  public <T> Variable<T> masked(Variable<T> v, Variable<BOOL> mask) {
    return of(v, v, mask);
  }

  /**
   * Applies attention from one sequence to another.
   *
   * @param from source of the queries, {@code [batch, m, width]}
   * @param to source of keys and values, {@code [batch, n, any]}
   * @return {@code [batch, m, width]}
   */
  public <T> Variable<T> of(Variable<T> from, Variable<T> to) {
    return apply(from, to, Optional.empty());
  }

  /**
   * Applies attention with a mask; rows without any visible row yield the output's bias.
   *
   * @param from source of the queries, {@code [batch, m, width]}
   * @param to source of keys and values, {@code [batch, n, any]}
   * @param mask true where a row of {@code from} may see a row of {@code to}: {@code [m, n]},
   *     {@code [batch, m, n]} for all heads, or {@code [batch, heads, m, n]}; dimensions of 1
   *     broadcast
   * @return {@code [batch, m, width]}
   */
  public <T> Variable<T> of(Variable<T> from, Variable<T> to, Variable<BOOL> mask) {
    int rank = mask.dims().rank();
    if (rank < 2 || rank > 4) {
      throw new ShapeException(
          ("[%s] a mask must be [m, n], [batch, m, n] or [batch, heads, m, n]; got %s; true stands"
                  + " for rows that are seen.")
              .formatted(name, mask));
    }
    Variable<BOOL> four =
        rank == 3
            ? MathLayers.apply(name + ".mask", Ops.BOOL, x -> x.get(mask).unsqueeze(1), mask)
            : mask;
    return apply(from, to, Optional.of(four));
  }

  private <T> Variable<T> apply(Variable<T> from, Variable<T> to, Optional<Variable<BOOL>> mask) {
    project(from);
    Variable<T> q = turned(heads(query.of(from), heads), Optional.empty());
    Variable<T> k = turned(heads(key.of(to), groups), Optional.empty());
    Variable<T> v = heads(value.of(to), groups);
    return joined(new Attention<>(q, repeated(k), repeated(v), mask, causal, dropout).output());
  }

  /** Creates the projections at the first application. */
  private synchronized void project(Variable<?> from) {
    long own = from.dims().rank() == 3 ? from.dims().at(2) : Dims.UNKNOWN;
    if (own == Dims.UNKNOWN || own % heads != 0) {
      throw new ShapeException(
          ("[%s] the input must be [batch, steps, width] with a known width that the heads"
                  + " divide; got %s and %s heads.")
              .formatted(name, from, heads));
    }
    if (query == null) {
      width = own;
      query = dense("query", width);
      key = dense("key", width / heads * groups);
      value = dense("value", width / heads * groups);
      output = dense("output", width);
    }
  }

  private Dense dense(String part, long units) {
    var plain = new Dense(name + "." + part, units).bias(bias);
    return weight.map(plain::weight).orElse(plain);
  }

  private <T> Variable<T> turned(Variable<T> v, Optional<Variable<I32>> positions) {
    if (rotary.isEmpty()) {
      return v;
    }
    double base = rotary.get();
    return positions
        .map(p -> PositionLayers.rotary(v, base, p))
        .orElseGet(() -> PositionLayers.rotary(v, base));
  }

  /** Splits {@code [batch, steps, count * d]} into {@code [batch, count, steps, d]}. */
  private static <T> Variable<T> heads(Variable<T> v, long count) {
    return MathLayers.apply(
        v.name() + ".heads",
        v.dtype(),
        x -> {
          Shape shape = x.get(v).shape();
          return x.get(v)
              .reshape(shape.at(0), shape.at(1), count, shape.at(2) / count)
              .permute(0, 2, 1, 3);
        },
        v);
  }

  /** Repeats the heads of keys or values for the queries of their group. */
  private <T> Variable<T> repeated(Variable<T> v) {
    if (groups == heads) {
      return v;
    }
    return MathLayers.apply(
        name + ".repeated",
        v.dtype(),
        x -> {
          Shape shape = x.get(v).shape();
          long each = heads / groups;
          return x.get(v)
              .unsqueeze(2)
              .expand(shape.at(0), groups, each, shape.at(2), shape.at(3))
              .reshape(shape.at(0), heads, shape.at(2), shape.at(3));
        },
        v);
  }

  private <T> Variable<T> joined(Variable<T> seen) {
    Variable<T> joined =
        MathLayers.apply(
            name + ".join",
            seen.dtype(),
            x -> {
              Expr<T> a = x.get(seen).permute(0, 2, 1, 3);
              return a.reshape(a.shape().at(0), a.shape().at(1), width);
            },
            seen);
    return output.of(joined);
  }

  // Generation

  /**
   * Application to the next time steps of a sequence, with the keys and values of earlier steps in
   * a cache; see {@link MultiHeadAttention#step}.
   *
   * @param output {@code [batch, steps, width]}
   * @param keys input: keys of earlier steps, {@code [batch, keyValueHeads, longest, d]}
   * @param values input: values of earlier steps, of the same shape
   * @param nextKeys keys with those of the new steps
   * @param nextValues values with those of the new steps
   */
  public record Step<T>(
      Variable<T> output,
      Variable<T> keys,
      Variable<T> values,
      Variable<T> nextKeys,
      Variable<T> nextValues) {
    /** Returns the inputs of the cache. */
    public List<Variable<T>> cache() {
      return List.of(keys, values);
    }

    /** Returns the outputs that are the inputs of the next step, in the order of the inputs. */
    public List<Variable<T>> next() {
      return List.of(nextKeys, nextValues);
    }
  }

  /**
   * Applies causal self-attention to the next time steps of a sequence. Keys and values of all
   * earlier steps are inputs named {@code name.keys} and {@code name.values}, zeros at first; after
   * each run, {@link Step#nextKeys} and {@link Step#nextValues} become these inputs. The size of
   * the cache is fixed, so that all steps run one program.
   *
   * @param v the new steps, {@code [batch, steps, width]}
   * @param position number of earlier steps, {@code [1]}; together with the new steps at most
   *     {@code longest}, or a run throws a {@link ShapeException} if the position is an input
   * @param longest number of steps that the cache has room for
   */
  public <T> Step<T> step(Variable<T> v, Variable<I32> position, long longest) {
    if (!causal || longest < 1) {
      throw new ShapeException(
          ("[%s] only causal attention can be applied step by step, with room for at least 1 step;"
                  + " got %s attention and %s; create the layer with causal().")
              .formatted(name, causal ? "causal" : "two-way", longest));
    }
    project(v);
    Variable<I32> rows =
        MathLayers.apply(
            name + ".positions",
            Ops.I32,
            x -> {
              Shape one = Shape.of(x.get(v).shape().at(1));
              return x.get(position).reshape(1).plus(Ops.coordinate(one, 0).cast(Ops.I32));
            },
            v,
            position);
    Variable<T> q = turned(heads(query.of(v), heads), Optional.of(rows));
    Variable<T> k = turned(heads(key.of(v), groups), Optional.of(rows));
    long d = width / heads;
    var inputs = new ArrayList<Variable<T>>();
    for (String part : List.of("keys", "values")) {
      inputs.add(Variable.input(name + "." + part, v.dtype(), v.dims().at(0), groups, longest, d));
    }
    Variable<T> allKeys = new CacheRows<>(name, inputs.get(0), k, position).output();
    Variable<T> allValues =
        new CacheRows<>(name, inputs.get(1), heads(value.of(v), groups), position).output();
    Variable<BOOL> seen =
        MathLayers.apply(
            name + ".seen",
            Ops.BOOL,
            x -> {
              Expr<I64> row = Ops.coordinate(Shape.of(1, longest), 1);
              return row.le(x.get(rows).cast(Ops.I64).unsqueeze(1));
            },
            rows);
    Variable<T> result =
        joined(
            new Attention<>(q, repeated(allKeys), repeated(allValues), Optional.of(seen), false, 0)
                .output());
    return new Step<>(result, inputs.get(0), inputs.get(1), allKeys, allValues);
  }
}
