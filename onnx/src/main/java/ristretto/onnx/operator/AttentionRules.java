package ristretto.onnx.operator;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Value;
import ristretto.onnx.file.ElementType;

/** Attention (Vaswani et al., 2017) and rotary positions (Su et al., 2021). */
final class AttentionRules {
  private AttentionRules() {}

  static void addTo(Rules rules) {
    rules.add("Attention", AttentionRules::attention);
    rules.one("RotaryEmbedding", AttentionRules::rotary);
  }

  /** Heads of {@code x[b, t, heads d]} or {@code x[b, heads, t, d]}: {@code [b, heads, t, d]}. */
  private static Expr<Object> heads(Expr<Object> x, long heads) {
    if (x.shape().rank() == 4) {
      return x;
    }
    return x.reshape(x.shape().at(0), x.shape().at(1), heads, x.shape().at(2) / heads)
        .permute(0, 2, 1, 3);
  }

  private static List<Value> attention(NodeCall n) {
    boolean flat = n.rank(0) == 3;
    Expr<Object> q = heads(n.in(0), n.integer("q_num_heads", 1));
    long groups = n.integer("kv_num_heads", 1);
    Expr<Object> k = heads(n.in(1), groups);
    Expr<Object> v = heads(n.in(2), groups);
    long past = n.has(4) ? n.shape(4).at(2) : 0;
    if (n.has(4)) {
      k = ViewRules.concat(2, List.of(n.in(4), k));
      v = ViewRules.concat(2, List.of(n.in(5), v));
    }
    Expr<Object> presentKey = k;
    Expr<Object> presentValue = v;
    long repeats = q.shape().at(1) / k.shape().at(1);
    if (repeats > 1) {
      k = Ops.repeat(k, repeats, 1);
      v = Ops.repeat(v, repeats, 1);
    }
    DType<Object> dtype = q.dtype();
    long size = q.shape().at(3);
    double scale = n.number("scale", 1 / Math.sqrt(size));
    long mode = n.integer("qk_matmul_output_mode", 0);
    Expr<Object> raw = Ops.matmul(q, k.permute(0, 1, 3, 2)).times(scale);
    Expr<Object> biased = masked(n, raw, past);
    double cap = n.number("softcap", 0);
    Expr<Object> capped = cap > 0 ? Ops.tanh(biased.div(cap)).times(cap) : biased;
    long precision = n.integer("softmax_precision", 0);
    DType<Object> in = precision == 0 ? dtype : ElementType.of(precision).dtype();
    Expr<Object> weights = Ops.softmax(capped.cast(in), 3);
    Expr<Object> scores =
        switch ((int) mode) {
          case 1 -> biased;
          case 2 -> capped;
          case 3 -> weights;
          default -> raw;
        };
    Expr<Object> y = Ops.matmul(weights, v.cast(weights.dtype())).cast(dtype);
    if (flat) {
      y = y.permute(0, 2, 1, 3).reshape(n.shape(0).at(0), n.shape(0).at(1), -1);
    }
    return List.of(
        Value.of(y), Value.of(presentKey), Value.of(presentValue), Value.of(scores.cast(dtype)));
  }

  private static Expr<Object> masked(NodeCall n, Expr<Object> scores, long past) {
    Shape shape = scores.shape();
    Expr<Object> masked = scores;
    Expr<Object> never = NodeCall.number(scores, Double.NEGATIVE_INFINITY);
    if (n.has(3)) {
      Expr<Object> mask = n.in(3);
      boolean bool = mask.dtype() == (Object) Ops.BOOL;
      int last = mask.shape().rank() - 1;
      long missing = shape.at(3) - mask.shape().at(last);
      if (missing > 0) {
        Expr<Object> fill = NodeCall.number(mask, bool ? 0 : Double.NEGATIVE_INFINITY);
        mask = ViewRules.padded(mask, fill, last, 0, missing);
      }
      masked =
          bool
              ? Ops.where(ElementwiseRules.bool(mask), masked, never)
              : masked.plus(mask.cast(masked.dtype()));
    }
    Expr<Object> column = NodeCall.erase(Ops.coordinate(shape, 3));
    if (n.flag("is_causal", false)) {
      Expr<Object> row = NodeCall.erase(Ops.coordinate(shape, 2));
      masked = Ops.where(column.minus(row).gt(past), never, masked);
    }
    if (n.has(6)) {
      Expr<Object> length = NodeCall.erase(n.in(6).cast(Ops.I64)).reshape(-1, 1, 1, 1);
      masked = Ops.where(column.lt(length), masked, never);
    }
    return masked;
  }

  private static Expr<Object> rotary(NodeCall n) {
    boolean flat = n.rank(0) == 3;
    boolean interleaved = n.flag("interleaved", false);
    Expr<Object> x = heads(n.in(0), n.integer("num_heads", 1));
    Shape shape = x.shape();
    long size = shape.at(3);
    long asked = n.integer("rotary_embedding_dim", 0);
    long rotated = asked == 0 ? size : asked;
    Expr<Object> cos = n.in(1);
    Expr<Object> sin = n.in(2);
    if (n.has(3)) {
      Expr<Object> at = NodeCall.erase(n.in(3).cast(Ops.I64));
      cos = Ops.take(cos, at, 0);
      sin = Ops.take(sin, at, 0);
    }
    cos = cos.unsqueeze(1);
    sin = sin.unsqueeze(1);
    Expr<Object> part = ViewRules.part(x, 3, 0, rotated);
    long half = rotated / 2;
    Expr<Object> pairs =
        interleaved
            ? part.reshape(shape.at(0), shape.at(1), shape.at(2), half, 2)
            : part.reshape(shape.at(0), shape.at(1), shape.at(2), 2, half).permute(0, 1, 2, 4, 3);
    long[] dims = {shape.at(0), shape.at(1), shape.at(2), half};
    Expr<Object> a = ViewRules.part(pairs, 4, 0, 1).reshape(dims);
    Expr<Object> b = ViewRules.part(pairs, 4, 1, 2).reshape(dims);
    Expr<Object> real = cos.times(a).minus(sin.times(b));
    Expr<Object> imaginary = sin.times(a).plus(cos.times(b));
    Expr<Object> turned =
        interleaved
            ? Ops.stack(4, List.of(real, imaginary))
                .reshape(shape.at(0), shape.at(1), shape.at(2), rotated)
            : Ops.concat(3, List.of(real, imaginary));
    Expr<Object> y = ViewRules.concat(3, List.of(turned, ViewRules.part(x, 3, rotated, size)));
    return flat ? y.permute(0, 2, 1, 3).reshape(n.shape(0).toArray()) : y;
  }
}
