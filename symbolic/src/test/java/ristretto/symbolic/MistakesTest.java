package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.RistrettoException;
import ristretto.symbolic.data.Batcher;
import ristretto.symbolic.data.CsvColumns;
import ristretto.symbolic.data.Dataset;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Conv;
import ristretto.symbolic.layers.CrossEntropyOptions;
import ristretto.symbolic.layers.Dense;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.layers.Summary;
import ristretto.symbolic.layers.Window;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.optim.Schedule;
import ristretto.symbolic.train.Metric;
import ristretto.symbolic.train.Trainer;

/** Mistakes of users who come from PyTorch; each ends in an error or a warning. */
class MistakesTest {
  private static final Context CTX = Context.open();

  @TempDir private Path folder;

  private final Variable<F32> x = Variable.input("x", F32, -1, 8);
  private final Variable<I32> label = Variable.input("label", I32, -1);
  private final Variable<F32> logits = dense("head", relu(dense("fc", x, 16)), 3);
  private final Variable<F32> loss = softmaxCrossEntropy(logits, label);
  private final Executor executor = given(new Executor(CTX, logits, loss));

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** Sets the inputs of an executor. */
  private Executor given(Executor some) {
    if (some.inputs().contains(x)) {
      some.set(x, CTX.ones(F32, 4, 8));
    }
    if (some.inputs().contains(label)) {
      some.set(label, CTX.zeros(I32, 4));
    }
    return some;
  }

  private static Dataset data() {
    return data(Map.of("x", CTX.ones(F32, 4, 8), "label", CTX.zeros(I32, 4)));
  }

  private static Dataset data(Map<String, ? extends Tensor<?>> tensors) {
    return Dataset.of(new TreeMap<>(tensors));
  }

  private Trainer trainer() {
    return new Trainer(executor, loss, Optimizer.sgd(0.1)).log(_ -> {});
  }

  private void train(Map<String, ? extends Tensor<?>> tensors) {
    trainer().train(new Batcher(data(tensors), 2), 1);
  }

  private Path csv(String text) {
    try {
      return Files.writeString(folder.resolve("data.csv"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void fails(ThrowingCallable mistake, String message) {
    assertThatThrownBy(mistake).isInstanceOf(RistrettoException.class).hasMessage(message);
  }

  private static void warns(Runnable mistake, String message) {
    var bytes = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      mistake.run();
    } finally {
      System.setErr(before);
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8)).containsOnlyOnce(message + "\n");
  }

  // Inputs and data

  @Test
  void inputWithoutValue() {
    fails(
        () -> new Executor(CTX, loss).forward(),
        "[run] every input must have a value; got none for x f32[?,8]; call set first.");
  }

  @Test
  void valueOfAnotherWidth() {
    fails(
        () -> executor.set(x, CTX.ones(F32, 4, 7)),
        "[set] the value must have the input's shape; got [4,7] for x f32[?,8]; reshape the "
            + "value, or declare the input with these extents.");
  }

  @Test
  void valueWithoutBatchAxis() {
    fails(
        () -> executor.set(x, CTX.ones(F32, 8)),
        "[set] the value must have the input's shape; got [8] for x f32[?,8]; reshape the "
            + "value, or declare the input with these extents.");
  }

  @Test
  void valueForAnOutput() {
    fails(
        () -> executor.set(logits, CTX.ones(F32, 4, 3)),
        "[set] the variable must be an input; got head f32[?,3]; assign to tensor(variable).");
  }

  @Test
  void inputOfAnotherModel() {
    fails(
        () -> executor.set(Variable.input("x", F32, -1, 8), CTX.ones(F32, 4, 8)),
        "[set] the variable must be the input that the outputs read; got another x f32[?,8]; "
            + "declare each input once, and set this variable.");
  }

  @Test
  void fieldOfAnotherName() {
    fails(
        () -> train(Map.of("features", CTX.ones(F32, 4, 8), "label", CTX.zeros(I32, 4))),
        "[batch] the data must have every requested field; got no x in [features f32[8], "
            + "label i32[]]; name the fields as the inputs, with Dataset.named(...).");
  }

  @Test
  void labelsAsFloats() {
    fails(
        () -> train(Map.of("x", CTX.ones(F32, 4, 8), "label", CTX.zeros(F32, 4))),
        "[batch] a field must have the dtype of its input; got label f32[] for label i32[?]; "
            + "cast the data, with Expr.cast(...), or declare the input so.");
  }

  @Test
  void labelsAsLongs() {
    fails(
        () -> train(Map.of("x", CTX.ones(F32, 4, 8), "label", CTX.zeros(I64, 4))),
        "[batch] a field must have the dtype of its input; got label i64[] for label i32[?]; "
            + "cast the data, with Expr.cast(...), or declare the input so.");
  }

  @Test
  void labelOutOfRange() {
    fails(
        () -> train(Map.of("x", CTX.ones(F32, 4, 8), "label", CTX.arange(I32, 4))),
        "[softmaxCrossEntropy] labels must be classes from 0 to 2; got 3 in label i32[?]; correct"
            + " the labels, or make the logits wider.");
    fails(
        () -> {
          given(executor).set(label, CTX.tensor(new int[] {0, -100, 2, 1}));
          executor.step(loss, Optimizer.sgd(0.1));
        },
        "[softmaxCrossEntropy] labels must be classes from 0 to 2; got -100 in label i32[?];"
            + " CrossEntropyOptions.of().ignore(-100) leaves such rows out.");
  }

  /** From the second time on, a check reads the labels in host memory. */
  @Test
  void labelsFromHostMemory() {
    Optimizer sgd = Optimizer.sgd(0.1);
    for (int k = 0; k < 3; k++) {
      int[] good = {k, 2, 1, 0};
      executor.set(label, MemorySegment.ofArray(good), Shape.of(4));
      executor.step(loss, sgd);
    }
    float[] before = executor.tensor(executor.parameters().getFirst()).as(F32).toFloatArray();
    int[] wrong = {2, 0, 3, 1};
    executor.set(label, MemorySegment.ofArray(wrong), Shape.of(4));
    fails(
        () -> executor.step(loss, sgd),
        "[softmaxCrossEntropy] labels must be classes from 0 to 2; got 3 in label i32[?]; correct"
            + " the labels, or make the logits wider.");
    assertThat(executor.tensor(executor.parameters().getFirst()).as(F32).toFloatArray())
        .isEqualTo(before);
    executor.set(label, CTX.zeros(I32, 4));
    executor.step(loss, sgd);
    assertThat(executor.tensor(loss).item()).isFinite();
  }

  @Test
  void flattenedLabelOutOfRange() {
    fails(
        () -> {
          Variable<I32> rows = Variable.input("rows", I32, -1, 2);
          Variable<I32> flat = reshape(rows, -1);
          var options = CrossEntropyOptions.of().smoothing(0.1).ignore(-1);
          Variable<F32> smooth = softmaxCrossEntropy(logits, flat, options);
          var some = given(new Executor(CTX, smooth));
          some.set(rows, CTX.tensor(new int[] {0, -1, 2, 3}, 2, 2));
          some.forward();
        },
        "[softmaxCrossEntropy] labels must be classes from 0 to 2, or -1 to be ignored; got 3 in"
            + " reshape i32[?]; correct the labels, or make the logits wider.");
  }

  @Test
  void focalLabelOutOfRange() {
    fails(
        () -> {
          var some = given(new Executor(CTX, focal(logits, label, 2)));
          some.set(label, CTX.tensor(new int[] {0, 5, 2, 1}));
          some.forward();
        },
        "[focal] labels must be classes from 0 to 2; got 5 in label i32[?]; correct the labels, or"
            + " make the logits wider.");
  }

  /** Labels that are computed are not read before a step; the trainer explains the loss. */
  @Test
  void computedLabelOutOfRange() {
    fails(
        () -> {
          Variable<I32> next = apply("next", I32, v -> v.get(label).plus(1), label);
          Variable<F32> late = softmaxCrossEntropy(logits, next);
          new Trainer(new Executor(CTX, late), late, Optimizer.sgd(0.1))
              .log(_ -> {})
              .train(
                  new Batcher(
                      data(Map.of("x", CTX.zeros(F32, 4, 8), "label", CTX.arange(I32, 4))), 4),
                  1);
        },
        "[train] the loss must be finite; got NaN in epoch 1, batch 1: the first operator to "
            + "yield NaN is softmaxCrossEntropy f32[], from head f32[?,3] of 0.000 to 0.000, "
            + "next i32[?] of 1.000 to 4.000; next must be a class from 0 to 2; lower the rate, "
            + "clip gradients, or correct the data or the operator.");
  }

  @Test
  void labelsOfCtc() {
    Variable<F32> scores = Variable.input("scores", F32, 5, 2, 4);
    Variable<I32> text = Variable.input("text", I32, -1, -1);
    Variable<I32> steps = Variable.input("steps", I32, -1);
    Variable<I32> lengths = Variable.input("lengths", I32, -1);
    var some = new Executor(CTX, ctc(scores, text, steps, lengths));
    some.set(scores, CTX.ones(F32, 5, 2, 4));
    some.set(text, CTX.tensor(new int[] {1, 2, 3, -1}, 2, 2));
    some.set(steps, CTX.tensor(new int[] {5, 4}));
    some.set(lengths, CTX.tensor(new int[] {2, 1}));
    some.forward();
    some.set(lengths, CTX.tensor(new int[] {2, 2}));
    fails(
        some::forward,
        "[ctc] labels must be classes from 0 to 3, except 0 for the blank; got -1 in text"
            + " i32[?,?]; correct the labels, or the number of labels of each sequence.");
    some.set(lengths, CTX.tensor(new int[] {2, 3}));
    fails(
        some::forward,
        "[ctc] each sequence must have from 0 labels to the number of columns; got 3 for 2 columns"
            + " in lengths i32[?]; correct the lengths, or pad the labels.");
    some.set(steps, CTX.tensor(new int[] {0, 4}));
    fails(
        some::forward,
        "[ctc] each sequence must have from 1 step to the number of steps; got 0 for 5 steps in"
            + " steps i32[?]; cut the lengths, or pad the sequences.");
  }

  @Test
  void emptyData() {
    fails(
        () -> trainer().train(new Batcher(data().range(0, 0), 2), 1),
        "[train] an epoch must have a batch; got 0 examples of [label i32[], x f32[8]]; give "
            + "more data or smaller batches.");
  }

  @Test
  void batchesLargerThanTheData() {
    fails(
        () -> trainer().train(new Batcher(data(), 64).dropLast(), 1),
        "[train] an epoch must have a batch; got 4 examples of [label i32[], x f32[8]]; give "
            + "more data or smaller batches.");
  }

  @Test
  void emptyBatches() {
    fails(() -> new Batcher(data(), 0), "[batcher] the batch size must be at least 1; got 0.");
  }

  @Test
  void fieldsOfUnequalSizes() {
    fails(
        () -> data(Map.of("x", CTX.ones(F32, 4, 8), "label", CTX.zeros(I32, 3))),
        "[dataset] all fields must have the same number of examples; got 3 for label i32[] "
            + "and 4 for x f32[8] in tensors.");
  }

  @Test
  void percentagesForSplits() {
    fails(() -> data().split(80, 1), "[split] the share must be from 0 to 1; got 80.0.");
  }

  @Test
  void lengthsBeyondTheSteps() {
    fails(
        () -> {
          Variable<F32> v = Variable.input("v", F32, -1, -1, 3);
          Variable<I32> lengths = Variable.input("lengths", I32, -1);
          Variable<F32> y = Recurrent.of(Cell.gru(), 4).lengths(lengths).over("gru", v).outputs();
          var rnn = new Executor(CTX, y);
          rnn.set(v, CTX.ones(F32, 5, 2, 3));
          rnn.set(lengths, CTX.tensor(new int[] {5, 6}));
          rnn.forward();
        },
        "[gru.0] lengths must be from 0 to the number of steps; got 6 for 5 steps in lengths "
            + "i32[?]; cut the lengths, or pad the sequences.");
  }

  @Test
  void lengthsOfAnotherBatch() {
    Variable<F32> v = Variable.input("v", F32, -1, -1, 3);
    Variable<I32> lengths = Variable.input("lengths", I32, -1);
    var rnn = new Executor(CTX, new Recurrent("gru", Cell.gru(), 4).of(v, lengths).outputs());
    rnn.set(v, CTX.ones(F32, 5, 2, 3));
    rnn.set(lengths, CTX.tensor(new int[] {5, 5, 5}));
    fails(
        rnn::forward,
        "[gru.0] there must be one length for each sequence; got [3] for v f32[?,?,3] of shape"
            + " [5,2,3]; set the lengths of the same batch.");
    rnn.set(v, CTX.ones(F32, 0, 3, 3));
    fails(
        rnn::forward,
        "[gru.0] sequences must have at least one step; got v f32[?,?,3] of shape [0,3,3]; pad"
            + " them, or leave such batches out.");
    fails(
        () -> new Recurrent("r", Cell.gru(), 4).of(v, Variable.input("lengths", I32, -1, 1)),
        "[r] lengths must be [n], one for each sequence; got lengths i32[?,1]; drop or add an"
            + " axis.");
  }

  @Test
  void initialStatesOfAnotherNetwork() {
    Variable<F32> v = Variable.input("v", F32, -1, -1, 3);
    fails(
        () -> new Recurrent("r", Cell.gru(), 4).of(v, List.of(Variable.input("h", F32, 1, -1, 5))),
        "[r] an initial state must be [layers, n, hidden], here [1, n, 4]; got h f32[1,?,5];"
            + " reshape it, or change the network.");
    fails(
        () -> new Recurrent("r", Cell.gru(), 4).of(v, List.of(Variable.input("h", F32, 2, -1, 4))),
        "[r] an initial state must be [layers, n, hidden], here [1, n, 4]; got h f32[2,?,4];"
            + " reshape it, or change the network.");
    fails(
        () -> new Recurrent("r", Cell.gru(), 4).of(v, List.of(Variable.input("h", F32, -1, 4))),
        "[r] an initial state must be [layers, n, hidden], here [1, n, 4]; got h f32[?,4]; reshape"
            + " it, or change the network.");
  }

  /** Labels of padding that would be those of class 0. */
  @Test
  void paddingOfAnotherField() {
    var rows = List.of(Map.of("v", new int[] {1, 2}, "y", 1), Map.of("v", new int[] {4}, "y", 2));
    fails(
        () -> new Batcher(Dataset.of(rows.iterator()), 2).padding("y", -100),
        "[batcher] only fields with examples of unequal lengths are padded; got y, and [v] are;"
            + " name one of these.");
    fails(
        () -> new Batcher(Dataset.of(rows.iterator()), 2).padding("v", 0.5),
        "[batcher] padding must be a value of an F32, F64, I32 or I64 field; got 0.5 for v"
            + " i32[2].");
  }

  @Test
  void mixupOfOtherLabels() {
    fails(
        () -> data().mixup("label", 3, 0.2, 1).mixup("label", 3, 0.2, 1),
        "[mixup] the data must have the label as a field, I32 without axes; got no label in [label"
            + " f32[3], x f32[8]]; mix the original data, once.");
    fails(
        () -> data().mixup("label", 3, -1, 1),
        "[mixup] alpha must be at least 0 and finite, and there must be a class; got alpha -1.0"
            + " and 3 classes.");
  }

  /** Epochs before a resumed checkpoint that lack the measure of early stopping. */
  @Test
  void anotherMetricAfterResuming() {
    trainer().checkpoints(folder).train(new Batcher(data(), 2), 3);
    var resumed = given(new Executor(CTX, logits, loss));
    var history =
        new Trainer(resumed, loss, Optimizer.sgd(0.1))
            .log(_ -> {})
            .metrics(Metric.accuracy(logits, label))
            .earlyStopping(2)
            .checkpoints(folder)
            .train(new Batcher(data(), 2), 5);
    assertThat(history.epochs()).isEqualTo(5);
  }

  /** Found before the first epoch. */
  @Test
  void validationDataOfAnotherModel() {
    var mixed = data().mixup("label", 3, 0.2, 1);
    var steps = new int[1];
    fails(
        () ->
            trainer()
                .afterStep(_ -> steps[0]++)
                .validation(new Batcher(mixed, 2))
                .train(new Batcher(data(), 2), 1),
        "[batch] a field must have the dtype of its input; got label f32[3] for label i32[?]; cast"
            + " the data, with Expr.cast(...), or declare the input so.");
    var wide = data(Map.of("x", CTX.ones(F32, 4, 9), "label", CTX.zeros(I32, 4)));
    fails(
        () ->
            trainer()
                .afterStep(_ -> steps[0]++)
                .validation(new Batcher(wide, 2))
                .train(new Batcher(data(), 2), 1),
        "[batch] a batch of a field must have the shape of its input; got x f32[9] for x f32[?,8];"
            + " reshape the data, or declare the input so.");
    assertThat(steps[0]).isZero();
  }

  @Test
  void distributionsOfAnotherShape() {
    fails(
        () -> softmaxCrossEntropyOf(logits, Variable.input("p", F32, -1)),
        "[softmaxCrossEntropyOf] the inputs must fit the operator; got head f32[?,3], p f32[?]:"
            + " [probabilities] target distributions must have the shape of the logits; got [?]"
            + " for [?,3]; labels of classes are for softmaxCrossEntropy.");
  }

  @Test
  void blankOfCtc() {
    Variable<F32> scores = Variable.input("scores", F32, -1, -1, 4);
    Variable<I32> text = Variable.input("text", I32, -1, -1);
    Variable<I32> lengths = Variable.input("lengths", I32, -1);
    fails(
        () -> ctc(scores, text, lengths, lengths, 4, true, Summary.MEAN),
        "[ctc] the blank must be one of the classes 0 to 3; got 4.");
  }

  @Test
  void batchFirstSequences() {
    fails(
        () -> {
          Variable<F32> v = Variable.input("v", F32, -1, 3);
          Recurrent.of(Cell.lstm(), 4).over("lstm", v);
        },
        "[lstm] the input must be [steps, n, in] with in known; got v f32[?,3]; add the missing"
            + " axis, or declare its width.");
  }

  @Test
  void tokenOutOfRange() {
    fails(
        () -> {
          Variable<I32> tokens = Variable.input("tokens", I32, -1);
          var embedded = new Executor(CTX, embedding("wte", tokens, 10, 4));
          embedded.set(tokens, CTX.tensor(new int[] {9, 10}));
          embedded.forward();
        },
        "[wte] indices must be from 0 to 9, the last row of the table; got 10 in tokens i32[?];"
            + " correct the indices, or make the table larger.");
  }

  @Test
  void negativeToken() {
    Variable<I32> tokens = Variable.input("tokens", I32, -1);
    var embedded = new Executor(CTX, embedding("wte", reshape(tokens, 1, -1), 10, 4));
    embedded.set(tokens, CTX.tensor(new int[] {9, -1}));
    fails(
        embedded::forward,
        "[wte] indices must be from 0 to 9, the last row of the table; got -1 in reshape i32[1,?];"
            + " choose a row for padding, with padding(0).");
    // Computed indices are checked in the kernel.
    Variable<I32> before = apply("before", I32, v -> v.get(tokens).minus(1), tokens);
    var computed = new Executor(CTX, embedding("wte", before, 10, 4));
    computed.set(tokens, CTX.tensor(new int[] {9, 0}));
    fails(
        computed::forward,
        "[take] indices must lie in [-10, 10); got -11 at position 1; check the indices or "
            + "the axis they select from");
  }

  @Test
  void unknownCsvColumn() {
    fails(
        () -> new CsvColumns().numbers("features", "Area").read(csv("area,price\n80,3\n")),
        "[csv] there must be a column Area; got the columns [area, price] of "
            + folder
            + "/data.csv.");
  }

  /** Town and price of validation data, numbered and scaled by themselves. */
  @Test
  void validationFileReadByItself() throws IOException {
    var columns = new CsvColumns().numbers("x", "area").category("town").standardized();
    var train = columns.read(csv("area,town\n2,Oslo\n4,Rome\n"));
    Path other = Files.writeString(folder.resolve("valid.csv"), "area,town\n3,Rome\n5,Rome\n");
    Variable<F32> area = Variable.input("x", F32, -1, 1);
    Variable<F32> mean = mean(dense("fc", area, 1));
    var towns = new Trainer(new Executor(CTX, mean), mean, Optimizer.sgd(0.1)).log(_ -> {});
    towns.validation(new Batcher(columns.read(other), 2));
    fails(
        () -> towns.train(new Batcher(train, 2), 1),
        "[train] validation data must have the classes, words and means of the training data; got x"
            + " with [4.0, 1.0], and [3.0, 1.0] in training; read a file with like(...) of the"
            + " training data, or give a folder its classes(...).");
    towns.validation(new Batcher(train.like(other).range(0, 1), 2)).train(new Batcher(train, 2), 1);
    var unscaled = new CsvColumns().category("town").read(other);
    fails(
        () -> towns.measure(new Batcher(unscaled.named("town"), 2)),
        "[train] validation data must have the classes, words and means of the training data; got"
            + " town with [Rome], and [Oslo, Rome] in training; read a file with like(...) of the"
            + " training data, or give a folder its classes(...).");
    fails(
        () -> Dataset.concat(List.of(train, columns.read(other))),
        "[concat] all data sets must have the same classes, words and means; got x with [3.0, 1.0]"
            + " and [4.0, 1.0]; read the other files with like(...) of the first, or give folders"
            + " its classes(...).");
  }

  @Test
  void textForANumber() {
    fails(
        () -> new CsvColumns().number("area").read(csv("area,price\nlarge,3\n")),
        "[csv] values must be numbers; got 'large' in column area of line 2 of "
            + folder
            + "/data.csv.");
  }

  @Test
  void missingValues() {
    fails(
        () -> new CsvColumns().number("area").read(csv("area,price\n,3\n")),
        "[csv] values must not be missing; got '' in column area of line 2 of "
            + folder
            + "/data.csv; decide on them with missing(...).");
  }

  @Test
  void classesOnTheSecondAxis() {
    fails(
        () ->
            softmaxCrossEntropy(
                Variable.input("z", F32, -1, 5, 8, 8), Variable.input("mask", I32, -1, 8, 8)),
        "[softmaxCrossEntropy] the inputs must fit the operator; got z f32[?,5,8,8], mask"
            + " i32[?,8,8]: [labels] labels must have one entry per row of the logits; got [?,8,8]"
            + " for logits [?,5,8,8]; move the axis of the classes, the second one, to the end with"
            + " permute.");
  }

  @Test
  void labelsOfMetrics() {
    Executor some = new Executor(CTX, logits, apply("copy", I32, v -> v.get(label), label));
    given(some).set(label, CTX.tensor(new int[] {0, -1, 3, 2}));
    some.forward();
    Metric accuracy = Metric.accuracy(logits, label);
    accuracy.update(some, 4);
    fails(
        accuracy::value,
        "[accuracy] labels must be from 0 to 2; got 2 others in label i32[?]; correct the labels,"
            + " or name the one of rows that do not count.");
    Metric best = Metric.topK(2, logits, label);
    best.update(some, 4);
    fails(
        best::value,
        "[top2] labels must be from 0 to 2; got 2 others in label i32[?]; correct the labels.");
    Metric calibration = Metric.calibrationError(logits, label);
    calibration.update(some, 4);
    fails(
        calibration::value,
        "[calibration] labels must be from 0 to 2; got 2 others in label i32[?]; correct the"
            + " labels.");
    some.set(label, CTX.tensor(new int[] {0, -1, 1, 2}));
    some.forward();
    accuracy.reset();
    accuracy.update(some, 4);
    fails(
        accuracy::value,
        "[accuracy] labels must be from 0 to 2; got 1 others in label i32[?]; correct the labels,"
            + " or name the one of rows that do not count.");
    Metric ofOthers = Metric.accuracy(logits, label, -1);
    ofOthers.update(some, 4);
    assertThat(ofOthers.value()).isBetween(0.0, 1.0);
  }

  @Test
  void accuracyOfOneScore() {
    Variable<F32> score = dense("score", x, 1);
    fails(
        () -> Metric.accuracy(score, label).update(ran(score), 4),
        "[accuracy] scores must be [..., classes] for labels [...], with at least two classes; got"
            + " scores [4,1] for labels [4] in score f32[?,1] and label i32[?]; for one score per"
            + " row, use Metric.binaryAccuracy.");
  }

  /** Returns an executor that has computed an output. */
  private Executor ran(Variable<F32> output) {
    var some = new Executor(CTX, output);
    some.set(x, CTX.ones(F32, 4, 8));
    some.set(label, CTX.zeros(I32, 4));
    some.forward();
    return some;
  }

  @Test
  void labelsOfAnotherBatch() {
    fails(
        () -> {
          executor.set(label, CTX.zeros(I32, 3));
          executor.step(loss, Optimizer.sgd(0.1));
        },
        "[labels] labels must have one entry per row of the logits; got [3] for logits "
            + "[4,3]; set the labels of the same batch, or run the logits alone, with"
            + " executor.sharing(logits).");
  }

  @Test
  void nanInTheData() {
    fails(
        () ->
            train(
                Map.of(
                    "x",
                    CTX.eval(CTX.ones(F32, 4, 8).times(Double.NaN)),
                    "label",
                    CTX.zeros(I32, 4))),
        "[train] the loss must be finite; got NaN in epoch 1, batch 1: the input x f32[?,8] is not"
            + " finite; lower the rate, clip gradients, or correct the data or the operator.");
  }

  @Test
  void forgottenLengths() {
    warns(
        () -> {
          Variable<F32> v = Variable.input("v", F32, -1, -1);
          Variable<F32> w = Variable.parameter("w", F32, Initializer.ones());
          Variable<F32> mean = mean(v.times(w));
          var rows = List.of(Map.of("v", new float[] {1, 2, 3}), Map.of("v", new float[] {4}));
          new Trainer(new Executor(CTX, mean), mean, Optimizer.sgd(0.1))
              .log(System.err::println)
              .train(new Batcher(Dataset.of(rows.iterator()), 2), 1);
        },
        "[train] a model of padded sequences should read their lengths; got [v] without "
            + "steps; declare an input \"steps\", I32 [n], for Recurrent.lengths or a mask, unless "
            + "the model ignores the padding.");
  }

  // Shapes

  @Test
  void sharedLayerOfAnotherWidth() {
    fails(
        () -> {
          var encoder = new Dense("enc", 4);
          encoder.of(x);
          encoder.of(Variable.input("z", F32, -1, 9));
        },
        "[enc] each input of a layer must have the width and the dtype of its first input; "
            + "got z f32[?,9], which needs weight f32[9,4], but the first one made enc.weight "
            + "f32[8,4]; create another layer for this input.");
  }

  @Test
  void channelsLast() {
    warns(
        () -> conv("c", Variable.input("image", F32, -1, 28, 28, 3), 8, Window.of(3, 3)),
        "[c] images should be [n, channels, height, width]; got image f32[?,28,28,3], with "
            + "28 channels and a width of 3; permute(v, 0, 3, 1, 2) makes the last axis the "
            + "channels");
  }

  @Test
  void imageWithoutChannels() {
    fails(
        () -> conv("c", Variable.input("image", F32, -1, 28, 28), 8, Window.of(3, 3)),
        "[c] the input must have 4 axes, with a known number of channels that the groups "
            + "divide, as they do the filters; got image f32[?,28,28], 8 filters, 1 group. "
            + "unsqueeze(v, 1) adds an axis of one channel.");
  }

  @Test
  void layerOfIntegers() {
    fails(
        () -> dense("fc", Variable.input("t", I32, -1, 8), 4),
        "[fc.weight] parameters must be floating point, since they are trained; got i32; convert"
            + " the input of a layer by apply(\"cast\", F32, v -> v.get(x).cast(F32), x), and keep"
            + " constants in Variable.state.");
    fails(
        () -> new Recurrent("gru", Cell.gru(), 4).of(Variable.input("t", I32, -1, -1, 8)),
        "[gru.0.input] parameters must be floating point, since they are trained; got i32; convert"
            + " the input of a layer by apply(\"cast\", F32, v -> v.get(x).cast(F32), x), and keep"
            + " constants in Variable.state.");
  }

  @Test
  void unknownWidth() {
    fails(
        () -> dense("fc", Variable.input("v", F32, -1, -1), 4),
        "[fc] the last dimension of the input must be known; got v f32[?,?]; declare it, or "
            + "reshape the input to a known width.");
  }

  @Test
  void forgottenFlatten() {
    fails(
        () -> {
          Variable<F32> image = Variable.input("image", F32, -1, 3, 8, 8);
          softmaxCrossEntropy(dense("fc", conv("c", image, 4, Window.of(3, 3)), 10), label);
        },
        "[softmaxCrossEntropy] the inputs must fit the operator; got fc f32[?,4,6,10], label "
            + "i32[?]: [labels] labels must have one entry per row of the logits; got [?] for "
            + "logits [?,4,6,10]; drop or add an axis.");
  }

  @Test
  void windowLargerThanTheImage() {
    fails(
        () -> conv("c", Variable.input("image", F32, -1, 3, 4, 4), 8, Window.of(5, 5)),
        "[c] the inputs must fit the operator; got image f32[?,3,4,4], c.weight "
            + "f32[8,3,5,5], c.bias f32[8]: [windows] sizes, strides and dilations must be "
            + "positive, one for each axis, and windows must fit; got sizes [5, 5], strides [1, "
            + "1], dilations [1, 1] for shape [?,3,4,4]; pad it first.");
  }

  @Test
  void poolingLargerThanTheImage() {
    fails(
        () -> maxPool(Variable.input("image", F32, -1, 3, 4, 4), Window.of(8, 8).stride(8, 8)),
        "[maxPool] the inputs must fit the operator; got image f32[?,3,4,4]: [windows] "
            + "sizes, strides and dilations must be positive, one for each axis, and windows must "
            + "fit; got sizes [8, 8], strides [8, 8], dilations [1, 1] for shape [?,3,4,4]; pad it "
            + "first.");
  }

  @Test
  void stridesForOtherAxes() {
    fails(
        () -> Window.of(3, 3).stride(2, 2, 2),
        "[window] there must be a stride for each axis, or one for all; got [2, 2, 2] for a "
            + "window of [3, 3].");
  }

  @Test
  void zeroStride() {
    fails(
        () -> maxPool(Variable.input("image", F32, -1, 3, 4, 4), Window.of(2, 2).stride(0, 0)),
        "[maxPool] the inputs must fit the operator; got image f32[?,3,4,4]: [windows] "
            + "sizes, strides and dilations must be positive, one for each axis, and windows must "
            + "fit; got sizes [2, 2], strides [0, 0], dilations [1, 1] for shape [?,3,4,4]; pad it "
            + "first.");
  }

  @Test
  void groupsThatDoNotDivide() {
    fails(
        () ->
            new Conv("c", 8, Window.of(3, 3))
                .groups(3)
                .of(Variable.input("image", F32, -1, 4, 8, 8)),
        "[c] the input must have 4 axes, with a known number of channels that the groups "
            + "divide, as they do the filters; got image f32[?,4,8,8], 8 filters, 3 groups.");
  }

  @Test
  void concatOfOtherExtents() {
    fails(
        () -> concat(0, x, Variable.input("z", F32, -1, 9)),
        "[concat] the inputs must fit the operator; got x f32[?,8], z f32[?,9]: [concat] "
            + "parts must have equal extents except along axis 0; got f32[?,8] and f32[?,9].");
  }

  @Test
  void meanOverAMissingAxis() {
    fails(
        () -> mean(x, 2),
        "[mean] the inputs must fit the operator; got x f32[?,8]: [sum] axis must lie in "
            + "[-2, 2); got axis 2 for shape [?,8]");
  }

  @Test
  void softmaxOverAMissingAxis() {
    fails(
        () -> softmax(x, 2),
        "[softmax] the inputs must fit the operator; got x f32[?,8]: [max] axis must lie in "
            + "[-2, 2); got axis 2 for shape [?,8]");
  }

  @Test
  void reshapeToAnotherSize() {
    fails(
        () -> reshape(Variable.input("v", F32, 4, 8), 5, 7),
        "[reshape] the inputs must fit the operator; got v f32[4,8]: [reshape] the number of "
            + "elements must not change; got [4,8] (32 elements) to [5,7] (35)");
  }

  @Test
  void permutationOfOtherAxes() {
    fails(
        () -> permute(x, 0, 2),
        "[permute] the inputs must fit the operator; got x f32[?,8]: [permute] axis must lie "
            + "in [-2, 2); got axis 2 for shape [?,8]");
  }

  @Test
  void sumOfOtherWidths() {
    fails(
        () -> x.plus(Variable.input("z", F32, -1, 7)),
        "[plus] the inputs must fit the operator; got x f32[?,8], z f32[?,7]: [add] shapes must"
            + " broadcast; got a f32[?,8], b f32[?,7]; last axis: 8 vs 7. Reshape one of them.");
  }

  @Test
  void productOfOtherWidths() {
    fails(
        () -> dot(x, Variable.input("z", F32, 7, 3)),
        "[dot] the inputs must fit the operator; got x f32[?,8], z f32[7,3]: [dot] inner "
            + "extents must be equal; got a f32[?,8], b f32[7,3]; 8 vs 7. Transpose one of them?");
  }

  @Test
  void squeezeOfAWideAxis() {
    fails(
        () -> squeeze(x, 1),
        "[squeeze] the inputs must fit the operator; got x f32[?,8]: [squeeze] a squeezed "
            + "axis must have extent 1; got axis 1 of shape [?,8]");
  }

  @Test
  void headsThatDoNotDivide() {
    fails(
        () -> {
          Variable<F32> sequence = Variable.input("v", F32, -1, 5, 8);
          multiHeadAttention("attn", sequence, sequence, 3, false);
        },
        "[attn] the input must be [batch, steps, width] with a known width that the heads "
            + "divide; got v f32[?,5,8] and 3 heads.");
  }

  @Test
  void oneExampleForBatchNorm() {
    fails(
        () -> {
          Variable<F32> v = Variable.input("v", F32, -1, 8);
          Variable<F32> square = mean(square(batchNorm("bn", v)));
          var normed = new Executor(CTX, square);
          normed.set(v, CTX.ones(F32, 1, 8));
          normed.backward(square);
        },
        "[bn] in training, batch normalization must have more than one value for each "
            + "channel; got v f32[?,8] of shape [1,8]; use larger batches, and dropLast() if the "
            + "last one is smaller.");
  }

  @Test
  void labelsWithAnAxis() {
    fails(
        () -> softmaxCrossEntropy(logits, Variable.input("label", I32, -1, 1)),
        "[softmaxCrossEntropy] the inputs must fit the operator; got head f32[?,3], label "
            + "i32[?,1]: [labels] labels must have one entry per row of the logits; got [?,1] for "
            + "logits [?,3]; drop or add an axis.");
  }

  @Test
  void targetsWithoutTheAxis() {
    fails(
        () -> meanSquaredError(dense("out", x, 1), Variable.input("target", F32, -1)),
        "[meanSquaredError] the inputs must fit the operator; got out f32[?,1], target "
            + "f32[?]: [meanSquaredError] the inputs must have the same shape, or one be a scalar; "
            + "got [?,1] and [?]; reshape one.");
  }

  @Test
  void parameterOfUnknownSize() {
    fails(
        () -> Variable.parameter("w", F32, Initializer.ones(), -1, 8),
        "[w] the extents of parameters and states must be known; got [?,8]; give all extents.");
  }

  // Model

  @Test
  void softmaxBeforeItsLoss() {
    fails(
        () -> softmaxCrossEntropy(softmax(logits, 1), label),
        "[softmaxCrossEntropy] the loss must be of logits, since it applies softmax or "
            + "sigmoid itself; got softmax f32[?,3], which are probabilities; leave softmax out.");
  }

  @Test
  void sigmoidBeforeItsLoss() {
    fails(
        () -> binaryCrossEntropy(sigmoid(logits), Variable.input("target", F32, -1, 3)),
        "[binaryCrossEntropy] the loss must be of logits, since it applies softmax or "
            + "sigmoid itself; got sigmoid f32[?,3], which are probabilities; leave sigmoid out.");
  }

  @Test
  void probabilitiesForTheDivergence() {
    fails(
        () -> klDivergence(softmax(logits, 1), Variable.input("target", F32, -1, 3)),
        "[klDivergence] the model must yield log-probabilities; got softmax f32[?,3], which "
            + "are probabilities; use logSoftmax.");
  }

  @Test
  void dropoutInPercent() {
    fails(() -> dropout(x, 50), "[dropout] the rate must be at least 0 and below 1; got 50.0.");
  }

  @Test
  void layersOfOneName() {
    fails(
        () -> new Executor(CTX, dense("fc", dense("fc", x, 8), 8)),
        "[executor] parameters and states must have unique names; got fc.weight f32[8,8] and "
            + "fc.weight f32[8,8]; rename one, or apply one layer or part twice to share its "
            + "parameters: var layer = new Dense(\"name\", 64) or var layer = Shared.of(v -> ...); "
            + "layer.of(a); layer.of(b).");
  }

  @Test
  void optionsAfterTheFirstUse() {
    fails(
        () -> {
          var layer = new Dense("fc", 4);
          layer.of(x);
          layer.bias(false);
        },
        "[fc] options must be set before the first application of a layer; got bias(false) "
            + "after it; set it where the layer is created.");
  }

  @Test
  void variablesWithoutName() {
    fails(
        () -> Variable.input("", F32, -1),
        "[variable] a variable must have a name; got \"\"; name it, as in Variable.input(\"x\","
            + " F32, -1, 8).");
    fails(
        () -> Variable.state(null, F32, Initializer.ones(), 3),
        "[variable] a variable must have a name; got null; name it, as in Variable.input(\"x\","
            + " F32, -1, 8).");
  }

  @Test
  void twoInputsOfOneName() {
    fails(
        () -> {
          Variable<F32> sum = x.plus(Variable.input("x", F32, -1, 8));
          given(new Executor(CTX, sum)).forward();
        },
        "[run] every input must have a value; got none for x f32[?,8], although another input has"
            + " this name; declare each input once.");
  }

  @Test
  void executorWithoutOutputs() {
    fails(
        () -> new Executor(CTX),
        "[executor] there must be an output; got none; name the losses and other variables "
            + "that runs compute.");
  }

  @Test
  void outputThatTheExecutorLacks() {
    fails(
        () -> new Executor(CTX, loss).tensor(logits),
        "[tensor] the variable must be an output that a run has computed; got head f32[?,3]; "
            + "name it when the executor is made, and run forward() first.");
  }

  @Test
  void outputBeforeTheFirstRun() {
    fails(
        () -> new Executor(CTX, loss).tensor(loss),
        "[tensor] the variable must be an output that a run has computed; got "
            + "softmaxCrossEntropy f32[]; name it when the executor is made, and run forward() "
            + "first.");
  }

  @Test
  void parameterOfAnotherModel() {
    fails(
        () -> executor.tensor(Variable.parameter("w", F32, Initializer.ones(), 3)),
        "[tensor] the executor must have a value of the variable; got w f32[3], which no "
            + "output reads; name an output that reads it when the executor is made.");
  }

  @Test
  void stateOfAnotherModel() {
    fails(
        () -> executor.tensor(Variable.state("w", F32, Initializer.ones(), 3)),
        "[tensor] the executor must have a value of the variable; got w f32[3], which no "
            + "output reads; name an output that reads it when the executor is made.");
  }

  @Test
  void noUnits() {
    fails(() -> new Dense("fc", 0), "[fc] a layer must have at least one unit; got 0.");
  }

  @Test
  void parameterOfAnotherDtype() {
    fails(
        () -> executor.tensor(Variable.parameter("w", F64, Initializer.ones(), 3)),
        "[tensor] the executor must have a value of the variable; got w f64[3], which no "
            + "output reads; name an output that reads it when the executor is made.");
  }

  @Test
  void valueOfAnInputThatIsNotSet() {
    fails(
        () -> new Executor(CTX, loss).tensor(x),
        "[tensor] the executor must have a value of the variable; got x f32[?,8]; call set "
            + "first.");
  }

  @Test
  void noLoss() {
    fails(
        () -> executor.backward(null),
        "[backward] the loss must be one of the outputs; got null; name it when the executor "
            + "is made.");
  }

  // Training

  @Test
  void lossForEachRow() {
    fails(
        () -> {
          Variable<F32> rows = softmaxCrossEntropy(logits, label, Summary.NONE);
          given(new Executor(CTX, rows)).step(rows, Optimizer.sgd(0.1));
        },
        "[backward] the loss must be a scalar; got softmaxCrossEntropy f32[?] of shape [4]; "
            + "take its sum or mean.");
  }

  @Test
  void lossThatTheExecutorLacks() {
    fails(
        () -> given(new Executor(CTX, logits)).step(loss, Optimizer.sgd(0.1)),
        "[backward] the loss must be one of the outputs; got softmaxCrossEntropy f32[]; name "
            + "it when the executor is made.");
  }

  @Test
  void lossWithoutParameters() {
    fails(
        () -> {
          Variable<F32> plain = mean(x);
          given(new Executor(CTX, plain)).step(plain, Optimizer.sgd(0.1));
        },
        "[backward] a parameter, or an input that wantGradients named, must influence the "
            + "loss; got mean f32[], which none of them reaches; compute it from a parameter, "
            + "without stopGradient in between.");
  }

  @Test
  void accuracyAsLoss() {
    fails(
        () -> {
          Variable<I64> right = sum(argMax(logits, 1));
          given(new Executor(CTX, right)).step(right, Optimizer.sgd(0.1));
        },
        "[gradient] results and inputs must be floating point; got i64[]; cast first, as in "
            + "x.cast(F32).");
  }

  @Test
  void noOptimizer() {
    fails(
        () -> executor.step(loss, null),
        "[step] there must be an optimizer; got null; call backward(loss) for gradients "
            + "without an update.");
  }

  @Test
  void nothingForSomething() {
    fails(
        () -> new Trainer(executor, loss, null),
        "[train] a trainer must have an executor, a loss and an optimizer; got no optimizer.");
    fails(
        () -> Optimizer.adam(0.1).group("fc.*", _ -> null),
        "[optimizer] a group must have settings; got null; return those of the argument, as in g"
            + " -> g.rate(1e-4).");
    fails(
        () -> Optimizer.adam(0.1).named(null),
        "[optimizer] a name must not be empty, be a number or contain a slash; got \"null\".");
    fails(
        () -> executor.freeze((String) null),
        "[pattern] a pattern of names must be a text; got null; \"*\" matches all names.");
  }

  @Test
  void betasOfAdam() {
    fails(
        () -> Optimizer.adam(Schedule.constant(1e-3), 0.5, 1, 1e-8),
        "[optimizer] the decay of running means must be at least 0 and below 1; got 1.0.");
  }

  @Test
  void freezingUnknownNames() {
    fails(
        () -> executor.freeze("encoder.*"),
        "[freeze] a pattern must match the name of a parameter; got \"encoder.*\"; the nearest "
            + "name is fc.weight.");
  }

  @Test
  void unfreezingUnknownNames() {
    fails(
        () -> executor.unfreeze("haed.*"),
        "[unfreeze] a pattern must match the name of a parameter; got \"haed.*\"; the nearest "
            + "name is head.weight.");
  }

  @Test
  void everythingFrozen() {
    fails(
        () -> {
          executor.freeze("*");
          executor.step(loss, Optimizer.sgd(0.1));
        },
        "[backward] a parameter that is neither frozen nor left to other optimizers must "
            + "influence the loss; got softmaxCrossEntropy f32[], which none of them reaches; "
            + "unfreeze a parameter that does, or use an optimizer that updates one.");
  }

  @Test
  void groupOfUnknownNames() {
    fails(
        () -> executor.step(loss, Optimizer.adam(0.1).group("backbone.*", g -> g.rate(0.01))),
        "[optimizer] a pattern must match the name of a parameter; got \"backbone.*\"; the "
            + "nearest name is fc.weight.");
  }

  @Test
  void onlyUnknownNames() {
    fails(
        () -> executor.step(loss, Optimizer.adam(0.1).only("generator.*")),
        "[optimizer] a pattern must match the name of a parameter; got \"generator.*\"; the "
            + "nearest name is head.weight.");
  }

  @Test
  void negativeRate() {
    fails(
        () -> Optimizer.adamW(-1e-3),
        "[optimizer] a learning rate must be finite and at least 0; got -0.001.");
  }

  @Test
  void rateOfNan() {
    fails(
        () -> Optimizer.sgd(Double.NaN),
        "[optimizer] a learning rate must be finite and at least 0; got NaN.");
  }

  @Test
  void decayOfMeansOfOne() {
    fails(
        () -> Optimizer.adamW(Schedule.constant(1e-3), 0.9, 1, 1e-8, 0),
        "[optimizer] the decay of running means must be at least 0 and below 1; got 1.0.");
  }

  @Test
  void clippingToZero() {
    fails(
        () -> Optimizer.adam(1e-3).clip(0),
        "[optimizer] the maximum gradient norm must be above 0; got 0.0.");
  }

  @Test
  void scheduleWithoutSteps() {
    fails(
        () -> Schedule.cosine(1e-3, 0), "[optimizer] a schedule must have at least 1 step; got 0.");
  }

  @Test
  void updateWithoutGradients() {
    fails(
        () -> executor.update(Optimizer.sgd(0.1)),
        "[update] gradients must have been computed; got none; call backward(loss) first.");
  }

  @Test
  void gradientBeforeTheBackwardPass() {
    fails(
        () -> executor.gradientOf(executor.parameters().getFirst()),
        "[gradientOf] the variable must be a parameter, or an input named by wantGradients, "
            + "with a computed gradient; got fc.weight f32[8,16]; run backward(loss) first.");
  }

  @Test
  void gradientOfAnInput() {
    fails(
        () -> {
          executor.backward(loss);
          executor.gradientOf(x);
        },
        "[gradientOf] the variable must be a parameter, or an input named by wantGradients, "
            + "with a computed gradient; got x f32[?,8]; call wantGradients with it and run "
            + "backward(loss) first.");
  }

  @Test
  void averagesThatNobodyKeeps() {
    fails(
        () -> {
          Optimizer adam = Optimizer.adam(0.1);
          executor.step(loss, adam);
          executor.average(executor.parameters().getFirst(), adam);
        },
        "[average] the optimizer must average parameters and have updated this one; got "
            + "fc.weight f32[8,16]; make the optimizer with average(decay).");
  }

  @Test
  void trainingASharingExecutor() {
    fails(
        () -> given(executor.sharing(loss)).step(loss, Optimizer.sgd(0.1)),
        "[backward] only the executor that owns the parameters may train them; got one that "
            + "shares them; train the owner.");
  }

  @Test
  void fullPrecisionAsMixed() {
    fails(
        () -> executor.mixedPrecision(F32),
        "[mixedPrecision] the narrow dtype must be F16 or BF16; got f32.");
  }

  @Test
  void noEpochs() {
    fails(
        () -> trainer().train(new Batcher(data(), 2), 0),
        "[train] there must be at least 1 epoch; got 0.");
  }

  @Test
  void metricOfAnUnknownOutput() {
    fails(
        () -> {
          var lean = new Executor(CTX, loss);
          new Trainer(lean, loss, Optimizer.sgd(0.1))
              .log(_ -> {})
              .metrics(Metric.accuracy(logits, label))
              .train(new Batcher(data(), 2), 1);
        },
        "[tensor] the variable must be an output that a run has computed; got head f32[?,3]; "
            + "name it when the executor is made, and run forward() first.");
  }

  @Test
  void metricsOfOneName() {
    fails(
        () -> trainer().metrics(Metric.accuracy(logits, label), Metric.accuracy(logits, label)),
        "[train] metrics must have unique names other than loss; got [accuracy, accuracy]; "
            + "change one with named(...).");
  }

  @Test
  void explodingLoss() {
    fails(
        () -> {
          var fast = new Trainer(executor, loss, Optimizer.sgd(1e30)).log(_ -> {});
          fast.train(new Batcher(data(), 2), 5);
        },
        "[train] the loss must be finite; got NaN in epoch 1, batch 2: the first operator to "
            + "yield NaN is softmaxCrossEntropy f32[], from head f32[?,3] of -Infinity to "
            + "Infinity, label i32[?] of 0.000 to 0.000; lower the rate, clip gradients, or "
            + "correct the data or the operator.");
  }

  @Test
  void stepAfterClosing() {
    fails(
        () -> {
          Executor closed;
          try (var ctx = Context.open()) {
            closed = new Executor(ctx, loss);
            closed.set(x, ctx.ones(F32, 4, 8));
            closed.set(label, ctx.zeros(I32, 4));
          }
          closed.step(loss, Optimizer.sgd(0.1));
        },
        "[empty] the context must be open; it was closed. Open another one.");
  }

  @Test
  void optimizerInTheLoop() {
    warns(
        () -> {
          for (int k = 0; k < 3; k++) {
            executor.step(loss, Optimizer.adam(0.001));
          }
        },
        "[step] a parameter should keep its optimizer; got a new one, adam.2, for fc.weight "
            + "f32[8,16], which has adam; make the optimizer once, before the loop, or name that "
            + "of a new training phase with named(...)");
  }

  @Test
  void regularExpressionForNames() {
    fails(
        () -> executor.freeze("fc\\..*"),
        "[freeze] a pattern must match the name of a parameter; got \"fc\\..*\"; the nearest "
            + "name is fc.weight.");
  }

  // Files

  @Test
  void weightsOfAnotherModel() {
    fails(
        () -> {
          Path file = folder.resolve("other.safetensors");
          new Executor(CTX, dense("head", dense("fc1", x, 16), 4)).save(file);
          executor.load(file);
        },
        "[load] the file must have a tensor for each parameter and state; got "
            + folder
            + "/other.safetensors with fc.weight f32[8,16] missing, fc.bias f32[16] missing, "
            + "head.weight f32[16,3] is f32[16,4] in the file, head.bias f32[3] is f32[4] in the "
            + "file; other tensors of the file: fc1.weight, fc1.bias, executor/step; rename them "
            + "by Rules.rename, or let variables keep their values by optional.");
  }

  /** A prefix that the model does not have, with {@code strict=False} of PyTorch. */
  @Test
  void nothingLoaded() {
    Path file = folder.resolve("prefixed.safetensors");
    new Executor(CTX, dense("model.fc", x, 16)).save(file);
    fails(
        () -> executor.load(file, Rules.exact().optional("*")),
        "[load] the file must have a tensor for at least one variable; got none in "
            + folder
            + "/prefixed.safetensors, which has model.fc.weight, model.fc.bias, executor/step, for"
            + " a model that has fc.weight, fc.bias, head.weight, head.bias; rename them by"
            + " Rules.rename.");
  }

  @Test
  void missingWeights() {
    fails(
        () -> executor.load(folder.resolve("nowhere.pt")),
        "[load] a tensor file must exist and be readable; got "
            + folder
            + "/nowhere.pt (no such file); check the path");
  }

  @Test
  void weightsAsText() {
    fails(
        () -> executor.load(csv("area")),
        "[load] a tensor file must be named .npy, .npz, .safetensors, .pt or .pth; got "
            + folder
            + "/data.csv; rename it");
  }

  @Test
  void checkpointOfAnotherModel() {
    fails(
        () -> {
          Path file = folder.resolve("other.safetensors");
          new Executor(CTX, dense("fc", x, 5)).save(file);
          executor.restore(file);
        },
        "[restore] tensors must have the model's dtype and shape; got fc.weight f32[8,5] in "
            + folder
            + "/other.safetensors for fc.weight f32[8,16]; build the model that was saved.");
  }

  @Test
  void checkpointAsPt() {
    fails(
        () -> executor.save(Path.of("model.pt")),
        "[checkpoint] the file must be named .safetensors; got model.pt; rename it.");
  }

  @Test
  void pictureAsPng() {
    fails(
        () -> executor.picture(Path.of("model.png")),
        "[picture] the file name must end in .svg; got model.png; rename the file.");
  }

  @Test
  void onnxOfRandomNumbers() {
    fails(
        () -> {
          Variable<F32> noisy = apply("noise", F32, v -> v.get(x).plus(Ops.uniform(F32, 1, 8)), x);
          given(new Executor(CTX, noisy)).exportOnnx(folder.resolve("model.onnx"));
        },
        "[onnx] an exported model must consist of operations that ONNX has; got noise, which "
            + "needs random numbers; export the variables before it.");
  }

  @Test
  void onnxOfAnotherModel() {
    fails(
        () -> executor.exportOnnx(folder.resolve("model.onnx"), dense("other", x, 2)),
        "[tensor] the executor must have a value of the variable; got other.weight f32[8,2], "
            + "which no output reads; name an output that reads it when the executor is made.");
  }

  @Test
  void emptyLists() {
    fails(() -> Layers.<F32>concat(0), "[concat] there must be at least one part; got none.");
    fails(() -> Layers.<F32>stack(0), "[stack] there must be at least one part; got none.");
  }

  @Test
  void layersWithoutName() {
    fails(
        () -> new Dense("", 4),
        "[layer] a layer must have a name, the prefix of its parameters; got \"\"; name it, as in"
            + " new Dense(\"fc1\", 64).");
    fails(
        () -> new Conv(null, 4, Window.of(3, 3)),
        "[layer] a layer must have a name, the prefix of its parameters; got null; name it, as in"
            + " new Dense(\"fc1\", 64).");
  }

  @Test
  void noFilters() {
    fails(() -> new Conv("c", 0, Window.of(3, 3)), "[c] there must be at least one filter; got 0.");
  }

  @Test
  void noRate() {
    fails(
        () -> Optimizer.momentum(null, 0.9, false),
        "[optimizer] there must be a learning rate schedule; got null; a constant rate is"
            + " Schedule.constant(1e-3).");
  }
}
