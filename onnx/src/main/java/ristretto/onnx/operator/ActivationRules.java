package ristretto.onnx.operator;

import java.util.function.BiFunction;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.onnx.call.NodeCall;

/** Activation functions. */
final class ActivationRules {
  private ActivationRules() {}

  static void addTo(Rules rules) {
    rules.computes("Relu", n -> Ops.max(n.in(0), NodeCall.number(n.in(0), 0)));
    rules.one("Sigmoid", n -> Ops.sigmoid(n.in(0)));
    rules.one("LeakyRelu", n -> negative(n, n.in(0).times(n.number("alpha", 0.01))));
    rules.one("Elu", n -> negative(n, Ops.expm1(n.in(0)).times(n.number("alpha", 1))));
    rules.one("Selu", ActivationRules::selu);
    rules.one("Celu", ActivationRules::celu);
    rules.one("Gelu", ActivationRules::gelu);
    rules.one("Softplus", n -> Ops.softplus(n.in(0)));
    rules.one("Softsign", n -> n.in(0).div(Ops.abs(n.in(0)).plus(1.0)));
    rules.one("Mish", n -> n.in(0).times(Ops.tanh(Ops.softplus(n.in(0)))));
    rules.one("Swish", n -> n.in(0).times(Ops.sigmoid(n.in(0).times(n.number("alpha", 1)))));
    rules.one(
        "HardSigmoid", n -> hardSigmoid(n.in(0), n.number("alpha", 0.2), n.number("beta", 0.5)));
    rules.one("HardSwish", n -> n.in(0).times(hardSigmoid(n.in(0), 1.0 / 6, 0.5)));
    rules.one("ThresholdedRelu", n -> Ops.where(n.in(0).gt(n.number("alpha", 1)), n.in(0), 0.0));
    rules.one("Shrink", ActivationRules::shrink);
    normalized(rules, "Softmax", Ops::softmax);
    normalized(rules, "LogSoftmax", Ops::logSoftmax);
    normalized(rules, "Hardmax", ActivationRules::hardmax);
  }

  /** The input where it is not negative, and other values elsewhere. */
  private static Expr<Object> negative(NodeCall n, Expr<Object> below) {
    return Ops.where(n.in(0).lt(0.0), below, n.in(0));
  }

  private static Expr<Object> selu(NodeCall n) {
    double alpha = n.number("alpha", 1.67326319217681884765625);
    double gamma = n.number("gamma", 1.05070102214813232421875);
    return negative(n, Ops.expm1(n.in(0)).times(alpha)).times(gamma);
  }

  private static Expr<Object> celu(NodeCall n) {
    double alpha = n.number("alpha", 1);
    return negative(n, Ops.expm1(n.in(0).div(alpha)).times(alpha));
  }

  private static Expr<Object> gelu(NodeCall n) {
    return n.text("approximate", "none").equals("tanh") ? Ops.gelu(n.in(0)) : Ops.geluErf(n.in(0));
  }

  static Expr<Object> hardSigmoid(Expr<Object> a, double alpha, double beta) {
    return Ops.clamp(a.times(alpha).plus(beta), 0, 1);
  }

  private static Expr<Object> shrink(NodeCall n) {
    double lambda = n.number("lambd", 0.5);
    double bias = n.number("bias", 0);
    Expr<Object> a = n.in(0);
    return Ops.where(
        a.lt(-lambda), a.plus(bias), Ops.where(a.gt(lambda), a.minus(bias), NodeCall.number(a, 0)));
  }

  private static void normalized(
      Rules rules, String operator, BiFunction<Expr<Object>, Integer, Expr<Object>> f) {
    rules.one(
        operator,
        n -> {
          int rank = n.rank(0);
          if (n.version() >= 13) {
            return f.apply(n.in(0), n.axis(n.integer("axis", -1), rank));
          }
          // Older operators take the axes from this one on as one.
          int axis = n.axis(n.integer("axis", 1), rank);
          long[] dims = n.shape(0).toArray();
          return f.apply(ViewRules.matrix(n.in(0), axis), 1).reshape(dims);
        });
  }

  private static Expr<Object> hardmax(Expr<Object> a, int axis) {
    Expr<Object> first = NodeCall.erase(Ops.argMax(a, axis).keepDims());
    return NodeCall.erase(Ops.coordinate(a.shape(), axis)).eq(first).cast(a.dtype());
  }
}
