package ristretto.jmh.scripting;

import java.util.List;
import ristretto.expr.Ops;

/** All lines, in the table's order. */
final class ScriptingLines {
  static final List<ScriptingLine> ALL =
      List.of(
          ScriptingLine.of(
              "topk-2000000", "topK(x, 10)", 1, d -> Ops.topK(d.f32(1, 2_000_000), 10, 0)),
          ScriptingLine.of(
              "argmax-10000000", "argMax(x)", 1, d -> Ops.argMax(d.f32(1, 10_000_000))),
          ScriptingLine.of(
              "einsum-3",
              "einsum(\"ij,jk,kl->il\") of 300x40, 40x500, 500x200",
              1,
              d ->
                  Ops.einsum(
                      "ij,jk,kl->il", d.f64(1, 300, 40), d.f64(2, 40, 500), d.f64(3, 500, 200))),
          ScriptingLine.of(
              "integer-product-300",
              "dot of I64, 300x300",
              1.5,
              d -> Ops.dot(d.i64(1, 1000, 300, 300), d.i64(2, 1000, 300, 300))),
          ScriptingLine.of(
              "integer-product-i32",
              "dot of I32, 300x300",
              1.5,
              d -> Ops.dot(d.i32(1, 1000, 300, 300), d.i32(2, 1000, 300, 300))),
          ScriptingLine.of("sort-1000000", "sort(x)", 1.5, d -> Ops.sort(d.f64(1, 1_000_000), 0)),
          ScriptingLine.of(
              "cumsum-10000000", "cumSum(x)", 1.5, d -> Ops.cumSum(d.f64(1, 10_000_000), 0)));

  private ScriptingLines() {}
}
