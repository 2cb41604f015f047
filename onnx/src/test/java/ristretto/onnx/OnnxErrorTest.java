package ristretto.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.kernels.FileException;
import ristretto.kernels.RistrettoException;
import ristretto.onnx.operator.Rules;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.onnx.OnnxException;

/** Messages of models that cannot be imported or run. */
class OnnxErrorTest {
  private static final int FLOAT = 1;
  private static final int INT64 = 7;

  @TempDir Path folder;

  private void fails(ModelBytes model, Map<String, Long> inputs, String message) {
    try (Context ctx = Context.open("cpu")) {
      assertThatThrownBy(
              () -> {
                Model m = Onnx.load(ctx, model.write(folder));
                var given = new java.util.HashMap<String, Expr<?>>();
                inputs.forEach((name, size) -> given.put(name, ctx.zeros(F32, size)));
                m.run(given);
              })
          .isInstanceOf(OnnxException.class)
          .hasMessage(message);
    }
  }

  private static ModelBytes one(String operator, byte[]... attributes) {
    return new ModelBytes(17)
        .node(operator, "x", "y", attributes)
        .input("x", FLOAT, -1)
        .output("y", FLOAT, -1);
  }

  @Test
  void listOfOperators() throws Exception {
    String page = Files.readString(Path.of("../docs/models/onnx.md"));
    var listed =
        page.lines()
            .filter(line -> line.matches("\\| [A-Z] \\|.*"))
            .flatMap(line -> Stream.of(line.substring(5).split("[^A-Za-z0-9]+")))
            .filter(name -> !name.isEmpty())
            .toList();
    assertThat(listed).containsExactlyElementsOf(Rules.names());
  }

  @Test
  void operators() {
    fails(
        one("Frobnicate"),
        Map.of("x", 3L),
        "[onnx] operators must be among those that docs/models/onnx.md lists; got an unknown one"
            + " in node 'myFrobnicate' (Frobnicate, operator set 17); export the model without it,"
            + " for example from an older version of the exporter, or file an issue.");
    fails(
        one("Relu", ModelBytes.attribute("slope", 3)),
        Map.of("x", 3L),
        "[onnx] attributes must be among those that the import knows; got attribute slope in node"
            + " 'myRelu' (Relu, operator set 17); export the model without it, or for another"
            + " operator set.");
    fails(
        one("Softmax", ModelBytes.attribute("axis", 2)),
        Map.of("x", 3L),
        "[onnx] an axis must lie within the rank; got axis 2 of rank 1 in node 'mySoftmax'"
            + " (Softmax, operator set 17); choose an axis from -1 to 0.");
    fails(
        one("Add"),
        Map.of("x", 3L),
        "[onnx] the operator needs input 1; got inputs [x] in node 'myAdd' (Add, operator set 17);"
            + " give the input.");
  }

  @Test
  void values() {
    fails(
        new ModelBytes(17).node("Add", "x z", "y").input("x", FLOAT, -1).output("y", FLOAT, -1),
        Map.of("x", 3L),
        "[onnx] nodes must follow those that compute their inputs; got 'z', which node 'myAdd'"
            + " (Add, operator set 17) reads before any node computes it; export the model again.");
    fails(
        new ModelBytes(17)
            .weight("w", new float[] {1, 2}, 2)
            .node("Add", "x w", "y")
            .input("x", FLOAT, -1)
            .output("y", FLOAT, -1),
        Map.of("x", 3L),
        "[onnx] the inputs of a node must fit its operator; got [float[3], float[2]] for node"
            + " 'myAdd' (Add, operator set 17): [add] shapes must broadcast; got a f32[3], b"
            + " f32[2]; last axis: 3 vs 2. Reshape one of them.");
    fails(
        new ModelBytes(17)
            .node("Cast", "x", "s", ModelBytes.attribute("to", INT64))
            .node("Reshape", "x s", "y")
            .input("x", FLOAT, -1)
            .output("y", FLOAT, -1),
        Map.of("x", 5000L),
        "[onnx] sizes, axes, conditions and trip counts must be constants or depend on inputs of at"
            + " most 4096 elements; got one that depends on input 'x' float[5000] in node"
            + " 'myReshape' (Reshape, operator set 17); export the model with a constant.");
  }

  @Test
  void precisionOfQuantization() {
    fails(
        new ModelBytes(17)
            .weight("scale", new float[] {0.5f})
            .node("QuantizeLinear", "x scale", "y", ModelBytes.attribute("precision", 11))
            .input("x", FLOAT, -1)
            .output("y", 2, -1),
        Map.of("x", 3L),
        "[onnx] attribute precision must be float, in which values are divided by their scale; got"
            + " double in node 'myQuantizeLinear' (QuantizeLinear, operator set 17); export the"
            + " model without it.");
  }

  @Test
  void inputs() {
    fails(
        one("Relu"),
        Map.of("z", 3L),
        "[run] the inputs must be those of the model, [x]; got [z]; give each under its name.");
    fails(
        new ModelBytes(17).node("Relu", "x", "y").input("x", FLOAT, -1, 4).output("y", FLOAT, -1),
        Map.of("x", 3L),
        "[run] input 'x' must be f32[?,4]; got f32[3]; cast or reshape it.");
    fails(
        new ModelBytes(17).node("Relu", "x", "y").input("x", 8, 4).output("y", FLOAT, -1),
        Map.of("x", 4L),
        "[onnx] tensors must be of floating-point numbers of 16, 32 or 64 bits, integers or"
            + " booleans; got STRING; convert the model to one of these types.");
  }

  @Test
  void files() throws IOException {
    fails(
        new ModelBytes(6).node("Relu", "x", "y").input("x", FLOAT, -1).output("y", FLOAT, -1),
        Map.of(),
        "[onnx] the operator set must be one of 7 to 26; got 6 in model.onnx; convert the model"
            + " with onnx.version_converter, or export it for operator set 22.");
    fails(
        one("Relu").weight("w", new float[] {1, 2}, 3),
        Map.of(),
        "[onnx] a tensor must be with data for its extents; got 8 bytes for 12 of 'w'; export the"
            + " model again.");
    fails(
        one("Relu").weight("w", new float[0], 1L << 40, 1L << 40),
        Map.of(),
        "[onnx] a tensor must be of less than 2 GiB; got extents [1099511627776, 1099511627776] of"
            + " 'w'; export the model again.");
    fails(
        one("Relu").weight("w", new float[0], -3),
        Map.of(),
        "[onnx] a tensor must be of extents that are not negative; got extents [-3] of 'w'; export"
            + " the model again.");
    Path file = Files.writeString(folder.resolve("no.onnx"), "This is no model.");
    try (Context ctx = Context.open("cpu")) {
      assertThatThrownBy(() -> Onnx.load(ctx, file))
          .isInstanceOf(FileException.class)
          .hasMessageStartingWith(
              "[onnx] the file must be an ONNX model; got "
                  + file
                  + ", which is damaged or of another format: ");
      Path missing = folder.resolve("missing.onnx");
      assertThatThrownBy(() -> Onnx.load(ctx, missing))
          .isInstanceOf(FileException.class)
          .hasMessage(
              "[onnx] the model and its external data must be readable; got %s: NoSuchFileException: %s"
                  .formatted(missing, missing));
    }
  }

  @Test
  void externalDataMustBeBesideTheModel() throws IOException {
    Path secret = Files.write(folder.resolve("secret"), new byte[8]);
    Path inside = Files.createDirectories(folder.resolve("inside"));
    try (Context ctx = Context.open("cpu")) {
      for (String place : new String[] {"../secret", secret.toString(), ".", ""}) {
        Path file = one("Relu").external("w", place, 2).write(inside);
        assertThatThrownBy(() -> Onnx.load(ctx, file))
            .hasMessage(
                "[onnx] a tensor must be with its data in the folder of the model; got location"
                    + " '%s' of 'w'; export the model again.".formatted(place));
      }
      Files.createSymbolicLink(inside.resolve("link"), secret);
      Path file = one("Relu").external("w", "link", 2).write(inside);
      assertThatThrownBy(() -> Onnx.load(ctx, file))
          .hasMessage(
              "[onnx] a tensor must be with its data in the folder of the model; got a link at"
                  + " 'link' of 'w'; export the model again.");
      Files.write(inside.resolve("data"), new byte[] {0, 0, (byte) 0x80, 0x3F, 0, 0, 0, 0x40});
      Model m = Onnx.load(ctx, one("Relu").external("w", "data", 2).write(inside));
      org.assertj.core.api.Assertions.assertThat(m.parameters().get("w").toFloatArray())
          .containsExactly(1, 2);
    }
  }

  @Test
  void variables() {
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, one("Relu").write(folder));
      var x = ristretto.symbolic.graph.Variable.input("x", F32, -1);
      assertThatThrownBy(() -> m.apply("z", F32, Map.of("x", x)))
          .hasMessage(
              "[apply] the output must be one of the model's, [y]; got 'z'; choose one of these.");
      assertThatThrownBy(() -> m.apply("y", F64, Map.of("x", x)))
          .hasMessageContaining(
              "[apply] the dtype must be that of output 'y', f32; got f64; ask for that dtype.");
    }
  }

  /** Steps of a recurrence that are unknown, which would be unrolled. */
  @Test
  void unknownSteps() {
    try (Context ctx = Context.open("cpu")) {
      var x = ristretto.symbolic.graph.Variable.input("x", F32, -1, 2, 3);
      var y = Layers.dense("d", Recurrent.of(Cell.gru(), 4).over("g", x).outputs(), 1);
      Path file = folder.resolve("gru.onnx");
      new Executor(ctx, y).exportOnnx(file, y);
      Model m = Onnx.load(ctx, file);
      assertThatThrownBy(() -> m.apply("d", F32, Map.of("x", x)))
          .hasMessageContaining(
              "[onnx] the number of iterations must be known when a model is applied to variables;"
                  + " got one that depends on an unknown dimension of an input in node 'GRU' (GRU,"
                  + " operator set 19); declare the variable with this dimension, or use run, which"
                  + " takes tensors.");
      m.apply("d", F32, Map.of("x", ristretto.symbolic.graph.Variable.input("x", F32, 5, -1, 3)));
    }
  }

  @Test
  void closedContexts() {
    Context ctx = Context.open("cpu");
    Model m = Onnx.load(ctx, one("Relu").write(folder));
    var x = ctx.zeros(F32, 3);
    m.run(Map.of("x", x));
    ctx.close();
    assertThatThrownBy(() -> m.run(Map.of("x", x)))
        .isInstanceOf(RistrettoException.class)
        .hasMessage("[assign] the context must be open; it was closed. Open another one.");
    assertThatThrownBy(() -> Onnx.load(ctx, one("Relu").write(folder)).run(Map.of("x", x)))
        .isInstanceOf(RistrettoException.class)
        .hasMessage("[empty] the context must be open; it was closed. Open another one.");
  }

  @Test
  void damagedFilesAreErrors() throws IOException {
    byte[] good =
        one("Softmax", ModelBytes.attribute("axis", -1))
            .weight("w", new float[] {1, 2}, 2)
            .constant("c", 3, 4)
            .model();
    var random = new java.util.Random(Long.getLong("ristretto.fuzz.seed", 1));
    Path file = folder.resolve("damaged.onnx");
    try (Context ctx = Context.open("cpu")) {
      for (int k = 0; k < Integer.getInteger("ristretto.fuzz", 1000); k++) {
        byte[] bad = good.clone();
        for (int b = random.nextInt(1, 4); b > 0; b--) {
          bad[random.nextInt(bad.length)] = (byte) random.nextInt();
        }
        int length = random.nextInt(4) == 0 ? random.nextInt(bad.length) : bad.length;
        Files.write(file, java.util.Arrays.copyOf(bad, length));
        try {
          Model m = Onnx.load(ctx, file);
          m.run(Map.of("x", ctx.zeros(F32, 3)));
        } catch (RistrettoException e) {
          continue;
        }
      }
    }
  }
}
