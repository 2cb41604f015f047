package ristretto.symbolic.model;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.BOOL;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.symbolic.Layers.mean;
import static ristretto.symbolic.Layers.square;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.symbolic.Executor;
import ristretto.symbolic.LoadReport;
import ristretto.symbolic.Rules;
import ristretto.symbolic.graph.Variable;

/**
 * Outputs and gradients of five models against PyTorch's with the same weights. The files are
 * written by {@code peers.py}; files of full-size models, which the system property {@code
 * ristretto.models} locates, are compared as well. A file has the tensors {@code x} and {@code y}
 * (of BERT also {@code types}, {@code mask} and {@code pooled}) and {@code weights.*}; if it has
 * {@code loss}, then also {@code grad.*} for parameters and {@code after.*} for states.
 */
class PyTorchModelsTest {
  private static final Context CTX = Context.open();
  private static final Rules RULES = Rules.rename("weights\\.(.*)", "$1");
  private static final int FULL_EXTENT = 224;

  /**
   * Tolerance of gradients of ResNet-18 with full-size images: an input of a relu that is 0 up to
   * rounding errors has slope 0 or 1. PyTorch's own gradients of ResNet-18 in F32 differ from those
   * in F64 by 1e-2 of the largest in most layers, by 4 such slopes among 4.6 million; with equal
   * slopes they differ by 2e-5.
   */
  private static final double FLIPS = 5e-2;

  private static final String FULL = System.getProperty("ristretto.models", "");

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** Returns true for ResNet-18 with full-size images. */
  private static boolean isFullResNet(Map<String, Tensor<?>> all) {
    return all.containsKey("weights.layer4.1.conv2.weight")
        && all.get("x").shape().dim(-1) == FULL_EXTENT;
  }

  private static Path narrow(String name) throws Exception {
    return Path.of(PyTorchModelsTest.class.getResource("../models/" + name).toURI());
  }

  @Test
  void resNet18() throws Exception {
    images("resnet18.pt", 40, x -> new ResNet18(2, 5).of(x), x -> new ResNet18(64, 1000).of(x));
  }

  @Test
  void mobileNetV3() throws Exception {
    var rows =
        List.of(
            new MobileNetV3.Row(3, 8, 8, true, false, 2),
            new MobileNetV3.Row(3, 16, 12, false, false, 2),
            new MobileNetV3.Row(5, 24, 12, true, true, 1));
    images(
        "mobilenetv3.pt",
        33,
        x -> new MobileNetV3(rows, 8, 16, 12, 5).of(x),
        x -> new MobileNetV3(MobileNetV3.SMALL, 16, 576, 1024, 1000).of(x));
  }

  @Test
  void bert() throws Exception {
    bert(narrow("bert.safetensors"), new Bert(31, 16, 4, 2, 12, 24));
    if (has("bert.safetensors")) {
      bert(full("bert.safetensors"), new Bert(30_522, 768, 12, 12, 512, 3072));
    }
  }

  private static void bert(Path file, Bert model) {
    Variable<I32> x = Variable.input("x", I32, -1, -1);
    Variable<I32> types = Variable.input("types", I32, -1, -1);
    Variable<BOOL> mask = Variable.input("mask", BOOL, -1, -1);
    Variable<F32> y = model.of(x, types, mask);
    Variable<F32> pooled = model.pooled(y);
    Variable<F32> loss = mean(square(pooled));
    var executor = new Executor(CTX, y, pooled, loss);
    Map<String, Tensor<?>> all = CTX.loadAll(file);
    executor.set(types, all.get("types").as(I32));
    executor.set(mask, all.get("mask").as(BOOL));
    executor.set(x, all.get("x").as(I32));
    compare(file, executor, RULES, all, y, loss);
    executor.forward();
    assertClose(file + " pooled", executor.tensor(pooled), all.get("pooled"), 1e-5);
  }

  @Test
  void gpt2() throws Exception {
    tokens(
        "gpt2.pt",
        RULES.asStored("*"),
        new Gpt2(31, 16, 4, 2, 12)::of,
        new Gpt2(50_257, 768, 12, 12, 1024)::of);
  }

  @Test
  void llama() throws Exception {
    tokens(
        "llama.safetensors",
        RULES,
        new Llama(31, 16, 4, 2, 2, 24)::of,
        new Llama(1000, 512, 8, 2, 1, 1408)::of);
  }

  /** Model from an input to logits. */
  private interface Net<T> {
    Variable<F32> of(Variable<T> x);
  }

  private static void images(String name, long size, Net<F32> narrow, Net<F32> full)
      throws Exception {
    Variable<F32> x = Variable.input("x", F32, -1, 3, size, size);
    compare(narrow(name), RULES, x, narrow.of(x));
    if (has(name)) {
      Variable<F32> large = Variable.input("x", F32, -1, 3, 224, 224);
      compare(full(name), RULES, large, full.of(large));
    }
  }

  private static void tokens(String name, Rules rules, Net<I32> narrow, Net<I32> full)
      throws Exception {
    Variable<I32> x = Variable.input("x", I32, -1, -1);
    compare(narrow(name), rules, x, narrow.of(x));
    if (has(name)) {
      compare(full(name), rules, x, full.of(x));
    }
  }

  private static boolean has(String name) {
    return !FULL.isEmpty() && Files.exists(full(name));
  }

  private static Path full(String name) {
    return Path.of(FULL, name);
  }

  private static <T> void compare(Path file, Rules rules, Variable<T> x, Variable<F32> y) {
    Variable<F32> loss = mean(square(y));
    var executor = new Executor(CTX, y, loss);
    Map<String, Tensor<?>> all = CTX.loadAll(file);
    executor.set(x, all.get("x").as(x.dtype()));
    compare(file, executor, rules, all, y, loss);
  }

  private static void compare(
      Path file,
      Executor executor,
      Rules rules,
      Map<String, Tensor<?>> all,
      Variable<F32> y,
      Variable<F32> loss) {
    LoadReport report = executor.load(file, rules);
    assertThat(report.missing()).isEmpty();
    assertThat(report.extra())
        .allMatch(name -> !name.startsWith("weights.") || name.endsWith("num_batches_tracked"));
    executor.forward();
    assertClose(file + " y", executor.tensor(y), all.get("y"), 1e-5);
    if (!all.containsKey("loss")) {
      return;
    }
    executor.backward(loss);
    assertClose(file + " loss", executor.tensor(loss), all.get("loss"), 1e-5);
    for (Variable<?> p : executor.parameters()) {
      gradientOrState(executor, all, p, report);
    }
  }

  @SuppressWarnings("unchecked")
  private static void gradientOrState(
      Executor executor, Map<String, Tensor<?>> all, Variable<?> p, LoadReport report) {
    Variable<F32> v = (Variable<F32>) p;
    boolean state = p.kind() == Variable.Kind.STATE;
    Tensor<F32> found = state ? executor.tensor(v) : executor.gradientOrZeroOf(v);
    boolean turned = !state && report.transposed().containsKey(p.name());
    Tensor<F32> shown = turned ? CTX.eval(found.t()) : found;
    Tensor<?> expected = all.get((state ? "after." : "grad.") + p.name());
    assertClose(p.name(), shown, expected, !state && isFullResNet(all) ? FLIPS : 1e-4);
  }

  /** Checks the largest difference, relative to the largest magnitude of the expected values. */
  private static void assertClose(
      String name, Tensor<F32> found, Tensor<?> expected, double tolerance) {
    float[] a = found.toFloatArray();
    float[] b = expected.as(F32).toFloatArray();
    assertThat(a).as(name).hasSameSizeAs(b);
    double largest = 0;
    double difference = 0;
    for (int k = 0; k < a.length; k++) {
      largest = Math.max(largest, Math.abs(b[k]));
      difference = Math.max(difference, Math.abs(a[k] - b[k]));
      assertThat(a[k]).as(name).isFinite();
    }
    if (!FULL.isEmpty()) {
      System.out.printf("%s: %.2e of %.3g%n", name, difference, largest);
    }
    assertThat(difference).as(name).isLessThanOrEqualTo(tolerance * Math.max(largest, 1e-3));
  }
}
