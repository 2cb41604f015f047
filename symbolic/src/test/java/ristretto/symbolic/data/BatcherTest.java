package ristretto.symbolic.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;

class BatcherTest {
  /** Examples that are their own numbers, twice; reading number {@code bad} fails. */
  private record Numbers(long size, long bad) implements Dataset {
    @Override
    public List<Field> fields() {
      return List.of(new Field("x", I32, Shape.of(2)));
    }

    @Override
    public void read(int field, long example, MemorySegment to) {
      if (example == bad) {
        throw new ShapeException("bad example");
      }
      to.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, 0, (int) example);
      to.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, 1, (int) example);
    }
  }

  private static List<List<Integer>> epoch(Batcher batches, long number) {
    var all = new ArrayList<List<Integer>>();
    for (Batch batch : batches.epoch(number)) {
      assertThat(batch.shape("x")).isEqualTo(Shape.of(batch.size(), 2));
      int[] values = batch.data("x").toArray(ValueLayout.JAVA_INT);
      all.add(IntStream.range(0, batch.size()).map(k -> values[2 * k]).boxed().toList());
    }
    return all;
  }

  @Test
  void nestedEpochsAreErrors() {
    try (var batches = new Batcher(new Numbers(7, -1), 3)) {
      assertThatThrownBy(
              () -> {
                for (Batch batch : batches.epoch(0)) {
                  assertThat(batch.size()).isEqualTo(3);
                  epoch(batches, 1);
                }
              })
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[batcher] an epoch must end before the next one of the same batcher begins; got"
                  + " epoch 1 amid another one; make a batcher for each of two nested loops.");
      // One that is left may be followed by another.
      batches.epoch(2).iterator().next();
      assertThat(epoch(batches, 3)).hasSize(3);
    }
  }

  /** Labels of padding that a loss ignores, in a batch after one that needs none. */
  @Test
  void paddingByAValue() {
    var rows =
        List.of(
            Map.of("y", new int[] {1, 2, 3}, "w", new double[] {1, 2, 3}),
            Map.of("y", new int[] {4, 5, 6}, "w", new double[] {4, 5, 6}),
            Map.of("y", new int[] {7, 8, 9}, "w", new double[] {7, 8, 9}),
            Map.of("y", new int[] {5}, "w", new double[] {5}));
    try (var batches =
        new Batcher(Dataset.of(rows.iterator()), 2).padding("y", -100).padding("w", 0.5)) {
      var y = new ArrayList<List<Integer>>();
      var w = new ArrayList<Double>();
      for (Batch batch : batches.epoch(0)) {
        int[] found = batch.data("y").toArray(ValueLayout.JAVA_INT);
        y.add(IntStream.of(found).boxed().toList());
        w.add(batch.data("w").getAtIndex(ValueLayout.JAVA_DOUBLE, 5));
      }
      assertThat(y).containsExactly(List.of(1, 2, 3, 4, 5, 6), List.of(7, 8, 9, 5, -100, -100));
      assertThat(w).containsExactly(6.0, 0.5);
      assertThat(batches.toString())
          .isEqualTo("batches of 2 of 4 examples of [w f64[3], y i32[3], steps i32[]]");
    }
  }

  @Test
  void inOrder() {
    try (var batches = new Batcher(new Numbers(7, -1), 3)) {
      assertThat(batches.batches()).isEqualTo(3);
      assertThat(epoch(batches, 0)).containsExactly(List.of(0, 1, 2), List.of(3, 4, 5), List.of(6));
      batches.dropLast();
      assertThat(batches.batches()).isEqualTo(2);
      assertThat(epoch(batches, 1)).containsExactly(List.of(0, 1, 2), List.of(3, 4, 5));
    }
  }

  @Test
  void shuffledBySeedAndEpoch() {
    try (var batches = new Batcher(new Numbers(20, -1), 20).shuffled(5);
        var others = new Batcher(new Numbers(20, -1), 20).shuffled(5);
        var seed = new Batcher(new Numbers(20, -1), 20).shuffled(6)) {
      List<Integer> first = epoch(batches, 0).get(0);
      assertThat(first)
          .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 20).boxed().toList());
      assertThat(first).isNotEqualTo(IntStream.range(0, 20).boxed().toList());
      assertThat(epoch(batches, 1).get(0)).isNotEqualTo(first);
      assertThat(epoch(others, 0).get(0)).isEqualTo(first);
      assertThat(epoch(seed, 0).get(0)).isNotEqualTo(first);
      // The same numbers in every release.
      assertThat(first.subList(0, 5)).containsExactly(6, 9, 8, 19, 11);
    }
  }

  @Test
  void shardsShareTheExamples() {
    var all = new ArrayList<Integer>();
    for (int k = 0; k < 3; k++) {
      try (var batches = new Batcher(new Numbers(10, -1), 2).shuffled(1).shard(k, 3)) {
        assertThat(batches.examples()).isEqualTo(k == 0 ? 4 : 3);
        epoch(batches, 4).forEach(all::addAll);
      }
    }
    assertThat(all).containsExactlyInAnyOrderElementsOf(IntStream.range(0, 10).boxed().toList());
  }

  @Test
  void epochsMayBeLeftEarly() {
    try (var batches = new Batcher(new Numbers(100, -1), 1)) {
      var iterator = batches.epoch(0).iterator();
      iterator.next();
      assertThat(epoch(batches, 1)).hasSize(100);
      assertThatThrownBy(iterator::next)
          .isInstanceOf(ShapeException.class)
          .hasMessageStartingWith("[batcher] an epoch must end before the next one");
      var last = batches.epoch(2).iterator();
      last.next();
      batches.close();
      assertThat(last.hasNext()).isFalse();
      assertThatThrownBy(last::next)
          .isInstanceOf(NoSuchElementException.class)
          .hasMessage("the epoch has ended");
    }
  }

  @Test
  void anEpochIsGoneThroughOnce() {
    try (var batches = new Batcher(new Numbers(4, -1), 2)) {
      Iterable<Batch> epoch = batches.epoch(0);
      epoch.forEach(batch -> {});
      assertThatThrownBy(epoch::iterator)
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[batcher] the batches of an epoch must be iterated only once; got a second"
                  + " iteration; ask for the epoch again.");
    }
  }

  @Test
  void failuresReachTheReader() {
    try (var batches = new Batcher(new Numbers(10, 5), 2)) {
      var iterator = batches.epoch(0).iterator();
      iterator.next();
      iterator.next();
      assertThatThrownBy(iterator::next)
          .isInstanceOf(ShapeException.class)
          .hasMessage("bad example");
    }
  }

  @Test
  void inputsGetTheFieldsOfTheirNames() {
    Variable<ristretto.expr.type.I32> x = Variable.input("x", I32, -1, 2);
    Variable<ristretto.expr.type.I32> y = Variable.input("y", I32, -1);
    Variable<ristretto.expr.type.F32> floats = Variable.input("x", F32, -1, 2);
    Variable<ristretto.expr.type.I32> sum = Layers.sum(x);
    try (var ctx = Context.open();
        var batches = new Batcher(new Numbers(5, -1), 3)) {
      var executor = new Executor(ctx, sum);
      var sums = new ArrayList<Double>();
      for (Batch batch : batches.epoch(0)) {
        batch.giveTo(executor, x);
        executor.forward();
        sums.add(executor.tensor(sum).item());
        assertThatThrownBy(() -> batch.giveTo(executor, y))
            .isInstanceOf(ShapeException.class)
            .hasMessage(
                "[batch] the data must have every requested field; got no y in [x i32[2]];"
                    + " name the fields as the inputs, with Dataset.named(...).");
        assertThatThrownBy(() -> batch.giveTo(executor, floats))
            .isInstanceOf(ShapeException.class)
            .hasMessage(
                "[batch] a field must have the dtype of its input; got x i32[2] for x f32[?,2];"
                    + " cast the data, with Expr.cast(...), or declare the input so.");
      }
      assertThat(sums).containsExactly(6.0, 14.0);
    }
  }

  @Test
  void wrongSizesAreErrors() {
    assertThatThrownBy(() -> new Batcher(new Numbers(5, -1), 0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[batcher] the batch size must be at least 1; got 0.");
    assertThatThrownBy(() -> new Batcher(new Numbers(5, -1), 1).shard(2, 2))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[batcher] a shard must be one of the shards, from 0; got 2 of 2.");
  }
}
