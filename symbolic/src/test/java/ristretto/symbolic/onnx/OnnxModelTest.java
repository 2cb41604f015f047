package ristretto.symbolic.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.BOOL;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.normal;
import static ristretto.expr.Ops.uniform;
import static ristretto.symbolic.Layers.*;

import ai.onnxruntime.OrtEnvironment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.kernels.FileException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.optim.Optimizer;

/** Whole models in ONNX Runtime, and what cannot be said. */
class OnnxModelTest {
  private static final Context CTX = Context.open();
  private static final double TOLERANCE = 2e-5;

  @TempDir Path folder;

  @AfterAll
  static void close() {
    CTX.close();
  }

  private Path file() {
    return folder.resolve("model.onnx");
  }

  private record Network(String cell, int layers, String way, boolean lengths, boolean initial) {
    Recurrent make() {
      Recurrent r = Recurrent.of(of(cell), 3).layers(layers).dropout(0.2);
      return switch (way) {
        case "both" -> r.bidirectional();
        case "back" -> r.reverse();
        default -> r;
      };
    }

    private static Cell of(String name) {
      return switch (name) {
        case "tanh" -> Cell.tanh();
        case "relu" -> Cell.relu();
        case "lstm" -> Cell.lstm();
        default -> Cell.gru();
      };
    }
  }

  static Stream<Network> networks() {
    return Stream.of("tanh", "relu", "lstm", "gru")
        .flatMap(cell ->
            Stream.of(
                new Network(cell, 1, "forth", false, false),
                new Network(cell, 2, "forth", false, true),
                new Network(cell, 1, "back", true, false),
                new Network(cell, 2, "both", true, true)));
  }

  @ParameterizedTest
  @MethodSource("networks")
  void recurrent(Network n) throws Exception {
    Variable<F32> x = Variable.input("x", F32, -1, -1, 4);
    Variable<I32> lengths = Variable.input("lengths", I32, -1);
    long directions = n.way.equals("both") ? 2 : 1;
    List<Variable<F32>> initial =
        n.initial
            ? Stream.of("h", "c")
                .limit(n.cell.equals("lstm") ? 2 : 1)
                .map(name -> Variable.input(name, F32, n.layers * directions, -1, 3))
                .toList()
            : List.of();
    Recurrent network = n.lengths ? n.make().lengths(lengths) : n.make();
    var result = network.over("net", x, initial);
    List<Variable<?>> outputs = new java.util.ArrayList<>(List.of(result.outputs()));
    outputs.add(dense("out", result.outputs(), 5));
    var executor = new Executor(CTX, 5, outputs.toArray(Variable<?>[]::new));
    executor.exportOnnx(file());
    for (long steps : new long[] {4, 6}) {
      long batch = steps - 2;
      executor.set(x, normal(F32, steps, steps, batch, 4));
      if (n.lengths) {
        executor.set(lengths, CTX.arange(I32, batch).rem(4).plus(1));
      }
      for (Variable<F32> v : initial) {
        executor.set(v, normal(F32, 3, n.layers * directions, batch, 3));
      }
      OnnxRun.compare(file(), executor, outputs, TOLERANCE);
    }
  }

  @Test
  void axesThatMustBeEqualAreGivenOneName() throws Exception {
    Variable<F32> x = Variable.input("x", F32, -1, 6);
    Variable<F32> more = Variable.input("more", F32, -1, 4);
    Variable<I32> labels = Variable.input("labels", I32, -1);
    Variable<F32> other = Variable.input("other", F32, -1, 2);
    Variable<F32> logits = dense("out", relu(concat(1, x, more)), 3);
    Variable<F32> loss = softmaxCrossEntropy(logits, labels);
    Variable<F32> apart = sum(other, 1);
    var executor = new Executor(CTX, logits, loss, apart);
    executor.exportOnnx(file());
    executor.set(x, uniform(F32, 1, 5, 6));
    executor.set(more, uniform(F32, 2, 5, 4));
    executor.set(labels, CTX.arange(I32, 5).rem(3));
    executor.set(other, uniform(F32, 3, 8, 2));
    OnnxRun.compare(file(), executor, List.of(logits, loss, apart), TOLERANCE);
    try (var session = OrtEnvironment.getEnvironment().createSession(file().toString())) {
      assertThat(session.getInputInfo().get("labels").toString()).contains("[x.0]");
      assertThat(session.getInputInfo().get("other").toString()).contains("[other.0,");
    }
  }

  @Test
  void masksAndWordsOfALanguageModel() throws Exception {
    Variable<I32> words = Variable.input("words", I32, -1, -1);
    Variable<ristretto.expr.type.BOOL> mask = Variable.input("mask", BOOL, -1, 1, -1);
    Variable<F32> vectors = embedding("words", words, 11, 8);
    Variable<F32> seen =
        layerNorm("norm", vectors.plus(multiHeadAttention("heads", vectors, vectors, 2, true)));
    Variable<F32> masked = attention(seen, seen, seen, mask);
    Variable<F32> top =
        apply("top", F32, x -> x.get(masked).permute(1, 0, 2).reshape(-1, 8), masked);
    Variable<F32> scores = dense("scores", gelu(top), 11);
    var executor = new Executor(CTX, 2, scores);
    executor.exportOnnx(file());
    for (long steps : new long[] {3, 7}) {
      executor.set(words, CTX.eval(uniform(F32, 1, 2, steps).times(11).cast(I32)));
      executor.set(mask, CTX.eval(uniform(F32, 2, 2, 1, steps).lt(0.7)));
      OnnxRun.compare(file(), executor, List.of(scores), TOLERANCE);
    }
  }

  @Test
  void trainedModelsInDoublePrecision() throws Exception {
    Variable<F64> x = Variable.input("x", F64, -1, 5);
    Variable<F64> h = batchNorm("norm", dropout(dense("first", x, 7), 0.3));
    Variable<F64> y = dense("second", silu(h), 2);
    Variable<F64> loss = mean(square(y));
    var executor = new Executor(CTX, y, loss);
    executor.set(x, normal(F64, 1, 9, 5));
    for (int k = 0; k < 5; k++) {
      executor.step(loss, Optimizer.adam(0.01));
    }
    executor.exportOnnx(file(), y);
    OnnxRun.compare(file(), executor, List.of(y), 1e-12);
  }

  /** An operator without a formula. */
  private static final class Twice extends Operator {
    private final Variable<F32> in;
    private final Variable<F32> out;

    Twice(Variable<F32> in) {
      super("twice", List.of(in));
      this.in = in;
      this.out = output(F32, in.dims());
    }

    @Override
    protected void forward(OperatorContext x) {
      x.assign(out, x.get(in).times(2));
    }

    @Override
    protected void backward(OperatorContext x) {
      x.addGradient(in, x.gradient(out).times(2));
    }
  }

  private void refused(Variable<?> y, String message) {
    assertThatThrownBy(() -> new Executor(CTX, y).exportOnnx(file()))
        .isInstanceOf(OnnxException.class)
        .hasMessage(message);
    assertThat(file()).doesNotExist();
  }

  @Test
  void whatCannotBeSaidNamesTheOperator() {
    Variable<F32> x = Variable.input("x", F32, -1, 3);
    refused(
        new Twice(x).out,
        "[onnx] an operator must be a formula, or built in; got twice, a user-defined class; make"
            + " it with Layers.apply, or export the variables before it.");
    refused(
        apply("noise", F32, v -> v.get(x).plus(uniform(F32, 1, 3)), x),
        "[onnx] an exported model must consist of operations that ONNX has; got noise, which needs"
            + " random numbers; export the variables before it.");
    refused(
        apply("angle", F32, v -> Ops.atan2(v.get(x), v.get(x)), x),
        "[onnx] an exported model must consist of operations that ONNX has; got angle, which needs"
            + " atan2 of f32; export the variables before it.");
    refused(
        apply("windows", F32, v -> Ops.windows(v.get(x), 2), x),
        "[onnx] an exported model must consist of operations that ONNX has; got windows, which"
            + " needs windows; export the variables before it.");
    Variable<F32> sequence = Variable.input("sequence", F32, -1, -1, 3);
    var cell =
        new Cell(1, 1, false) {
          @Override
          protected <T> List<Expr<T>> next(List<Expr<T>> in, List<Expr<T>> h, List<Expr<T>> last) {
            return List.of(Ops.sin(in.get(0)));
          }
        };
    assertThatThrownBy(() ->
            new Executor(CTX, Recurrent.of(cell, 2).over("waves", sequence).outputs())
                .exportOnnx(file()))
        .isInstanceOf(OnnxException.class)
        .hasMessage(
            "[onnx] a cell must be built in; got waves.0, which uses a user-defined class; export"
                + " the variables before it.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"missing/model.onnx"})
  void filesThatCannotBeWritten(String name) throws Exception {
    Variable<F32> x = Variable.input("x", F32, -1, 3);
    Path file = folder.resolve(name);
    assertThatThrownBy(() -> new Executor(CTX, relu(x)).exportOnnx(file))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[onnx] the file must be writable; got %s (%s); check the path."
                .formatted(file, file.getParent()));
    try (var files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }
}
