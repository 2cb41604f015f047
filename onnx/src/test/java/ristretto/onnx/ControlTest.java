package ristretto.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.symbolic.onnx.OnnxException;

/** If, Loop and Scan. */
class ControlTest {
  private static final int FLOAT = 1;
  private static final int INT64 = 7;
  private static final int BOOL = 9;

  @TempDir Path folder;

  private static ModelBytes body() {
    return new ModelBytes(17);
  }

  /** Adds each row to the sum, and yields the sums. */
  private static byte[] sums(int scans) {
    ModelBytes body = body().node("Add", "s a", "t").node("Identity", "t", "row");
    body.input("s", FLOAT, 2).input("a", FLOAT, 2);
    if (scans == 2) {
      body.input("b", FLOAT, 2);
    }
    return ModelBytes.attribute("body", body.output("t", FLOAT, 2).output("row", FLOAT, 2).graph());
  }

  private Path scan(byte[]... attributes) {
    return new ModelBytes(17)
        .node("Scan", "s x", "t y", attributes)
        .input("s", FLOAT, 2)
        .input("x", FLOAT, -1, -1)
        .output("t", FLOAT, 2)
        .output("y", FLOAT, -1, -1)
        .write(folder);
  }

  private Path scanOfTwo(byte[]... attributes) {
    return new ModelBytes(17)
        .node("Scan", "s x z", "t y", attributes)
        .input("s", FLOAT, 2)
        .input("x", FLOAT, -1, 2)
        .input("z", FLOAT, -1, 2)
        .output("t", FLOAT, 2)
        .output("y", FLOAT, -1, 2)
        .write(folder);
  }

  private static byte[] scans(long count) {
    return ModelBytes.attribute("num_scan_inputs", count);
  }

  @Test
  void scansInBothDirectionsAndAlongAxes() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<?> s = ctx.tensor(new float[] {10, 20});
      Tensor<?> x = ctx.tensor(new float[] {1, 2, 3, 4, 5, 6}, 3, 2);
      Map<String, Tensor<?>> y =
          Onnx.load(ctx, scan(scans(1), sums(1))).run(Map.of("s", s, "x", x));
      assertThat(y.get("t").toFloatArray()).containsExactly(19, 32);
      assertThat(y.get("y").toFloatArray()).containsExactly(11, 22, 14, 26, 19, 32);
      y =
          Onnx.load(
                  ctx,
                  scan(
                      scans(1),
                      sums(1),
                      ModelBytes.integers("scan_input_directions", 1),
                      ModelBytes.integers("scan_output_directions", 1)))
              .run(Map.of("s", s, "x", x));
      assertThat(y.get("y").toFloatArray()).containsExactly(19, 32, 18, 30, 15, 26);
      Tensor<?> wide = ctx.tensor(new float[] {1, 3, 5, 2, 4, 6}, 2, 3);
      y =
          Onnx.load(
                  ctx,
                  scan(
                      scans(1),
                      sums(1),
                      ModelBytes.integers("scan_input_axes", -1),
                      ModelBytes.integers("scan_output_axes", 1)))
              .run(Map.of("s", s, "x", wide));
      assertThat(y.get("y").shape().toArray()).containsExactly(2, 3);
      assertThat(y.get("y").toFloatArray()).containsExactly(11, 14, 19, 22, 26, 32);
    }
  }

  @Test
  void scansOfNothingKeepTheState() {
    try (Context ctx = Context.open("cpu")) {
      Map<String, Tensor<?>> y =
          Onnx.load(ctx, scan(scans(1), sums(1)))
              .run(Map.of("s", ctx.tensor(new float[] {1, 2}), "x", ctx.zeros(F32, 0, 2)));
      assertThat(y.get("t").toFloatArray()).containsExactly(1, 2);
      assertThat(y.get("y").shape().toArray()).containsExactly(0, 2);
    }
  }

  /** Body whose rows have as many elements as the first number of the sequence says. */
  private static byte[] sizedBySequence() {
    return ModelBytes.attribute(
        "body",
        body()
            .node("Cast", "a", "n", ModelBytes.attribute("to", INT64))
            .node("Expand", "s n", "row")
            .node("Identity", "s", "t")
            .input("s", FLOAT, 1)
            .input("a", FLOAT, 1)
            .output("t", FLOAT, 1)
            .output("row", FLOAT, -1)
            .graph());
  }

  @Test
  void shapesOfNoIterationsMustNotDependOnElements() {
    Path file =
        new ModelBytes(17)
            .node("Scan", "s x", "t y", scans(1), sizedBySequence())
            .input("s", FLOAT, 1)
            .input("x", FLOAT, -1, 1)
            .output("t", FLOAT, 1)
            .output("y", FLOAT, -1, -1)
            .write(folder);
    try (Context ctx = Context.open("cpu")) {
      Tensor<?> s = ctx.tensor(new float[] {7});
      Model m = Onnx.load(ctx, file);
      assertThat(m.run(Map.of("s", s, "x", ctx.tensor(new float[] {3, 3}, 2, 1))).get("y").shape())
          .isEqualTo(ristretto.expr.type.Shape.of(2, 3));
      assertThatThrownBy(() -> m.run(Map.of("s", s, "x", ctx.zeros(F32, 0, 1))))
          .isInstanceOf(OnnxException.class)
          .hasMessage(
              "[onnx] sizes, axes, conditions and trip counts must be constants or depend on inputs"
                  + " of at most 4096 elements; got one that depends on element of no sequence 'a'"
                  + " float[1] in node 'myExpand' (Expand, operator set 17); export the model with"
                  + " a constant.");
    }
  }

  private void failsAsScan(Path file, Map<String, long[]> shapes, String message) {
    try (Context ctx = Context.open("cpu")) {
      var inputs = new java.util.HashMap<String, Tensor<?>>();
      shapes.forEach((name, dims) -> inputs.put(name, ctx.zeros(F32, dims)));
      assertThatThrownBy(() -> Onnx.load(ctx, file).run(inputs))
          .isInstanceOf(OnnxException.class)
          .hasMessage(message);
    }
  }

  @Test
  void scanInputsHaveOneLength() {
    failsAsScan(
        scanOfTwo(scans(2), sums(2)),
        Map.of("s", new long[] {2}, "x", new long[] {3, 2}, "z", new long[] {4, 2}),
        "[onnx] scan inputs must have the same length; got 3 along axis 0 of input 1 float[3,2] and"
            + " 4 along axis 0 of input 2 float[4,2] in node 'myScan' (Scan, operator set 17); give"
            + " sequences of one length.");
  }

  @Test
  void scansHaveInputs() {
    Map<String, long[]> inputs = Map.of("s", new long[] {2}, "x", new long[] {3, 2});
    for (long count : new long[] {0, 3}) {
      failsAsScan(
          scan(scans(count), sums(1)),
          inputs,
          "[onnx] num_scan_inputs must be at least 1 and at most the number of inputs; got "
              + count
              + " of 2 inputs in node 'myScan' (Scan, operator set 17); export the model again.");
    }
    failsAsScan(
        scan(sums(1)),
        inputs,
        "[onnx] num_scan_inputs must be at least 1 and at most the number of inputs; got 0 of 2"
            + " inputs in node 'myScan' (Scan, operator set 17); export the model again.");
  }

  @Test
  void statesOfScansKeepTheirShape() {
    byte[] body =
        ModelBytes.attribute(
            "body",
            body()
                .node("Concat", "s a", "t", ModelBytes.attribute("axis", 0))
                .input("s", FLOAT, -1)
                .input("a", FLOAT, 2)
                .output("t", FLOAT, -1)
                .graph());
    failsAsScan(
        scan(scans(1), body),
        Map.of("s", new long[] {2}, "x", new long[] {3, 2}),
        "[onnx] a carried value must keep its type and shape; got float[2] as value 0 before an"
            + " iteration, float[4] after it in node 'myScan' (Scan, operator set 17); export the"
            + " model again.");
    byte[] empty =
        ModelBytes.attribute("body", body().input("s", FLOAT, 2).input("a", FLOAT, 2).graph());
    failsAsScan(
        scan(scans(1), empty),
        Map.of("s", new long[] {2}, "x", new long[] {3, 2}),
        "[onnx] a body must have an output for each carried value; got 0 outputs of at least 1 in"
            + " node 'myScan' (Scan, operator set 17); export the model again.");
  }

  private Path loop(byte[] body, long trips) {
    return new ModelBytes(17)
        .constant("trips", trips)
        .node("Loop", "trips  x", "z y", ModelBytes.attribute("body", body))
        .input("x", FLOAT, -1)
        .output("z", FLOAT, -1)
        .output("y", FLOAT, -1, -1)
        .write(folder);
  }

  /** Doubles the value until its first element exceeds 10. */
  private static byte[] doubling(String operator, byte... attribute) {
    var body = body().node("Add", "s s", "sum");
    body =
        operator.isEmpty()
            ? body.node("Identity", "sum", "t")
            : body.node(operator, "sum", "t", attribute);
    return body.weight("ten", new float[] {10}, 1)
        .constant("zero", 0)
        .node("Gather", "sum zero", "head")
        .node("Less", "head ten", "goes")
        .node("Identity", "sum", "row")
        .input("k", INT64)
        .input("go", BOOL)
        .input("s", FLOAT, -1)
        .output("goes", BOOL)
        .output("t", FLOAT, -1)
        .output("row", FLOAT, -1)
        .graph();
  }

  @Test
  void loopsEndByTheirConditionOrCount() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<?> x = ctx.tensor(new float[] {2, -1});
      Map<String, Tensor<?>> y = Onnx.load(ctx, loop(doubling(""), 100)).run(Map.of("x", x));
      assertThat(y.get("z").toFloatArray()).containsExactly(16, -8);
      assertThat(y.get("y").toFloatArray()).containsExactly(4, -2, 8, -4, 16, -8);
      y = Onnx.load(ctx, loop(doubling(""), 2)).run(Map.of("x", x));
      assertThat(y.get("z").toFloatArray()).containsExactly(8, -4);
      y = Onnx.load(ctx, loop(doubling(""), 0)).run(Map.of("x", x));
      assertThat(y.get("z").toFloatArray()).containsExactly(2, -1);
      assertThat(y.get("y").shape().toArray()).containsExactly(0, 2);
    }
  }

  @Test
  void loopsHaveACountAndACondition() {
    Path file =
        new ModelBytes(17)
            .constant("trips", 3)
            .node("Loop", "trips", "y", ModelBytes.attribute("body", doubling("")))
            .output("y", FLOAT, -1)
            .write(folder);
    failsAsScan(
        file,
        Map.of(),
        "[onnx] a loop must have a trip count and a condition, which may be omitted by empty names;"
            + " got 1 inputs in node 'myLoop' (Loop, operator set 17); export the model again.");
  }

  @Test
  void valuesOfLoopsKeepTheirType() {
    failsAsScan(
        loop(doubling("Cast", ModelBytes.attribute("to", INT64)), 3),
        Map.of("x", new long[] {2}),
        "[onnx] a carried value must keep its type; got float[2] as value 0 before an iteration,"
            + " int64[2] after it in node 'myLoop' (Loop, operator set 17); export the model"
            + " again.");
  }

  @Test
  void conditionsChooseABranch() {
    byte[] then = body().node("Neg", "x", "a").output("a", FLOAT, -1).graph();
    byte[] otherwise = body().node("Abs", "x", "b").output("b", FLOAT, -1).graph();
    Path file =
        new ModelBytes(17)
            .node(
                "If",
                "c",
                "y",
                ModelBytes.attribute("then_branch", then),
                ModelBytes.attribute("else_branch", otherwise))
            .input("c", BOOL)
            .input("x", FLOAT, -1)
            .output("y", FLOAT, -1)
            .write(folder);
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, file);
      Tensor<?> x = ctx.tensor(new float[] {2, -1});
      for (boolean c : new boolean[] {true, false, true}) {
        Tensor<?> condition = ctx.tensor(new boolean[] {c}).reshape();
        assertThat(m.run(Map.of("c", condition, "x", x)).get("y").toFloatArray())
            .containsExactly(c ? new float[] {-2, 1} : new float[] {2, 1});
      }
    }
  }
}
