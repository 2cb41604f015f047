package ristretto.onnx.operator;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Value;

/** Matrix products. */
final class ProductRules {
  private ProductRules() {}

  static void addTo(Rules rules) {
    rules.computes("MatMul", n -> Ops.matmul(n.in(0), n.in(1)));
    rules.computes("Gemm", ProductRules::gemm);
    rules.computes("Einsum", ProductRules::einsum);
    rules.one("MatMulInteger", ProductRules::matMulInteger);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Expr<Object> einsum(NodeCall n) {
    Expr<Object>[] operands = n.values().stream().map(Value::expr).toArray(Expr[]::new);
    return Ops.einsum(n.text("equation", "").replace(" ", ""), operands);
  }

  private static Expr<Object> gemm(NodeCall n) {
    Expr<Object> a = n.flag("transA", false) ? n.in(0).t() : n.in(0);
    Expr<Object> b = n.flag("transB", false) ? n.in(1).t() : n.in(1);
    Expr<Object> y = scaled(Ops.matmul(a, b), n.number("alpha", 1));
    double beta = n.number("beta", 1);
    return n.has(2) ? y.plus(scaled(n.in(2), beta)) : y;
  }

  private static Expr<Object> scaled(Expr<Object> e, double by) {
    return by == 1 ? e : e.times(by);
  }

  /** Product of integers without their zero points, which belong to rows of a and columns of b. */
  private static Expr<?> matMulInteger(NodeCall n) {
    Expr<Object> a = NodeCall.erase(n.in(0).cast(Ops.I32));
    Expr<Object> b = NodeCall.erase(n.in(1).cast(Ops.I32));
    if (n.has(2)) {
      Expr<Object> zero = NodeCall.erase(n.in(2).cast(Ops.I32));
      a = a.minus(zero.shape().rank() == 1 && zero.shape().size() > 1 ? zero.unsqueeze(1) : zero);
    }
    if (n.has(3)) {
      b = b.minus(NodeCall.erase(n.in(3).cast(Ops.I32)));
    }
    return Ops.matmul(a, b);
  }
}
