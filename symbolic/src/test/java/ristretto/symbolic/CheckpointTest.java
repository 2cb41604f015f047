package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.uniform;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.dropout;
import static ristretto.symbolic.Layers.relu;
import static ristretto.symbolic.Layers.softmaxCrossEntropy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.optim.Schedule;

class CheckpointTest {
  private static final Context CTX = Context.open();

  @TempDir Path folder;

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** A model with everything that a step depends on: weights, moments, step, random numbers. */
  private static final class ModelBuilder {
    final Variable<F32> x = Variable.input("x", F32, -1, 6);
    final Variable<I32> labels = Variable.input("labels", I32, -1);
    final Variable<F32> logits;
    final Variable<F32> loss;
    final Executor executor;
    final Optimizer optimizer = Optimizer.adam(0.01);

    ModelBuilder(long seed, int width, String second) {
      Variable<F32> h = dropout(relu(dense("fc1", x, width)), 0.3);
      logits = dense(second, h, 3);
      loss = softmaxCrossEntropy(logits, labels);
      executor = new Executor(CTX, seed, logits, loss);
    }

    void train(int from, int to) {
      for (int k = from; k < to; k++) {
        executor.set(x, uniform(F32, k, 12, 6));
        executor.set(labels, CTX.arange(I32, 12).rem(3));
        executor.step(loss, optimizer);
      }
    }

    float[] outputs() {
      executor.set(x, uniform(F32, 77, 12, 6));
      executor.set(labels, CTX.arange(I32, 12).rem(3));
      executor.forward();
      return executor.tensor(logits).toFloatArray();
    }
  }

  private Path file() {
    return folder.resolve("model.safetensors");
  }

  @Test
  void resumedTrainingGivesTheSameBits() {
    var straight = new ModelBuilder(5, 8, "fc2");
    straight.train(0, 10);
    var first = new ModelBuilder(5, 8, "fc2");
    first.train(0, 5);
    first.executor.save(file(), Map.of("epoch", "5"));
    // Another seed: the one that was saved counts.
    var second = new ModelBuilder(6, 8, "fc2");
    assertThat(second.executor.restore(file())).isEqualTo(Map.of("epoch", "5"));
    second.train(5, 10);
    assertThat(second.outputs()).isEqualTo(straight.outputs());
    // Restored into an executor that has trained before.
    second.executor.restore(file());
    second.train(5, 10);
    assertThat(second.outputs()).isEqualTo(straight.outputs());
  }

  @Test
  void theFilesSayWhatIsInThem() throws Exception {
    var model = new ModelBuilder(1, 2, "fc2");
    model.train(0, 1);
    model.executor.save(file(), Map.of("note", "a \"quote\""));
    assertThat(CTX.loadAll(file()))
        .containsOnlyKeys(
            "fc1.weight",
            "fc1.bias",
            "fc2.weight",
            "fc2.bias",
            "executor/step",
            "optimizer/adam/updates",
            "optimizer/adam/0/fc1.weight",
            "optimizer/adam/0/fc1.bias",
            "optimizer/adam/0/fc2.weight",
            "optimizer/adam/0/fc2.bias",
            "optimizer/adam/1/fc1.weight",
            "optimizer/adam/1/fc1.bias",
            "optimizer/adam/1/fc2.weight",
            "optimizer/adam/1/fc2.bias");
    String json = Files.readString(folder.resolve("model.json"));
    assertThat(json)
        .startsWith(
            """
            {
              "notes": {
                "executor/format": "2",
                "executor/seed": "1",
                "note": "a \\"quote\\""
              },
              "tensors": {
            """)
        .contains("    \"fc1.weight\": {\"dtype\": \"f32\", \"shape\": [6,2]},\n");
    try (var files = Files.list(folder)) {
      assertThat(files).hasSize(2);
    }
  }

  @Test
  void namesMustBeUnique() {
    Variable<F32> own = Variable.parameter("executor/step", F32, Initializer.zeros(), 1);
    var executor = new Executor(CTX, own.times(2));
    assertThatThrownBy(() -> executor.save(file()))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[checkpoint] parameters and states must have unique names; got executor/step"
                + " f32[1] and the number of steps; name their layers differently.");
  }

  @Test
  void theLossIsAnOutput() {
    var model = new ModelBuilder(1, 3, "fc2");
    var other = new Executor(CTX, model.logits);
    other.set(model.x, CTX.ones(F32, 2, 6));
    assertThatThrownBy(() -> other.backward(model.loss))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[backward] the loss must be one of the outputs; got softmaxCrossEntropy f32[]; name it"
                + " when the executor is made.");
  }

  @Test
  void theNameSaysTheFormat() {
    assertThatThrownBy(() -> new ModelBuilder(1, 3, "fc2").executor.save(Path.of("model.npz")))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[checkpoint] the file must be named .safetensors; got model.npz; rename it.");
  }

  @Test
  void filesOfOtherModelsChangeNothing() {
    var saved = new ModelBuilder(1, 3, "fc2");
    saved.train(0, 2);
    saved.executor.save(file());
    var otherName = new ModelBuilder(2, 3, "out");
    float[] before = otherName.outputs();
    assertThatThrownBy(() -> otherName.executor.restore(file()))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[restore] the file must have all tensors of the model; got "
                + file()
                + " without out.weight (for out.weight f32[3,3]); build the model that was saved.");
    assertThat(otherName.outputs()).isEqualTo(before);
    var otherShape = new ModelBuilder(2, 4, "fc2");
    before = otherShape.outputs();
    assertThatThrownBy(() -> otherShape.executor.restore(file()))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[restore] tensors must have the model's dtype and shape; got fc1.weight"
                + " f32[6,3] in "
                + file()
                + " for fc1.weight f32[6,4]; build the model that was saved.");
    assertThat(otherShape.outputs()).isEqualTo(before);
  }

  @Test
  void tensorsThatTheModelLacksAreErrors() {
    var model = new ModelBuilder(1, 3, "fc2");
    model.executor.save(file());
    var all = new java.util.LinkedHashMap<>(CTX.loadAll(file()));
    all.put("fc3.weight", CTX.zeros(F32, 2, 2));
    CTX.saveAll(file(), all, CTX.loadMetadata(file()));
    assertThatThrownBy(() -> model.executor.restore(file()))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[restore] the model must have all tensors of the file; got fc3.weight f32[2,2] in "
                + file()
                + ", which it has no variable for; build the model that was saved.");
    CTX.saveAll(file(), all);
    assertThatThrownBy(() -> model.executor.restore(file()))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[restore] the file must have been written by Executor.save; got "
                + file()
                + ", which has no seed; load it with ctx.loadAll and assign to tensor(variable).");
  }

  @Test
  void optimizersMustBeTheOnesThatWereSaved() {
    var saved = new ModelBuilder(1, 3, "fc2");
    saved.train(0, 2);
    saved.executor.save(file());
    var model = new ModelBuilder(1, 3, "fc2");
    model.executor.restore(file());
    model.executor.set(model.x, uniform(F32, 1, 12, 6));
    model.executor.set(model.labels, CTX.arange(I32, 12).rem(3));
    var momentum = Optimizer.momentum(Schedule.constant(0.1), 0.9, false).named("adam");
    assertThatThrownBy(() -> model.executor.step(model.loss, momentum))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[step] training must continue with the optimizer it began with; got one that keeps 1"
                + " number for each parameter, and the restored file has 2; make the saved"
                + " optimizer, or name the new one with named(...).");
  }

  /** A generator and a discriminator in turn, from a checkpoint whichever comes first. */
  @Test
  void optimizersAreRestoredByName() {
    Variable<F32> a = Variable.parameter("a", F32, Initializer.constant(3), 2);
    Variable<F32> b = Variable.parameter("b", F32, Initializer.constant(5), 2);
    Variable<F32> lossA = Layers.sum(a.times(a));
    Variable<F32> lossB = Layers.sum(b.times(b));
    var saved = new Executor(CTX, lossA, lossB);
    Optimizer ofA = Optimizer.adam(Schedule.exponential(0.1, 0.9)).named("of a");
    Optimizer ofB = Optimizer.momentum(Schedule.constant(0.01), 0.9, false).named("of b");
    for (int k = 0; k < 3; k++) {
      saved.step(lossA, ofA);
      saved.step(lossA, ofA);
      saved.step(lossB, ofB);
    }
    saved.save(file());
    var restored = new Executor(CTX, lossA, lossB);
    restored.restore(file());
    // What is not used yet is saved again.
    restored.save(file());
    restored = new Executor(CTX, lossA, lossB);
    restored.restore(file());
    restored.step(lossB, Optimizer.momentum(Schedule.constant(0.01), 0.9, false).named("of b"));
    restored.step(lossA, Optimizer.adam(Schedule.exponential(0.1, 0.9)).named("of a"));
    saved.step(lossB, ofB);
    saved.step(lossA, ofA);
    assertThat(restored.tensor(a).toFloatArray()).isEqualTo(saved.tensor(a).toFloatArray());
    assertThat(restored.tensor(b).toFloatArray()).isEqualTo(saved.tensor(b).toFloatArray());
  }

  /** Rewrites a file to the format without names of optimizers and counts of updates. */
  private void makeOlder() {
    var older = new java.util.LinkedHashMap<String, Tensor<?>>();
    CTX.loadAll(file())
        .forEach((name, t) -> {
          if (!name.endsWith("/updates")) {
            older.put(name.replace("optimizer/adam/", "optimizer/0/"), t);
          }
        });
    var notes = new java.util.LinkedHashMap<>(CTX.loadMetadata(file()));
    notes.remove("executor/format");
    CTX.saveAll(file(), older, notes);
  }

  @Test
  void olderFilesGoOnToTheSameBits() {
    var straight = new ModelBuilder(5, 8, "fc2");
    straight.train(0, 10);
    var first = new ModelBuilder(5, 8, "fc2");
    first.train(0, 5);
    first.executor.save(file());
    makeOlder();
    var fresh = new ModelBuilder(6, 8, "fc2");
    fresh.executor.restore(file());
    fresh.train(5, 10);
    assertThat(fresh.outputs()).isEqualTo(straight.outputs());
    fresh.executor.restore(file());
    fresh.train(5, 10);
    assertThat(fresh.outputs()).isEqualTo(straight.outputs());
  }

  @Test
  void damagedFilesAreRefused() {
    var model = new ModelBuilder(1, 3, "fc2");
    model.train(0, 2);
    model.executor.save(file());
    var whole = CTX.loadAll(file());
    var notes = CTX.loadMetadata(file());
    var target = new ModelBuilder(1, 3, "fc2");
    for (String name : List.of("optimizer/adam/99/fc1.weight", "optimizer/adam/99/z")) {
      var more = new java.util.LinkedHashMap<String, Tensor<?>>(whole);
      more.put(name, CTX.zeros(F32, 1));
      CTX.saveAll(file(), more, notes);
      assertThatThrownBy(() -> target.executor.restore(file()))
          .isInstanceOf(FileFormatException.class)
          .hasMessage(
              "[restore] the file must have all tensors of the model; got "
                  + file()
                  + " without optimizer/adam/2/fc1.weight (for fc1.weight f32[6,3]); build the"
                  + " model that was saved.");
    }
    for (String name : List.of("optimizer/7/3/z", "optimizer/b/0/z", "optimizer//updates")) {
      var more = new java.util.LinkedHashMap<String, Tensor<?>>(whole);
      more.put(name, CTX.zeros(F32, 1));
      CTX.saveAll(file(), more, notes);
      assertThatThrownBy(() -> target.executor.restore(file()))
          .isInstanceOf(FileFormatException.class)
          .hasMessageContaining("got " + name + " f32[1] in ");
    }
    CTX.saveAll(file(), whole, Map.of("executor/seed", "9".repeat(100), "executor/format", "2"));
    assertThatThrownBy(() -> target.executor.restore(file()))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[restore] a seed must be a whole number of 64 bits; got \""
                + "9".repeat(77)
                + "...\" in "
                + file()
                + "; the file is damaged, save it again.");
    CTX.saveAll(file(), whole, Map.of("executor/seed", "9", "executor/format", "3"));
    assertThatThrownBy(() -> target.executor.restore(file()))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[restore] the file must be of format 2, or older; got "
                + file()
                + " of format \"3\"; read it with the version that wrote it.");
  }

  @Test
  void aStepWhoseLossIsNotFiniteChangesNoParameter() {
    var model = new ModelBuilder(1, 3, "fc2");
    model.train(0, 3);
    float[] before = model.outputs();
    for (double bad : List.of(Double.NaN, Double.POSITIVE_INFINITY)) {
      model.executor.set(model.x, CTX.full(F32, bad, 12, 6));
      model.executor.step(model.loss, model.optimizer);
      assertThat(model.executor.tensor(model.loss).item()).isNaN();
    }
    assertThat(model.outputs()).isEqualTo(before);
  }

  /** Saves over and over, until it is killed. */
  static final class Saves {
    public static void main(String[] args) {
      Variable<F32> w = Variable.parameter("w", F32, Initializer.zeros(), 1 << 20);
      try (var ctx = Context.open()) {
        var executor = new Executor(ctx, Layers.sum(w));
        for (int k = 1; ; k++) {
          ctx.assign(executor.tensor(w), k);
          executor.save(Path.of(args[0]), Map.of("k", Integer.toString(k)));
          System.out.println(k);
        }
      }
    }
  }

  @Test
  void aProcessThatIsKilledLeavesAWholeFile() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "--add-modules",
                "jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Saves.class.getName(),
                file().toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (var out = process.inputReader()) {
      assertThat(out.readLine()).isEqualTo("1");
      assertThat(out.readLine()).isEqualTo("2");
      Thread.sleep(7);
    } finally {
      process.destroyForcibly().waitFor();
    }
    Variable<F32> w = Variable.parameter("w", F32, Initializer.zeros(), 1 << 20);
    var executor = new Executor(CTX, Layers.sum(w));
    Map<String, String> notes = executor.restore(file());
    assertThat(executor.tensor(w).toFloatArray()).containsOnly(Float.parseFloat(notes.get("k")));
  }

  @Test
  void checkpointsAreTheSameBytesUnderAllLocales() throws Exception {
    var model = new ModelBuilder(12345, 8, "fc2");
    model.train(0, 2);
    List<byte[]> root = saved(model, Locale.ROOT);
    for (String tag : List.of("ar-EG", "fa-IR", "ne-NP", "mr-IN", "bn-BD", "my-MM", "tr-TR")) {
      assertThat(saved(model, Locale.forLanguageTag(tag))).as(tag).containsExactlyElementsOf(root);
    }
  }

  private List<byte[]> saved(ModelBuilder model, Locale locale) throws Exception {
    Locale before = Locale.getDefault();
    Locale.setDefault(locale);
    try {
      model.executor.save(folder.resolve("l.safetensors"), Map.of("k", "1"));
    } finally {
      Locale.setDefault(before);
    }
    return List.of(
        Files.readAllBytes(folder.resolve("l.safetensors")),
        Files.readAllBytes(folder.resolve("l.json")));
  }
}
