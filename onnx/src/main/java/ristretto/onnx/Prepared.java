package ristretto.onnx;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.onnx.call.Origin;

/** A model's program for inputs of certain shapes. */
final class Prepared {
  private final Context ctx;
  private final Map<String, Tensor<Object>> inputs;
  private final Map<Origin.Leaf, byte[]> reads;
  private final Map<String, Tensor<Object>> outputs = new LinkedHashMap<>();
  private final Program program;

  /**
   * Records the program.
   *
   * @param inputs tensors that each run copies the inputs to
   * @param outputs outputs as expressions of these tensors
   * @param reads inputs and weights that the expressions depend on, with the bytes of their
   *     elements
   */
  Prepared(
      Context ctx,
      Map<String, Tensor<Object>> inputs,
      Map<String, Expr<Object>> outputs,
      Map<Origin.Leaf, byte[]> reads) {
    this.ctx = ctx;
    this.inputs = inputs;
    this.reads = reads;
    outputs.forEach((name, e) -> this.outputs.put(name, ctx.empty(e.dtype(), e.shape())));
    this.program =
        ctx.recordTransient(
            () -> outputs.forEach((name, e) -> ctx.assign(this.outputs.get(name), e)));
  }

  /** Returns true if the inputs and weights that the program depends on have the same elements. */
  boolean fits(Map<String, Expr<Object>> given) {
    return reads.entrySet().stream()
        .allMatch(r -> Arrays.equals(r.getValue(), bytes(r.getKey(), given)));
  }

  private byte[] bytes(Origin.Leaf leaf, Map<String, Expr<Object>> given) {
    Expr<Object> now = given.get(leaf.name());
    if (now == null) {
      now = leaf.value().expr();
    }
    return (now instanceof Tensor<Object> t ? t : ctx.eval(now)).toByteArray();
  }

  /** Runs the program. */
  Map<String, Tensor<?>> run(Map<String, Expr<Object>> given) {
    inputs.forEach((name, t) -> ctx.assign(t, given.get(name)));
    program.run();
    var results = new LinkedHashMap<String, Tensor<?>>();
    outputs.forEach((name, t) -> results.put(name, ctx.eval(t)));
    return results;
  }
}
