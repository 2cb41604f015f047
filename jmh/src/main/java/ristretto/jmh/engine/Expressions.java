package ristretto.jmh.engine;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.abs;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.exp;
import static ristretto.expr.Ops.from;
import static ristretto.expr.Ops.layerNorm;
import static ristretto.expr.Ops.log;
import static ristretto.expr.Ops.max;
import static ristretto.expr.Ops.relu;
import static ristretto.expr.Ops.scalar;
import static ristretto.expr.Ops.sigmoid;
import static ristretto.expr.Ops.softmax;
import static ristretto.expr.Ops.sqrt;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.tanh;
import static ristretto.expr.Ops.where;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.jmh.line.Dims;

/** Expressions of the lines, written as by a user of the engine. */
final class Expressions {
  private Expressions() {}

  /** Shape of input {@code k} of a line. */
  static long[] inputShape(String line, Dims d, int k) {
    return switch (line) {
      case "softmax", "layernorm", "colsum", "rowsum", "colmax", "transpose" ->
          new long[] {d.get(0), d.get(1)};
      case "midsum", "outersum" -> new long[] {d.get(0), d.get(1), d.get(2)};
      case "biasrelu" -> k == 0 ? new long[] {d.get(0), d.get(1)} : new long[] {d.get(1)};
      case "rowslice" -> new long[] {2 * d.get(0), d.get(1)};
      case "colslice" -> new long[] {d.get(0), 2 * d.get(1)};
      case "dot", "dense" ->
          switch (k) {
            case 0 -> new long[] {d.get(0), d.get(2)};
            case 1 -> new long[] {d.get(2), d.get(1)};
            default -> new long[] {d.get(1)};
          };
      default -> new long[] {d.get(0)};
    };
  }

  static Expr<F32> of(String line, List<Tensor<F32>> in) {
    Tensor<F32> a = in.getFirst();
    Tensor<F32> b = in.size() > 1 ? in.get(1) : a;
    Tensor<F32> c = in.size() > 2 ? in.get(2) : a;
    return switch (line) {
      case "copy" -> a;
      case "axpby" -> a.times(3).plus(b.times(2));
      case "sigmoid" -> sigmoid(a);
      case "gelu" ->
          a.times(0.5)
              .times(tanh(a.plus(a.times(a).times(a).times(0.044715)).times(0.7978845608)).plus(1));
      case "mix8" -> max(sqrt(a.times(b).plus(c)).div(exp(b)), log(a).times(c));
      case "blackscholes" -> blackScholes(a, b, c);
      case "sum3" -> sum(a.plus(b).times(c));
      case "softmax" -> softmax(a, 1);
      case "layernorm" -> layerNorm(a, 1);
      case "colsum" -> sum(a, 0);
      case "rowsum", "midsum" -> sum(a, 1);
      case "colmax" -> max(a, 0);
      case "outersum" -> sum(a, 0, 2);
      case "biasrelu" -> relu(a.plus(b));
      case "transpose" -> a.t();
      case "rowslice" -> a.slice(from(0, 2));
      case "colslice" -> a.slice(all(), from(0, 2));
      case "dot" -> dot(a, b);
      case "dense" -> relu(dot(a, b).plus(c));
      default -> throw new IllegalArgumentException(line);
    };
  }

  private static Expr<F32> blackScholes(Expr<F32> spot, Expr<F32> strike, Expr<F32> time) {
    Expr<F32> deviation = sqrt(time).times(0.3);
    Expr<F32> d1 = log(spot.div(strike)).plus(time.times(0.065)).div(deviation);
    Expr<F32> discounted = strike.times(exp(time.times(-0.02)));
    return spot.times(normal(d1)).minus(discounted.times(normal(d1.minus(deviation))));
  }

  private static Expr<F32> normal(Expr<F32> d) {
    Expr<F32> k = scalar(F32, 1).div(abs(d).times(0.2316419).plus(1));
    Expr<F32> p = k.times(1.330274429).plus(-1.821255978);
    for (double coefficient : new double[] {1.781477937, -0.356563782, 0.319381530}) {
      p = p.times(k).plus(coefficient);
    }
    Expr<F32> upper = exp(d.times(d).times(-0.5)).times(0.39894228).times(p.times(k));
    return where(d.lt(0), upper, scalar(F32, 1).minus(upper));
  }
}
