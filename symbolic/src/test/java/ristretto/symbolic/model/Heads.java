package ristretto.symbolic.model;

import static ristretto.symbolic.Layers.apply;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.symbolic.graph.Variable;

/** Axes of attention heads and positions in a sequence. */
final class Heads {
  private Heads() {}

  /** Splits the width into heads: {@code v[n, t, heads d] -> [n, heads, t, d]}. */
  static <T> Variable<T> split(Variable<T> v, long heads) {
    return split(v, heads, 1, 0);
  }

  /** Splits one of several equal parts of the width into heads. */
  static <T> Variable<T> split(Variable<T> v, long heads, int parts, int part) {
    return apply(
        "split",
        v.dtype(),
        x -> {
          Expr<T> a = Ops.split(x.get(v), parts, -1).get(part);
          Shape s = a.shape();
          return a.reshape(s.at(0), s.at(1), heads, s.at(2) / heads).permute(0, 2, 1, 3);
        },
        v);
  }

  /** Repeats each head: {@code v[n, heads, t, d] -> [n, heads times, t, d]}. */
  static <T> Variable<T> repeat(Variable<T> v, long times) {
    return apply(
        "repeat",
        v.dtype(),
        x -> {
          Shape s = x.get(v).shape();
          return x.get(v)
              .unsqueeze(2)
              .expand(s.at(0), s.at(1), times, s.at(2), s.at(3))
              .reshape(s.at(0), s.at(1) * times, s.at(2), s.at(3));
        },
        v);
  }

  /** Joins heads: {@code v[n, heads, t, d] -> [n, t, heads d]}. */
  static <T> Variable<T> join(Variable<T> v) {
    return apply(
        "join",
        v.dtype(),
        x -> {
          Shape s = x.get(v).shape();
          return x.get(v).permute(0, 2, 1, 3).reshape(s.at(0), s.at(2), s.at(1) * s.at(3));
        },
        v);
  }

  /** Positions of tokens: {@code tokens[n, t] -> [t]}. */
  static Variable<I32> positions(Variable<I32> tokens) {
    return apply(
        "positions",
        Ops.I32,
        x -> Ops.coordinate(Shape.of(x.get(tokens).shape().at(1)), 0).cast(Ops.I32),
        tokens);
  }
}
