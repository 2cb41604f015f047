package ristretto.symbolic.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;

class DatasetViewsTest {
  private static Dataset numbers(int from, int to) {
    return Dataset.of(
        IntStream.range(from, to)
            .mapToObj(k -> new TreeMap<>(Map.of("x", new float[] {k, -k}, "y", k % 3)))
            .iterator());
  }

  private static float[] floats(Dataset data, int field, long example) {
    var to = MemorySegment.ofArray(new float[(int) data.fields().get(field).shape().size()]);
    data.read(field, example, to);
    return to.toArray(ValueLayout.JAVA_FLOAT);
  }

  private static int integer(Dataset data, int field, long example) {
    var to = MemorySegment.ofArray(new int[1]);
    data.read(field, example, to);
    return to.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
  }

  @Test
  void iteratorsAreCollected() {
    try (var ctx = Context.open()) {
      var example = new TreeMap<String, Object>();
      example.put("a", 1f);
      example.put("b", 2.0);
      example.put("c", 3L);
      example.put("d", new long[] {4, 5});
      example.put("e", new double[] {6});
      example.put("f", ctx.tensor(new float[] {7, 8}, 2, 1));
      Dataset data = Dataset.of(List.of(example, example).iterator());
      assertThat(data.fields())
          .hasToString("[a f32[], b f64[], c i64[], d i64[2], e f64[1], f f32[2,1]]");
      assertThat(data.size()).isEqualTo(2);
      assertThat(floats(data, 5, 1)).containsExactly(7, 8);
    }
    Dataset unequal =
        Dataset.of(
            List.of(Map.of("x", new float[] {1}), Map.of("x", new float[] {2, 3})).iterator());
    assertThat(unequal.fields()).hasToString("[x f32[2], steps i32[]]");
    assertThat(unequal.hasSteps(0)).isTrue();
    assertThat(unequal.hasSteps(1)).isFalse();
    assertThat(unequal.steps(0)).isEqualTo(1);
    assertThat(integer(unequal, 1, 1)).isEqualTo(2);
  }

  @Test
  void mistakesInIteratorsAreFound() {
    assertRefused(Stream.empty(), "[dataset] there must be an example with a field; got none.");
    assertRefused(
        Stream.of(Map.of("x", 1), Map.of("y", 1)),
        "[dataset] all examples must have the same fields; got [x] in example 0 and [y] in example"
            + " 1.");
    assertRefused(
        Stream.of(Map.of("x", 1), Map.of("x", 1f)),
        "[dataset] values of a field must have the same dtype and shape, except for the first"
            + " extent; got i32[] in example 0 and f32[] in example 1 for x.");
    assertRefused(
        Stream.of(Map.of("x", "text")),
        "[dataset] values must be tensors, numbers, or arrays of float, double, int or long; got"
            + " String for x.");
    assertRefused(
        Stream.of(
            new TreeMap<>(Map.of("x", new int[2], "y", new int[3])),
            new TreeMap<>(Map.of("x", new int[1], "y", new int[1]))),
        "[dataset] sequences of an example must have equal lengths; got 2 for x and 3 for y in"
            + " example 0; pad one of the fields to a fixed length.");
  }

  private static void assertRefused(Stream<? extends Map<String, ?>> examples, String message) {
    assertThatThrownBy(() -> Dataset.of(examples.iterator()))
        .isInstanceOf(ShapeException.class)
        .hasMessage(message);
  }

  @Test
  void shardsAreOneDataSet() {
    Dataset all =
        Dataset.concat(
            List.of(numbers(0, 3), numbers(3, 4), numbers(4, 9).range(1, 1), numbers(4, 6)));
    assertThat(all.size()).isEqualTo(6);
    for (int k = 0; k < 6; k++) {
      assertThat(floats(all, 0, k)).containsExactly(k, -k);
    }
    Dataset other = numbers(0, 2).named("x", "z");
    assertThatThrownBy(() -> Dataset.concat(List.of(numbers(0, 2), other)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[concat] all data sets must have the same fields; got [x f32[2], y i32[]] and [x"
                + " f32[2], z i32[]].");
    assertThatThrownBy(() -> Dataset.concat(List.of()))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[concat] there must be a data set; got none.");
  }

  @Test
  void sequencesOfShardsKeepTheirLengths() {
    Dataset one = Dataset.of(List.of(Map.of("x", new int[1]), Map.of("x", new int[4])).iterator());
    Dataset two = Dataset.of(List.of(Map.of("x", new int[6]), Map.of("x", new int[2])).iterator());
    Dataset all = Dataset.concat(List.of(one, two));
    assertThat(all.fields()).hasToString("[x i32[6], steps i32[]]");
    Dataset last = all.range(1, 4).select(2, 0).named("a", "b");
    assertThat(last.fields()).hasToString("[a i32[6], b i32[]]");
    assertThat(List.of(last.steps(0), last.steps(1))).containsExactly(2L, 4L);
    assertThat(last.hasSteps(0)).isTrue();
    assertThat(last.loaders()).isEqualTo(1);
    assertThat(last.epoch(3)).isNotNull();
  }

  @Test
  void subsetsAreRandomAndComplete() {
    List<Dataset> parts = numbers(0, 10).split(0.75, 2);
    assertThat(parts.stream().map(Dataset::size)).containsExactly(8L, 2L);
    var all = new ArrayList<Float>();
    parts.forEach(part -> {
      for (int k = 0; k < part.size(); k++) {
        all.add(floats(part, 0, k)[0]);
      }
    });
    assertThat(all).doesNotHaveDuplicates().hasSize(10).isNotEqualTo(sorted(all));
    assertThatThrownBy(() -> numbers(0, 2).split(1.5, 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[split] the share must be from 0 to 1; got 1.5.");
    assertThatThrownBy(() -> numbers(0, 2).select(0, 2))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[select] examples must be in the data; got number 2 of 2 examples.");
  }

  private static List<Float> sorted(List<Float> all) {
    var copy = new ArrayList<>(all);
    Collections.sort(copy);
    return copy;
  }

  /** The order of Map.of differs from one JVM to the next; named(...) goes by the order. */
  @Test
  void fieldsOfMapsWithoutOrder() {
    Map<String, Object> row = Map.of("d", 1f, "b", 2f, "a", 3f, "e", 4f, "c", 5f);
    assertThat(Dataset.of(List.of(row).iterator()).fields())
        .hasToString("[a f32[], b f32[], c f32[], d f32[], e f32[]]");
  }

  @Test
  void mixturesAreConvex() {
    Dataset mixed = numbers(0, 30).mixup("y", 3, 0.4, 9);
    assertThat(mixed.fields()).hasToString("[x f32[2], y f32[3]]");
    int changed = 0;
    for (long k = 0; k < 30; k++) {
      float[] x = floats(mixed, 0, k);
      float[] y = floats(mixed, 1, k);
      assertThat(x[0]).isBetween(0f, 29f).isCloseTo(-x[1], within(1e-5f));
      assertThat(y[0] + y[1] + y[2]).isCloseTo(1, within(1e-6f));
      assertThat(floats(mixed.epoch(4), 0, k)).isEqualTo(floats(mixed.epoch(4), 0, k));
      changed += floats(mixed.epoch(4), 0, k)[0] == floats(mixed.epoch(5), 0, k)[0] ? 0 : 1;
    }
    assertThat(changed).isGreaterThan(15);
    Dataset same = numbers(0, 30).mixup("y", 3, 0, 9);
    for (long k = 0; k < 30; k++) {
      assertThat(floats(same, 0, k)[0]).isEqualTo(k);
      float[] y = floats(same, 1, k);
      assertThat(List.of(y[0], y[1], y[2])).containsExactlyInAnyOrder(0f, 0f, 1f);
    }
    assertThatThrownBy(() -> numbers(0, 3).mixup("z", 3, 0.4, 9))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[mixup] fields must be F32 of fixed shape, except the label, an I32 number; got y"
                + " i32[] in [x f32[2], y i32[]] with the label z; mix data without that field.");
    assertThatThrownBy(() -> Dataset.of(List.of(Map.of("x", 1f)).iterator()).mixup("y", 3, 0.4, 9))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[mixup] the data must have the label as a field, I32 without axes; got no y in [x"
                + " f32[]]; mix the original data, once.");
    assertThatThrownBy(() -> numbers(0, 3).mixup("y", 3, Double.NaN, 9))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[mixup] alpha must be at least 0 and finite, and there must be a class; got alpha NaN"
                + " and 3 classes.");
    Dataset few = numbers(0, 3).mixup("y", 2, 0.4, 9);
    assertThatThrownBy(() -> floats(few, 1, 2))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[mixup] labels must be from 0 to 1; got 2 in example 2; give the number of all"
                + " classes.");
  }

  @Test
  void sharesHaveTheBetaDistribution() {
    for (double alpha : new double[] {0.1, 0.5, 1, 3}) {
      var random = new SplittableRandom(3);
      double sum = 0;
      double squares = 0;
      int n = 20_000;
      for (int k = 0; k < n; k++) {
        double share = Draws.beta(random, alpha) - 0.5;
        sum += share;
        squares += share * share;
      }
      assertThat(sum / n).isCloseTo(0, within(0.01));
      assertThat(squares / n).isCloseTo(1 / (4 * (2 * alpha + 1)), within(0.005));
    }
  }
}
