package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.sigmoid;
import static ristretto.expr.Ops.tanh;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import ristretto.expr.option.Optimization;
import ristretto.expr.type.F32;
import ristretto.kernels.ShapeException;

class RepeatTest {
  private static final int STEPS = 20;
  private static final int DIM = 5;

  private final List<Integer> rounds = new ArrayList<>();

  /** A recurrence: each row is a function of the one before it and of a row of {@code x}. */
  private void recurrence(Context context, Tensor<F32> x, Tensor<F32> w, Tensor<F32> y, int times) {
    context.label("before");
    context.assign(y.slice(range(0, 1)), x.slice(range(0, 1)));
    repeat(
        context,
        times,
        round -> {
          int t = round + 1;
          Tensor<F32> product = context.empty(F32, 1, DIM);
          context.assign(product, dot(y.slice(range(t - 1, t)), w));
          Tensor<F32> gate = context.eval(sigmoid(product.plus(x.slice(range(t, t + 1)))));
          context.assign(y.slice(range(t, t + 1)), tanh(gate.times(product)).plus(gate));
        });
    context.assign(y, y.times(2));
  }

  private void repeat(Context context, int times, IntConsumer body) {
    rounds.clear();
    context.repeat(
        times,
        round -> {
          rounds.add(round);
          context.label("round " + round);
          body.accept(round);
        },
        (label, by) ->
            "round " + (Integer.parseInt(((String) label).substring("round ".length())) + by));
  }

  private static Tensor<F32> numbers(Context context, int rows, int columns) {
    var x = new float[rows * columns];
    for (int k = 0; k < x.length; k++) {
      x[k] = (float) Math.sin(k);
    }
    return context.tensor(x, rows, columns);
  }

  @Test
  void roundsThatAreAlikeAreRecordedAFewTimesAndAllRun() {
    try (Context context = Context.open("cpu")) {
      Tensor<F32> x = numbers(context, STEPS + 1, DIM);
      Tensor<F32> w = numbers(context, DIM, DIM);
      Tensor<F32> wanted = context.empty(F32, STEPS + 1, DIM);
      recurrence(context, x, w, wanted, STEPS);
      assertThat(rounds).hasSize(STEPS);
      Tensor<F32> y = context.empty(F32, STEPS + 1, DIM);
      Program some = context.recordTransient(() -> recurrence(context, x, w, y, STEPS));
      assertThat(rounds).containsExactly(0, 1, 2, 3);
      some.run();
      assertThat(y.toFloatArray()).containsExactly(wanted.toFloatArray());
      context.without(Set.of(Optimization.REPEAT));
      Program all = context.recordTransient(() -> recurrence(context, x, w, y, STEPS));
      assertThat(rounds).hasSize(STEPS);
      assertThat(some.kernelCount()).isEqualTo(all.kernelCount());
      assertThat(some.explain().kernels()).isEqualTo(all.explain().kernels());
      assertThat(places(some)).isEqualTo(places(all));
      assertThat(labels(some)).isEqualTo(labels(all)).anyMatch(l -> l.startsWith("round 19"));
    }
  }

  /** Extents and places of all that is read and written, but for temporaries' numbers. */
  private static List<String> places(Program program) {
    return program.trace().works().stream()
        .map(work -> work.name() + work.space() + places(work.reads()) + places(work.writes()))
        .toList();
  }

  private static List<String> places(List<Trace.Access> all) {
    return all.stream().map(a -> a.offset() + ":" + a.extents() + a.strides()).toList();
  }

  private static List<String> labels(Program program) {
    return program.trace().assigned().stream()
        .map(a -> a.label() + " " + a.target().offset() + " " + a.works() + a.isInlined())
        .toList();
  }

  @Test
  void partsAndTemplatesHaveAllRounds() {
    try (Context context = Context.open("cpu")) {
      Tensor<F32> x = numbers(context, STEPS + 1, DIM);
      Tensor<F32> w = numbers(context, DIM, DIM);
      Tensor<F32> wanted = context.empty(F32, STEPS + 1, DIM);
      recurrence(context, x, w, wanted, STEPS);
      Tensor<F32> y = context.empty(F32, STEPS + 1, DIM);
      Tensor<F32> z = context.empty(F32, STEPS + 1, DIM);
      List<Program> parts =
          context.recordParts(
              List.of(
                  () -> recurrence(context, x, w, y, STEPS),
                  () -> recurrence(context, x, w, z, STEPS)));
      parts.forEach(Program::run);
      assertThat(y.toFloatArray()).containsExactly(wanted.toFloatArray());
      assertThat(z.toFloatArray()).containsExactly(wanted.toFloatArray());
      assertThat(labels(parts.get(1))).isEqualTo(labels(parts.get(0)));
    }
  }

  @Test
  void roundsThatDifferAreAllRecorded() {
    try (Context context = Context.open("cpu")) {
      Tensor<F32> x = numbers(context, STEPS, DIM);
      Tensor<F32> y = context.empty(F32, STEPS, DIM);
      Runnable body =
          () ->
              repeat(
                  context,
                  STEPS,
                  t ->
                      context.assign(
                          y.slice(range(t, t + 1)), x.slice(range(t, t + 1)).times(1 + t % 5)));
      body.run();
      float[] wanted = y.toFloatArray();
      context.assign(y, 0);
      context.recordTransient(body).run();
      assertThat(rounds).hasSize(STEPS);
      assertThat(y.toFloatArray()).containsExactly(wanted);
    }
  }

  @Test
  void distancesThatGrowAreNoRounds() {
    try (Context context = Context.open("cpu")) {
      Tensor<F32> x = numbers(context, STEPS * STEPS, DIM);
      Tensor<F32> y = context.empty(F32, STEPS, DIM);
      Runnable body =
          () ->
              repeat(
                  context,
                  STEPS,
                  t ->
                      context.assign(
                          y.slice(range(t, t + 1)), x.slice(range(t * t, t * t + 1)).times(2)));
      body.run();
      float[] wanted = y.toFloatArray();
      context.assign(y, 0);
      context.recordTransient(body).run();
      assertThat(rounds).hasSize(STEPS);
      assertThat(y.toFloatArray()).containsExactly(wanted);
    }
  }

  @Test
  void memoryThatIsWrittenAndReadAtTwoDistancesIsRecordedAsAWhole() {
    try (Context context = Context.open("cpu")) {
      Tensor<F32> y = numbers(context, STEPS, DIM);
      Runnable body =
          () ->
              repeat(
                  context,
                  STEPS,
                  t -> context.assign(y.slice(range(t, t + 1)), y.slice(range(9, 10)).times(2)));
      Tensor<F32> before = context.eval(y.times(1));
      body.run();
      float[] wanted = y.toFloatArray();
      context.assign(y, before);
      context.recordTransient(body).run();
      assertThat(rounds).hasSize(STEPS);
      assertThat(y.toFloatArray()).containsExactly(wanted);
    }
  }

  @Test
  void kernelsThatCannotBeMovedArePlannedForEachRound() {
    try (Context context = Context.open("cpu")) {
      Tensor<F32> x = numbers(context, STEPS, DIM);
      Tensor<F32> y = context.empty(F32, STEPS, DIM);
      Runnable body =
          () ->
              repeat(
                  context,
                  STEPS,
                  t ->
                      context.assign(
                          y.slice(range(t, t + 1)), Ops.cumSum(x.slice(range(t, t + 1)), 1)));
      body.run();
      float[] wanted = y.toFloatArray();
      context.assign(y, 0);
      Program program = context.recordTransient(body);
      assertThat(rounds).hasSize(4);
      program.run();
      assertThat(y.toFloatArray()).containsExactly(wanted);
      assertThat(program.kernelCount()).isEqualTo(STEPS);
    }
  }

  @Test
  void whatARoundMakesIsNotUsedOutsideOfIt() {
    try (Context context = Context.open("cpu")) {
      Tensor<F32> x = numbers(context, STEPS, DIM);
      Tensor<F32> y = context.empty(F32, 1, DIM);
      var last = new ArrayList<Tensor<F32>>();
      assertThatThrownBy(() ->
              context.recordTransient(() -> {
                repeat(
                    context, STEPS, t -> last.add(context.eval(x.slice(range(t, t + 1)).times(2))));
                context.assign(y, last.getLast());
              }))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[repeat] a tensor made by an iteration after the first must be used in that"
                  + " iteration only; got f32[1,5]; make it before the loop and write to its"
                  + " parts.");
    }
  }
}
