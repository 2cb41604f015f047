package ristretto.symbolic.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.symbolic.Layers.apply;
import static ristretto.symbolic.Layers.conv;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.mean;
import static ristretto.symbolic.Layers.relu;
import static ristretto.symbolic.Layers.softmaxCrossEntropy;
import static ristretto.symbolic.Layers.square;
import static ristretto.symbolic.Layers.sum;
import static ristretto.symbolic.Layers.tanh;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Shared;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.layers.Window;

/** Numbers of a summary against formulas, and its text. */
class ModelSummaryTest {
  private static ModelSummary.Row row(ModelSummary summary, String name) {
    List<ModelSummary.Row> found =
        summary.rows().stream().filter(r -> r.name().equals(name)).toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  @Test
  void textOfAClassifier() {
    try (var ctx = Context.open()) {
      Variable<F32> x = Variable.input("x", F32, -1, 784);
      Variable<I32> label = Variable.input("label", I32, -1);
      Variable<F32> scores = dense("second", relu(dense("first", x, 128)), 10);
      var executor = new Executor(ctx, scores, softmaxCrossEntropy(scores, label));
      assertThat(executor.summary().toString())
          .isEqualTo(
              """
              layer                output      parameters   FLOPs           memory
              x                    f32[?,784]                              3.14 kB   0.8 %
              label                i32[?]                                      4 B   0.0 %
              first                f32[?,128]     100,480   201 k  98.6 %   402 kB  97.8 %
              relu                 f32[?,128]                 128   0.1 %    512 B   0.1 %
              second               f32[?,10]        1,290  2.57 k   1.3 %  5.20 kB   1.3 %
              softmaxCrossEntropy  f32[]                       74   0.0 %      4 B   0.0 %
              total                               101,770   204 k           411 kB
              FLOPs and memory of a forward pass with x[1,784], label[1]
              """);
      executor.set(x, Ops.fill(F32, 0, 50, 784));
      executor.set(label, Ops.fill(I32, 0, 50));
      assertThat(executor.summary().toString())
          .contains(
              "first                f32[?,128]     100,480",
              "forward pass with x[50,784], label[50]\n");
      assertThat(row(executor.summary(), "first").operations())
          .isEqualTo(OptionalLong.of(50L * (2 * 784 * 128 + 128)));
    }
  }

  @Test
  void denseByFormula() {
    try (var ctx = Context.open()) {
      Variable<F32> x = Variable.input("x", F32, -1, 7);
      var executor = new Executor(ctx, dense("d", x, 5));
      executor.set(x, Ops.fill(F32, 0, 3, 7));
      ModelSummary.Row d = row(executor.summary(), "d");
      assertThat(d.parameters()).isEqualTo(7 * 5 + 5);
      assertThat(d.operations()).isEqualTo(OptionalLong.of(2 * 3 * 7 * 5 + 3 * 5));
      assertThat(d.bytes()).isEqualTo(OptionalLong.of(4 * (7 * 5 + 5 + 3 * 5)));
      assertThat(executor.summary().operations()).isEqualTo(2 * 3 * 7 * 5 + 3 * 5);
      assertThat(executor.summary().bytes()).isEqualTo(4 * (3 * 7 + 7 * 5 + 5 + 3 * 5));
    }
  }

  @Test
  void convolutionByFormula() {
    try (var ctx = Context.open()) {
      Variable<F32> x = Variable.input("x", F32, -1, 6, 9, 11);
      var executor = new Executor(ctx, conv("c", x, 4, Window.of(3, 5), 2));
      executor.set(x, Ops.fill(F32, 0, 2, 6, 9, 11));
      ModelSummary.Row c = row(executor.summary(), "c");
      long results = 2 * 4 * 7 * 7;
      assertThat(c.parameters()).isEqualTo(4 * 3 * 3 * 5 + 4);
      assertThat(c.operations()).isEqualTo(OptionalLong.of(2 * results * 3 * 3 * 5 + results));
      assertThat(c.bytes()).isEqualTo(OptionalLong.of(4 * (4 * 3 * 3 * 5 + 4 + results)));
    }
  }

  @Test
  void recurrenceCountsEachStep() {
    try (var ctx = Context.open()) {
      Variable<F32> x = Variable.input("x", F32, -1, -1, 3);
      var executor = new Executor(ctx, Recurrent.of(Cell.lstm(), 5).over("lstm", x).outputs());
      executor.set(x, Ops.fill(F32, 0, 1, 2, 3));
      long one = executor.summary().operations();
      executor.set(x, Ops.fill(F32, 0, 17, 2, 3));
      assertThat(executor.summary().operations()).isEqualTo(17 * one);
      assertThat(one).isGreaterThan(2 * 2 * 20 * (3 + 5));
    }
  }

  @Test
  void sharedParametersCountOnce() {
    try (var ctx = Context.open()) {
      Variable<F32> a = Variable.input("a", F32, -1, 8);
      Variable<F32> b = Variable.input("b", F32, -1, 8);
      var encoder = Shared.of((Variable<F32> v) -> tanh(dense("encoder", v, 4)));
      Variable<F32> distance = sum(square(encoder.of(a).minus(encoder.of(b))), 1);
      var executor = new Executor(ctx, distance);
      ModelSummary summary = executor.summary();
      assertThat(summary.parameters())
          .isEqualTo(executor.parameters().stream().mapToLong(p -> p.dims().shape().size()).sum());
      assertThat(summary.parameters()).isEqualTo(8 * 4 + 4);
      assertThat(summary.toString())
          .isEqualTo(
              """
              layer    output    parameters  FLOPs          memory
              b        f32[?,8]                               32 B  10.4 %
              a        f32[?,8]                               32 B  10.4 %
              encoder  f32[?,4]          36     68  43.6 %   160 B  51.9 %
              tanh     f32[?,4]                  4   2.6 %    16 B   5.2 %
              encoder  f32[?,4]      shared     68  43.6 %    16 B   5.2 %
              tanh     f32[?,4]                  4   2.6 %    16 B   5.2 %
              minus    f32[?,4]                  4   2.6 %    16 B   5.2 %
              square   f32[?,4]                  4   2.6 %    16 B   5.2 %
              sum      f32[?]                    4   2.6 %     4 B   1.3 %
              total                      36    156           308 B
              FLOPs and memory of a forward pass with b[1,8], a[1,8]
              """);
    }
  }

  /** An operator whose cost is unknown, or that refuses dimensions of 1, is marked. */
  @Test
  void unknownNumbersAreMarked() {
    try (var ctx = Context.open()) {
      Variable<F32> x = Variable.input("image", F32, -1, 1, -1, -1);
      var executor = new Executor(ctx, mean(relu(conv("c", x, 2, Window.of(3, 3)))));
      ModelSummary summary = executor.summary();
      assertThat(summary.isComplete()).isFalse();
      assertThat(summary.toString())
          .isEqualTo(
              """
              layer  output        parameters  FLOPs    memory
              image  f32[?,1,?,?]                          4 B  50.0 %
              c      f32[?,2,?,?]          20      ?         ?
              relu   f32[?,2,?,?]                  ?         ?
              mean   f32[]                         ?       4 B  50.0 %
              total                        20      0       8 B
              FLOPs and memory of a forward pass with image[1,1,1,1]; totals without rows marked ?
              """);
    }
  }

  @Test
  void aSummaryComputesNothing() {
    try (var ctx = Context.open()) {
      Variable<F32> x = Variable.input("x", F32, -1, 4);
      Variable<F32> y = apply("half", F32, v -> v.get(x).times(0.5), x);
      var executor = new Executor(ctx, mean(dense("d", y, 3)));
      long launches = ctx.stats().launches();
      executor.summary();
      assertThat(ctx.stats().launches()).isEqualTo(launches);
      executor.set(x, Ops.fill(F32, 1, 2, 4));
      executor.forward();
      executor.summary();
    }
  }
}
