package ristretto.symbolic.layers;

import java.util.Optional;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.Attention;

/** Attention layers. */
public abstract class AttentionLayers extends LinearLayers {
  AttentionLayers() {}

  /**
   * Scaled dot-product attention (Vaswani et al., 2017): {@code softmax(q k' / sqrt(d)) v}.
   *
   * @param q {@code [..., m, d]}
   * @param k {@code [..., n, d]}
   * @param v {@code [..., n, e]}
   * @return {@code [..., m, e]}
   */
  public static <T> Variable<T> attention(Variable<T> q, Variable<T> k, Variable<T> v) {
    return new Attention<>(q, k, v, Optional.empty(), false, 0).output();
  }

  /**
   * Scaled dot-product attention with a mask; rows of q without any visible row of k yield zeros.
   *
   * @param mask true where a row of q may see a row of k; broadcasts to {@code [..., m, n]}
   */
  public static <T> Variable<T> attention(
      Variable<T> q, Variable<T> k, Variable<T> v, Variable<BOOL> mask) {
    return new Attention<>(q, k, v, Optional.of(mask), false, 0).output();
  }

  /**
   * Scaled dot-product attention with a causal mask: rows of q see no later rows of k; the last
   * rows of both have the same time step.
   */
  public static <T> Variable<T> causalAttention(Variable<T> q, Variable<T> k, Variable<T> v) {
    return new Attention<>(q, k, v, Optional.empty(), true, 0).output();
  }

  /**
   * Multi-head attention; see {@link MultiHeadAttention}, which has more options.
   *
   * @param name of the layer; its parameters are those of dense layers {@code name.query}, {@code
   *     name.key}, {@code name.value} and {@code name.output}
   * @param from source of the queries, {@code [batch, m, width]}
   * @param to source of keys and values, {@code [batch, n, any]}; equal to {@code from} for
   *     self-attention
   * @param heads number of heads; must divide the width
   * @param causal true if no time step sees later ones
   * @return {@code [batch, m, width]}
   */
  public static <T> Variable<T> multiHeadAttention(
      String name, Variable<T> from, Variable<T> to, long heads, boolean causal) {
    var layer = new MultiHeadAttention(name, heads);
    return (causal ? layer.causal() : layer).of(from, to);
  }

  /**
   * Additive attention (Bahdanau et al., 2015): {@code softmax(w' tanh(q + k)) v}.
   *
   * @param name of the layer; its parameter is {@code name.weight[d]} (Xavier)
   * @param q projected queries, {@code [..., m, d]}
   * @param k projected keys, {@code [..., n, d]}
   * @param v {@code [..., n, e]}
   * @return {@code [..., m, e]}
   */
  public static <T> Variable<T> additiveAttention(
      String name, Variable<T> q, Variable<T> k, Variable<T> v) {
    return additiveAttention(q, k, v, additiveWeight(name, q), Optional.empty());
  }

  /**
   * Additive attention with a mask; rows of q without any visible row of k yield zeros.
   *
   * @param mask true where a row of q may see a row of k; broadcasts to {@code [..., m, n]}
   */
  public static <T> Variable<T> additiveAttention(
      String name, Variable<T> q, Variable<T> k, Variable<T> v, Variable<BOOL> mask) {
    return additiveAttention(q, k, v, additiveWeight(name, q), Optional.of(mask));
  }

  private static <T> Variable<T> additiveWeight(String name, Variable<T> q) {
    long d = q.dims().rank() < 2 ? Dims.UNKNOWN : q.dims().at(-1);
    if (d == Dims.UNKNOWN) {
      throw new ShapeException(
          "[" + name + "] the last dimension of the queries must be known; got " + q + ".");
    }
    return Variable.parameter(name + ".weight", q.dtype(), Initializer.xavier(), d);
  }

  private static <T> Variable<T> additiveAttention(
      Variable<T> q, Variable<T> k, Variable<T> v, Variable<T> w, Optional<Variable<BOOL>> mask) {
    Variable<T> scores =
        apply(
            w.name().replace(".weight", ".scores"),
            q.dtype(),
            x -> {
              Expr<T> pairs = x.get(q).unsqueeze(-2).plus(x.get(k).unsqueeze(-3));
              return Ops.sum(Ops.tanh(pairs).times(x.get(w)), -1);
            },
            q,
            k,
            w);
    if (mask.isEmpty()) {
      return dot(softmax(scores, -1), v);
    }
    Variable<BOOL> seen = mask.get();
    Variable<T> weights =
        apply(
            w.name().replace(".weight", ".masked"),
            q.dtype(),
            x -> Attention.masked(x.get(scores), x.get(seen)),
            scores,
            seen);
    return dot(weights, v);
  }
}
