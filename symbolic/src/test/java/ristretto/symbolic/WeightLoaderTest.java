package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F16;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.symbolic.Layers.batchNorm;
import static ristretto.symbolic.Layers.conv;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.embedding;
import static ristretto.symbolic.Layers.flatten;
import static ristretto.symbolic.Layers.maxPool;
import static ristretto.symbolic.Layers.relu;
import static ristretto.symbolic.Layers.sum;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Window;

class WeightLoaderTest {
  private static final Context CTX = Context.open();

  @TempDir Path folder;

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static Path resource(String name) throws Exception {
    return Path.of(WeightLoaderTest.class.getResource(name).toURI());
  }

  /** Model of make_weights.py. */
  private static final class Cnn {
    final Variable<F32> x = Variable.input("x", F32, -1, 1, 8, 8);
    final Variable<F32> y;
    final Executor executor;

    Cnn(int classes) {
      Variable<F32> images = conv("conv", x, 4, Window.of(3, 3).padding(1, 1));
      Variable<F32> pooled = maxPool(relu(batchNorm("norm", images)), Window.of(2, 2).stride(2, 2));
      Variable<F32> h = relu(dense("fc1", flatten(pooled), 16));
      y = dense("head", relu(dense("fc2", h, 16)), classes);
      executor = new Executor(CTX, y);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cnn.pt", "cnn.safetensors"})
  void aModelOfPyTorchGivesItsOutputs(String file) throws Exception {
    var cnn = new Cnn(3);
    Map<String, Tensor<?>> all = CTX.loadAll(resource(file));
    LoadReport report = cnn.executor.load(resource(file), Rules.rename("model\\.(.*)", "$1"));
    cnn.executor.set(cnn.x, all.get("x").as(F32));
    cnn.executor.forward();
    float[] expected = all.get("y").as(F32).toFloatArray();
    float[] found = cnn.executor.tensor(cnn.y).toFloatArray();
    assertThat(found).hasSameSizeAs(expected);
    for (int k = 0; k < found.length; k++) {
      assertThat(found[k]).isCloseTo(expected[k], Offset.offset(1e-5f));
    }
    assertThat(report.loaded()).hasSize(12).contains("norm.mean", "norm.variance", "fc2.weight");
    assertThat(report.transposed()).containsOnlyKeys("fc1.weight", "fc2.weight", "head.weight");
    assertThat(report.renamed()).containsEntry("norm.mean", "model.norm.running_mean");
    assertThat(report.extra())
        .containsExactlyInAnyOrder("model.norm.num_batches_tracked", "x", "y");
    assertThat(report.missing()).isEmpty();
    assertThat(report.otherShape()).isEmpty();
    assertThat(report.toString())
        .startsWith("loaded 12 variables\nrenamed (12): ")
        .contains("\ntransposed (3): ")
        .contains("\nextra (3): ");
  }

  @Test
  void anOptionalHeadOfAnotherSizeKeepsItsValues() throws Exception {
    var cnn = new Cnn(10);
    String before = text(cnn.executor, "head.weight");
    Path file = resource("cnn.pt");
    Rules rules = Rules.rename("model\\.(.*)", "$1");
    String all = text(cnn.executor, "fc1.weight");
    assertThatThrownBy(() -> cnn.executor.load(file, rules))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[load] the file must have a tensor for each parameter and state; got "
                + file
                + " with head.weight f32[16,10] is f32[3,16] in the file, head.bias f32[10] is"
                + " f32[3] in the file; other tensors of the file:"
                + " model.norm.num_batches_tracked, x, y; rename them by Rules.rename, or let"
                + " variables keep their values by optional.");
    assertThat(text(cnn.executor, "fc1.weight")).isEqualTo(all);
    LoadReport report = cnn.executor.load(file, rules.optional("head.*"));
    assertThat(report.otherShape())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("head.weight", "f32[3,16] for f32[16,10]", "head.bias", "f32[3] for f32[10]"));
    assertThat(report.loaded()).hasSize(10);
    assertThat(text(cnn.executor, "head.weight")).isEqualTo(before);
    assertThat(text(cnn.executor, "fc1.weight")).isNotEqualTo(all);
  }

  private static String text(Executor executor, String name) {
    return parameter(executor, name).toString();
  }

  @SuppressWarnings("unchecked")
  private static Tensor<F32> parameter(Executor executor, String name) {
    Variable<?> v =
        executor.parameters().stream().filter(p -> p.name().equals(name)).findFirst().orElseThrow();
    return executor.tensor((Variable<F32>) v);
  }

  private final Variable<F32> input = Variable.input("x", F32, -1, 2);

  /** One square layer, and one that is not. */
  private Executor twoLayers() {
    return new Executor(CTX, dense("b", dense("a", input, 2), 3));
  }

  private Path write(Map<String, Tensor<?>> tensors, Map<String, String> metadata) {
    Path file = folder.resolve("w.safetensors");
    CTX.saveAll(file, tensors, metadata);
    return file;
  }

  private static Map<String, Tensor<?>> tensors(boolean turned) {
    var all = new LinkedHashMap<String, Tensor<?>>();
    all.put("a.weight", CTX.tensor(new float[] {1, 2, 3, 4}, 2, 2));
    all.put("a.bias", CTX.tensor(new float[] {5, 6}));
    all.put("b.weight", turned ? CTX.ones(F32, 3, 2) : CTX.ones(F32, 2, 3));
    all.put("b.bias", CTX.zeros(F32, 3));
    return all;
  }

  @Test
  void squareMatricesFollowTheOthers() {
    Executor model = twoLayers();
    LoadReport report = model.load(write(tensors(false), Map.of()));
    assertThat(report.transposed()).isEmpty();
    assertThat(parameter(model, "a.weight").toFloatArray()).containsExactly(1, 2, 3, 4);
    report = model.load(write(tensors(true), Map.of()));
    assertThat(report.transposed())
        .containsEntry("a.weight", "square, as the other dense layers")
        .containsEntry("b.weight", "by shape, [3,2] to [2,3]");
    assertThat(parameter(model, "a.weight").toFloatArray()).containsExactly(1, 3, 2, 4);
  }

  @Test
  void squareMatricesThatNothingDecidesNeedARule() {
    Executor model = new Executor(CTX, dense("a", input, 2));
    var only = new LinkedHashMap<>(tensors(true));
    only.keySet().removeIf(name -> name.startsWith("b"));
    Path file = write(only, Map.of());
    String message =
        "[load] the layout of a square matrix must be known; got a.weight f32[2,2] in "
            + file
            + "; say transpose(\"a.weight\") if the file has it as [out, in], as PyTorch's Linear,"
            + " or asStored(\"a.weight\") if as [in, out].";
    assertThatThrownBy(() -> model.load(file))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(message);
    model.load(file, Rules.exact().asStored("a.*"));
    assertThat(parameter(model, "a.weight").toFloatArray()).containsExactly(1, 2, 3, 4);
    LoadReport report = model.load(file, Rules.exact().transpose("a.weight"));
    assertThat(report.transposed()).isEqualTo(Map.of("a.weight", "by rule"));
    assertThat(parameter(model, "a.weight").toFloatArray()).containsExactly(1, 3, 2, 4);
    // Files of PyTorch have [out, in].
    report = model.load(write(only, Map.of("format", "pt")));
    assertThat(report.transposed()).isEqualTo(Map.of("a.weight", "square, by PyTorch's layout"));
    // A file of PyTorch with a weight as [in, out] contradicts that.
    Path mixed = write(tensors(false), Map.of("format", "pt"));
    assertThatThrownBy(() -> twoLayers().load(mixed))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(message);
  }

  @Test
  void squareTablesNeedARule() {
    Variable<I32> words = Variable.input("words", I32, -1);
    Executor model = new Executor(CTX, embedding("a", words, 2, 2));
    Path file = write(Map.of("a.weight", CTX.ones(F32, 2, 2)), Map.of("format", "pt"));
    assertThatThrownBy(() -> model.load(file))
        .isInstanceOf(FileFormatException.class)
        .hasMessageStartingWith("[load] the layout of a square matrix must be known; got a.weight");
    assertThat(model.load(file, Rules.exact().asStored("*")).loaded()).containsExactly("a.weight");
  }

  @Test
  void checkpointsAreLoadedAsTheyAre() {
    Executor saved = twoLayers();
    Path file = folder.resolve("checkpoint.safetensors");
    saved.save(file);
    Executor model = new Executor(CTX, 7, dense("b", dense("a", input, 2), 3));
    LoadReport report = model.load(file);
    assertThat(report.transposed()).isEmpty();
    assertThat(text(model, "a.weight")).isEqualTo(text(saved, "a.weight"));
    assertThat(report.extra()).containsExactly("executor/step");
  }

  @Test
  void narrowFloatsAreCastAndIntegersAreNot() {
    Executor model = new Executor(CTX, sum(dense("a", input, 3)));
    var file =
        write(
            Map.of("a.weight", CTX.eval(CTX.ones(F32, 2, 3).cast(F16)), "a.bias", CTX.ones(F32, 3)),
            Map.of());
    assertThat(model.load(file).cast()).isEqualTo(Map.of("a.weight", "f16 to f32"));
    assertThat(parameter(model, "a.weight").toFloatArray()).containsOnly(1);
    Path whole =
        write(Map.of("a.weight", CTX.ones(I32, 2, 3), "a.bias", CTX.ones(F32, 3)), Map.of());
    assertThatThrownBy(() -> model.load(whole))
        .isInstanceOf(FileFormatException.class)
        .hasMessageContaining("a.weight f32[2,3] is i32[2,3] in the file");
  }

  @Test
  void missingVariablesAreNamed() {
    Executor model = twoLayers();
    var some = new LinkedHashMap<>(tensors(false));
    some.remove("b.bias");
    Path file = write(some, Map.of());
    assertThatThrownBy(() -> model.load(file))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[load] the file must have a tensor for each parameter and state; got "
                + file
                + " with b.bias f32[3] missing; other tensors of the file: none; rename them by"
                + " Rules.rename, or let variables keep their values by optional.");
    assertThat(model.load(file, Rules.exact().optional("b.bias")).missing())
        .isEqualTo(List.of("b.bias"));
  }

  @Test
  void rulesThatCannotBeMeant() {
    Executor model = twoLayers();
    Path file = write(tensors(false), Map.of());
    assertThatThrownBy(() -> model.load(file, Rules.exact().optional("head.*")))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[load] each pattern must match a parameter or state of the model; got \"head.*\"; the"
                + " model has a.weight, a.bias, b.weight, b.bias.");
    assertThatThrownBy(() -> Rules.rename("(", ""))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[rename] the pattern must be a regular expression; got \"(\" (Unclosed group); correct"
                + " it.");
    assertThatThrownBy(() -> model.load(file, Rules.rename("a.*", "$1")))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[rename] the replacement must refer to groups of \"a.*\"; got \"$1\" (No group 1);"
                + " correct it.");
    assertThatThrownBy(() -> model.load(file, Rules.rename("b\\.bias", "a.bias")))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[load] each variable must have one tensor in the file; got a.bias and b.bias for"
                + " a.bias in "
                + file
                + "; correct the renaming.");
    assertThat(
            model.load(file, Rules.rename("(.*)", "m.$1").thenRename("m\\.(.*)", "$1")).renamed())
        .isEmpty();
  }
}
