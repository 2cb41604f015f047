package ristretto.symbolic.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.data.Batcher;
import ristretto.symbolic.data.Dataset;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;

class TrainerTest {
  private static final Context CTX = Context.open();

  @TempDir Path folder;

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** Data set with the sign of the sum of four numbers as its label. */
  private static Dataset data(int n, long seed) {
    var x = CTX.eval(Ops.uniform(F32, seed, n, 4).minus(0.5));
    var y = CTX.eval(Ops.sum(x, 1).gt(0).cast(I32));
    return Dataset.of(Map.of("x", x, "y", y));
  }

  private static final class ModelBuilder {
    final Variable<F32> x = Variable.input("x", F32, -1, 4);
    final Variable<I32> y = Variable.input("y", I32, -1);
    final Variable<F32> logits =
        Layers.dense("fc2", Layers.dropout(Layers.tanh(Layers.dense("fc1", x, 8)), 0.1), 2);
    final Variable<F32> loss = Layers.softmaxCrossEntropy(logits, y);
    final Executor executor = new Executor(CTX, 1, logits, loss);
    final ConfusionMatrix matrix = new ConfusionMatrix(logits, y);
    final List<String> lines = new ArrayList<>();
    final Trainer trainer =
        new Trainer(executor, loss, Optimizer.adam(0.02))
            .metrics(matrix)
            .validation(new Batcher(data(50, 2), 32))
            .log(lines::add);

    History train(int epochs) {
      return trainer.train(new Batcher(data(200, 1), 32).shuffled(7), epochs);
    }

    /** Outputs of the last run, which was of validation. */
    float[] outputs() {
      return executor.tensor(logits).toFloatArray();
    }
  }

  @Test
  void itLearnsAndTells() {
    var model = new ModelBuilder();
    History history = model.train(8);
    assertThat(history.epochs()).isEqualTo(8);
    assertThat(history.names()).containsExactly("loss", "accuracy", "valid_loss", "valid_accuracy");
    assertThat(history.last("loss")).isLessThan(history.get(0, "loss"));
    assertThat(history.last("valid_accuracy")).isGreaterThan(0.85);
    assertThat(model.lines).hasSize(8);
    assertThat(model.lines.get(0))
        .matches(
            "epoch   1  loss \\d\\.\\d{4}  accuracy \\d\\.\\d{4}  valid_loss \\d\\.\\d{4} "
                + " valid_accuracy \\d\\.\\d{4}");
    assertThat(model.trainer.measure(new Batcher(data(50, 2), 7)).get("accuracy"))
        .isEqualTo(history.last("valid_accuracy"));
  }

  @Test
  void stoppedTrainingGoesOnToTheSameBits() {
    var straight = new ModelBuilder();
    History whole = straight.train(6);
    var first = new ModelBuilder();
    first.trainer.checkpoints(folder.resolve("run"));
    first.train(2);
    var second = new ModelBuilder();
    second.trainer.checkpoints(folder.resolve("run"));
    History resumed = second.train(6);
    assertThat(resumed).hasToString(whole.toString());
    assertThat(resumed.last("valid_loss")).isEqualTo(whole.last("valid_loss"));
    assertThat(second.outputs()).isEqualTo(straight.outputs());
    assertThat(second.lines.get(0))
        .isEqualTo("continuing after epoch 2, from " + folder.resolve("run/last.safetensors"));
    assertThat(folder.resolve("run/best.safetensors")).exists();
    // Nothing is left to do.
    assertThat(second.train(6).epochs()).isEqualTo(6);
  }

  @Test
  void itStopsWhenNothingGetsBetter() {
    var model = new ModelBuilder();
    model.trainer.earlyStopping(2);
    History history = model.train(100);
    int best = history.best("valid_accuracy", true);
    assertThat(history.epochs()).isEqualTo(best + 3).isLessThan(100);
    assertThat(model.lines.getLast())
        .isEqualTo("stopped: valid_accuracy has not improved since epoch " + (best + 1));
    assertThatThrownBy(() -> model.trainer.earlyStopping(0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[train] early stopping must wait for at least 1 epoch; got 0.");
  }

  @Test
  void metricsHaveNamesOfTheirOwn() {
    var model = new ModelBuilder();
    assertThatThrownBy(() -> model.trainer.metrics(Metric.accuracy(model.logits, model.y)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[train] metrics must have unique names other than loss; got [accuracy,"
                + " accuracy]; change one with named(...).");
    var other = new ModelBuilder();
    other.trainer.metrics(Metric.accuracy(other.logits, other.y).named("again"));
    History history = other.train(1);
    assertThat(history.last("again")).isEqualTo(history.last("accuracy"));
    assertThatThrownBy(() -> Metric.topK(0, other.logits, other.y))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[topK] k must be at least 1; got 0.");
  }

  @Test
  void epochsWithoutABatchAreErrors() {
    var model = new ModelBuilder();
    var few = new Batcher(data(5, 1), 32).dropLast();
    String message =
        "[train] an epoch must have a batch; got 5 examples of [x f32[4], y i32[]]; give more data"
            + " or smaller batches.";
    assertThatThrownBy(() -> model.trainer.train(few, 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage(message.replace("[x f32[4], y i32[]]", few.fields().toString()));
    assertThatThrownBy(() -> model.trainer.measure(few))
        .isInstanceOf(ShapeException.class)
        .hasMessage(message.replace("[x f32[4], y i32[]]", few.fields().toString()));
  }

  @Test
  void labelsThatAreNoClassesAreNamed() {
    var model = new ModelBuilder();
    var wrong = new LinkedHashMap<String, Tensor<?>>();
    wrong.put("x", CTX.ones(F32, 3, 4));
    wrong.put("y", CTX.tensor(new int[] {0, 1, 2}));
    Dataset data = Dataset.of(wrong);
    String message =
        "[softmaxCrossEntropy] labels must be classes from 0 to 1; got 2 in y i32[?]; correct the"
            + " labels, or make the logits wider.";
    assertThatThrownBy(() -> model.trainer.train(new Batcher(data, 3), 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> model.trainer.measure(new Batcher(data, 3)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(message);
  }

  @Test
  void stepsWithoutAnUpdateAtTheEndAreNoted() {
    Variable<F32> x = Variable.input("x", F32, -1, 4);
    Variable<F32> loss = Layers.mean(Layers.dense("fc", x, 1));
    var logged = new ArrayList<String>();
    Dataset data = Dataset.of(Map.of("x", CTX.ones(F32, 10, 4)));
    var trainer = new Trainer(new Executor(CTX, loss), loss, Optimizer.sgd(0.1).accumulate(4));
    trainer.log(logged::add).train(new Batcher(data, 2), 3);
    assertThat(logged.getFirst())
        .isEqualTo(
            "[train] the steps of all epochs should be a multiple of those of an update; got 5"
                + " steps in each of 3 epochs and 4 for an update, so the last 3 change nothing.");
    logged.clear();
    trainer.train(new Batcher(data, 2), 4);
    assertThat(logged).noneMatch(line -> line.startsWith("[train]"));
  }

  @Test
  void labelsOfConfusionMatricesMustBeClasses() {
    Variable<F32> scores = Variable.input("scores", F32, -1, 2);
    Variable<I32> y = Variable.input("y", I32, -1);
    var executor =
        new Executor(CTX, scores.times(1), Layers.apply("twice", I32, v -> v.get(y).times(2), y));
    executor.set(scores, CTX.ones(F32, 3, 2));
    executor.set(y, CTX.tensor(new int[] {0, 1, 2}));
    executor.forward();
    var matrix = new ConfusionMatrix(scores, y);
    matrix.update(executor, 3);
    assertThatThrownBy(matrix::value)
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[confusionMatrix] labels must be from 0 to 1, one per score; got 1 others in y"
                + " i32[?].");
  }

  @Test
  void lossesThatNothingInfluencesAreErrors() {
    Variable<F32> x = Variable.input("x", F32, -1, 4);
    Variable<F32> fc = Layers.dense("fc", x, 4);
    Variable<F32> stopped = Layers.apply("stop", F32, v -> Ops.stopGradient(v.get(fc)), fc);
    for (Variable<F32> loss : List.of(Layers.mean(x), Layers.mean(stopped))) {
      var executor = new Executor(CTX, loss);
      var trainer = new Trainer(executor, loss, Optimizer.sgd(0.1)).log(line -> {});
      var batches = new Batcher(Dataset.of(Map.of("x", CTX.ones(F32, 3, 4))), 3);
      assertThatThrownBy(() -> trainer.train(batches, 1))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[backward] a parameter, or an input that wantGradients named, must influence the"
                  + " loss; got mean f32[], which none of them reaches; compute it from a"
                  + " parameter, without stopGradient in between.");
      assertThatThrownBy(() -> trainer.train(batches, 0))
          .isInstanceOf(ShapeException.class)
          .hasMessage("[train] there must be at least 1 epoch; got 0.");
    }
  }

  @Test
  void schedulesMustYieldRates() {
    var model = new ModelBuilder();
    var trainer =
        new Trainer(model.executor, model.loss, Optimizer.adam(step -> Ops.log(step.minus(1))))
            .log(line -> {});
    assertThatThrownBy(() -> trainer.train(new Batcher(data(5, 1), 5), 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[optimizer] a schedule must yield finite rates of at least 0; got NaN for update 0 of"
                + " adam; correct its formula.");
    Metric top = Metric.topK(3, model.logits, model.y);
    model.train(1);
    assertThatThrownBy(() -> top.update(model.executor, 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[topK] k must be at most the number of classes; got 3 for 2 in fc2 f32[?,2].");
  }

  @Test
  void damagedNotesAreRefused() {
    Path file = Path.of("last.safetensors");
    assertThatThrownBy(() -> History.of(Map.of("trainer/epochs", "50000000"), file))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[train] a checkpoint must have the measures of each epoch it counts; got 0 epochs with"
                + " measures for the count \"50000000\" in last.safetensors; delete it to start"
                + " over.");
    assertThatThrownBy(() -> History.of(Map.of("trainer/epochs", "two"), file))
        .isInstanceOf(FileFormatException.class)
        .hasMessageContaining("got 0 epochs with measures for the count \"two\" in ");
    assertThatThrownBy(() -> History.of(Map.of("trainer/epochs", "1", "trainer/5/loss", "1"), file))
        .isInstanceOf(FileFormatException.class)
        .hasMessageContaining("got 1 epochs with measures for the count \"1\" in ");
    assertThatThrownBy(
            () -> History.of(Map.of("trainer/epochs", "1", "trainer/0/loss", "x\n"), file))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[train] measures of a checkpoint must be numbers; got \"x\\n\" for trainer/0/loss in"
                + " last.safetensors; delete it to start over.");
  }

  @Test
  void theReportIsOnePage() throws Exception {
    var model = new ModelBuilder();
    model.trainer.report("Sums <of> four", folder.resolve("report"));
    model.train(2);
    for (String name : List.of("loss.png", "accuracy.png", "confusion.png")) {
      assertThat(ImageIO.read(folder.resolve("report").resolve(name).toFile()).getWidth())
          .isEqualTo(720);
    }
    assertThat(Files.readString(folder.resolve("report/index.html")))
        .contains("<h1>Sums &lt;of&gt; four</h1>")
        .contains("<td>2</td>")
        .contains("src=\"data:image/png;base64,")
        .doesNotContain("http");
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThatThrownBy(() -> new Report("r", file.resolve("r")).write(new History(), null, null))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[train] folders for checkpoints and reports must be writable; got "
                + file.resolve("r")
                + " ("
                + file.resolve("r")
                + ": Not a directory); check the path.");
  }

  /** A loss whose log meets a number below 0 in the second batch. */
  @Test
  void theFirstOperatorToYieldNaNIsNamed() {
    Variable<F32> x = Variable.input("x", F32, -1, 1);
    Variable<F32> w = Layers.dense("fc", x, 1);
    Variable<F32> log = Layers.apply("log", F32, v -> Ops.log(v.get(x).times(2)), x);
    Variable<F32> loss = Layers.mean(Layers.relu(log).plus(w).times(w));
    var executor = new Executor(CTX, 1, loss);
    var values = CTX.tensor(new float[] {1, 2, 3, -4}, 4, 1);
    var trainer = new Trainer(executor, loss, Optimizer.sgd(0.01)).log(line -> {});
    var batches = new Batcher(Dataset.of(Map.of("x", values)), 2);
    assertThatThrownBy(() -> trainer.train(batches, 3))
        .isInstanceOf(NotFiniteException.class)
        .hasMessage(
            "[train] the loss must be finite; got NaN in epoch 1, batch 2: the first operator to"
                + " yield NaN is log f32[?,1], from x f32[?,1] of -4.000 to 3.000; lower the rate,"
                + " clip gradients, or correct the data or the operator.");
    executor.set(x, CTX.full(F32, Double.NaN, 1, 1));
    executor.step(loss, Optimizer.sgd(0.01));
    assertThat(executor.whyNotFinite(loss)).isEqualTo("the input x f32[?,1] is not finite");
    executor.set(x, CTX.full(F32, 0, 1, 1));
    executor.step(loss, Optimizer.sgd(0.01));
    assertThat(executor.whyNotFinite(loss))
        .isEqualTo(
            "the first operator to yield infinity is log f32[?,1], from x f32[?,1] of 0.000 to"
                + " 0.000");
  }

  @Test
  void parametersThatAreNotFiniteAreNamed() {
    Variable<F32> x = Variable.input("x", F32, -1, 1);
    Variable<F32> loss = Layers.mean(Layers.dense("fc", x, 1));
    var executor = new Executor(CTX, 1, loss);
    executor.set(x, CTX.full(F32, 2, 1, 1));
    Optimizer optimizer = Optimizer.sgd(3e38);
    executor.step(loss, optimizer);
    executor.step(loss, optimizer);
    assertThat(executor.whyNotFinite(loss))
        .isEqualTo(
            "the parameter fc.weight f32[1,1] is not finite, so its gradient was not in an earlier"
                + " step");
  }

  @Test
  void metricsAgreeWithHostCode() {
    Variable<F32> z = Variable.input("z", F32, -1, 3);
    Variable<I32> y = Variable.input("y", I32, -1);
    Variable<F32> scores = z.times(1);
    Variable<F32> loss = Layers.mean(z);
    var executor = new Executor(CTX, scores, loss);
    var matrix = new ConfusionMatrix(scores, y);
    Metric[] all = {
      Metric.accuracy(scores, y),
      Metric.topK(2, scores, y),
      Metric.mean("loss", loss),
      Metric.perplexity(loss),
      matrix
    };
    for (Metric m : all) {
      assertThat(m.value()).isNaN();
    }
    float[][][] rows = {{{1, 2, 3}, {3, 2, 1}}, {{1, 1, 1}}};
    int[][] labels = {{1, 0}, {1}};
    for (int b = 0; b < 2; b++) {
      executor.set(z, CTX.tensor(rows[b]));
      executor.set(y, CTX.tensor(labels[b]));
      executor.forward();
      for (Metric m : all) {
        m.update(executor, rows[b].length);
      }
    }
    // Equal scores: the label 1 is second.
    assertThat(all[0].value()).isCloseTo(1 / 3.0, within(1e-12));
    assertThat(all[1].value()).isEqualTo(1);
    double mean = (2 * 2 + 1) / 3.0;
    assertThat(all[2].value()).isCloseTo(mean, within(1e-6));
    assertThat(all[3].value()).isCloseTo(Math.exp(mean), within(1e-5));
    assertThat(matrix.counts()).isDeepEqualTo(new long[][] {{1, 0, 0}, {1, 0, 1}, {0, 0, 0}});
    assertThat(matrix.value()).isCloseTo(1 / 3.0, within(1e-12));
    for (Metric m : all) {
      m.reset();
      assertThat(m.value()).isNaN();
    }
  }

  @Test
  void meansOfManyBatchesAreExact() {
    Variable<F32> x = Variable.input("x", F32);
    Variable<F32> y = x.times(1);
    var executor = new Executor(CTX, y);
    executor.set(x, CTX.full(F32, 0.1));
    executor.forward();
    Metric mean = Metric.mean("y", y);
    for (int k = 0; k < 20_000; k++) {
      mean.update(executor, 1000);
    }
    assertThat(mean.value()).isCloseTo(0.1f, within(1e-8));
  }

  private static Trainer trainer(ModelBuilder model, Optimizer optimizer) {
    return new Trainer(model.executor, model.loss, optimizer)
        .metrics(model.matrix)
        .validation(new Batcher(data(50, 2), 32))
        .log(model.lines::add);
  }

  private static Batcher batches() {
    return new Batcher(data(200, 1), 32).shuffled(7);
  }

  @Test
  void stepsAreReported() {
    var model = new ModelBuilder();
    var steps = new ArrayList<TrainingStep>();
    model.trainer.afterStep(steps::add);
    History history = model.train(2);
    assertThat(steps).hasSize(14);
    assertThat(steps.get(8).epoch()).isEqualTo(1);
    assertThat(steps.get(8).batch()).isEqualTo(1);
    double sum = 0;
    for (int k = 0; k < 7; k++) {
      sum += steps.get(k).loss() * (k < 6 ? 32 : 8);
    }
    assertThat(history.get(0, "loss")).isEqualTo(sum / 200);
  }

  @Test
  void theBestWeightsAreGivenBack() {
    var model = new ModelBuilder();
    // A rate that soon spoils what it has learned.
    Trainer trainer = trainer(model, Optimizer.sgd(60.0)).bestWeights().earlyStopping(2);
    History history = trainer.train(batches(), 12);
    int best = history.best("valid_accuracy", true);
    assertThat(best).isLessThan(history.epochs() - 1);
    Map<String, Double> now = trainer.measure(new Batcher(data(50, 2), 32));
    assertThat(now.get("accuracy")).isEqualTo(history.get(best, "valid_accuracy"));
    assertThat(now.get("loss")).isEqualTo(history.get(best, "valid_loss"));
  }

  @Test
  void theBestWeightsSurviveAResume() {
    var first = new ModelBuilder();
    trainer(first, Optimizer.sgd(60.0)).checkpoints(folder).train(batches(), 8);
    var second = new ModelBuilder();
    Trainer trainer = trainer(second, Optimizer.sgd(60.0)).checkpoints(folder).bestWeights();
    History history = trainer.train(batches(), 8);
    int best = history.best("valid_accuracy", true);
    assertThat(best).isLessThan(7);
    Map<String, Double> now = trainer.measure(new Batcher(data(50, 2), 32));
    assertThat(now.get("loss")).isEqualTo(history.get(best, "valid_loss"));
  }

  @Test
  void validationWithAveragesLeavesTheTrainingAsItIs() {
    var plain = new ModelBuilder();
    var averaged = new ModelBuilder();
    Optimizer one = Optimizer.adam(0.02).average(0.9);
    Optimizer other = Optimizer.adam(0.02).average(0.9);
    History first = trainer(plain, one).train(batches(), 3);
    History second = trainer(averaged, other).averagedValidation().train(batches(), 3);
    assertThat(second.get(2, "loss")).isEqualTo(first.get(2, "loss"));
    assertThat(second.get(2, "valid_loss")).isNotEqualTo(first.get(2, "valid_loss"));
    plain.executor.averaged(one).forEach(v -> useAverage(plain.executor, v, one));
    Map<String, Double> expected = trainer(plain, one).measure(new Batcher(data(50, 2), 32));
    assertThat(second.get(2, "valid_loss")).isEqualTo(expected.get("loss"));
  }

  private static <T> void useAverage(Executor executor, Variable<T> v, Optimizer optimizer) {
    CTX.assign(executor.tensor(v), executor.average(v, optimizer));
  }

  @Test
  void averagesAreOfUpdatedParametersOnly() {
    var model = new ModelBuilder();
    Optimizer optimizer = Optimizer.sgd(0.1).only("fc2.*").average(0.5);
    trainer(model, optimizer).averagedValidation().train(batches(), 1);
    assertThat(model.executor.averaged(optimizer))
        .extracting(Variable::name)
        .containsExactlyInAnyOrder("fc2.weight", "fc2.bias");
    Variable<?> frozen = model.executor.parameters().getFirst();
    assertThatThrownBy(() -> model.executor.average(frozen, optimizer))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[average] the optimizer must average parameters and have updated this one; got "
                + frozen
                + "; make the optimizer with average(decay).");
  }

  @Test
  void theRateFallsOnAPlateau() {
    var model = new ModelBuilder();
    Optimizer optimizer = Optimizer.sgd(0.0);
    Trainer trainer = trainer(model, optimizer).reduceOnPlateau(0.5, 1);
    trainer.train(batches(), 6);
    assertThat(model.lines)
        .filteredOn(line -> line.contains("plateau"))
        .containsExactly(
            "valid_accuracy stays on a plateau: learning rate times 0.5 from here on",
            "valid_accuracy stays on a plateau: learning rate times 0.5 from here on");
  }

  @Test
  void plateausFollowPyTorch() {
    double[] values = {1, 0.9, 0.95, 0.91, 0.9, 0.89999, 0.8, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9};
    var history = new History();
    var reductions = new ArrayList<Integer>();
    for (double v : values) {
      history.add(Map.of("loss", v));
      reductions.add(new Plateau(0.1, 2).reductions(history, "loss", false));
    }
    // torch.optim.lr_scheduler.ReduceLROnPlateau(patience=2) at the same values.
    assertThat(reductions).containsExactly(0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3);
  }

  @Test
  void messagesOfOptions() {
    var model = new ModelBuilder();
    assertThatThrownBy(model.trainer::averagedValidation)
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[train] the optimizer must average parameters for averagedValidation; got adam; make"
                + " it with average(decay).");
    assertThatThrownBy(() -> model.trainer.reduceOnPlateau(1, 3))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[train] reduceOnPlateau must have a factor between 0 and 1 and a patience of at least"
                + " 0 epochs; got 1.0 and 3.");
  }
}
