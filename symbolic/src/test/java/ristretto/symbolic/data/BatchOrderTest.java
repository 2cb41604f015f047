package ristretto.symbolic.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

class BatchOrderTest {
  /** Examples with random numbers by epoch, slow to read. */
  private record Slow(long size, long epoch, long nanos) implements Dataset {
    @Override
    public List<Field> fields() {
      return List.of(new Field("x", F32, Shape.of(3)), new Field("y", I32, Shape.SCALAR));
    }

    @Override
    public Dataset epoch(long number) {
      return new Slow(size, number, nanos);
    }

    @Override
    public void read(int field, long example, MemorySegment to) {
      if (nanos > 0) {
        LockSupport.parkNanos(nanos);
      }
      if (field == 1) {
        to.set(ValueLayout.JAVA_INT_UNALIGNED, 0, (int) (example % 2));
        return;
      }
      SplittableRandom random = Draws.of(1, epoch, example);
      for (int k = 0; k < 3; k++) {
        to.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, k, (float) random.nextDouble());
      }
    }
  }

  /** Sequences of unequal lengths whose entries are their own numbers. */
  private static Dataset sequences(int... lengths) {
    var all = new ArrayList<Map<String, ?>>();
    for (int k = 0; k < lengths.length; k++) {
      int[] values = new int[lengths[k]];
      Arrays.fill(values, k);
      all.add(Map.of("x", values));
    }
    return Dataset.of(all.iterator());
  }

  private static List<List<Float>> floats(Batcher batcher, long epoch) {
    var all = new ArrayList<List<Float>>();
    for (Batch batch : batcher.epoch(epoch)) {
      float[] x = batch.data("x").toArray(ValueLayout.JAVA_FLOAT);
      all.add(IntStream.range(0, x.length).mapToObj(k -> x[k]).toList());
    }
    return all;
  }

  @Test
  void theNumberOfThreadsChangesNothing() {
    List<List<Float>> one;
    try (var batcher = new Batcher(new Slow(101, 0, 0), 7).shuffled(3).threads(1)) {
      one = floats(batcher, 2);
      assertThat(floats(batcher, 1)).isNotEqualTo(one);
    }
    for (int threads : new int[] {2, 3, 16}) {
      try (var batcher = new Batcher(new Slow(101, 0, 1000), 7).shuffled(3).threads(threads)) {
        assertThat(floats(batcher, 2)).isEqualTo(one);
      }
    }
    assertThatThrownBy(() -> new Batcher(new Slow(1, 0, 0), 1).threads(0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[batcher] there must be 1 to 256 threads; got 0.");
  }

  @Test
  void theTimeOfWaitingIsMeasured() {
    try (var slow = new Batcher(new Slow(20, 0, 500_000), 2);
        var fast = new Batcher(new Slow(20, 0, 0), 2)) {
      assertThat(slow.waiting()).isZero();
      for (Batch _ : slow.epoch(0)) {
        assertThat(slow.waiting()).isBetween(0.0, 1.0);
      }
      assertThat(slow.waiting()).isGreaterThan(0.3);
      for (Batch _ : fast.epoch(0)) {
        LockSupport.parkNanos(5_000_000);
      }
      assertThat(fast.waiting()).isLessThan(0.5);
    }
  }

  @Test
  void errorsReachTheReader() {
    Dataset bad =
        new Dataset() {
          @Override
          public List<Field> fields() {
            return List.of(new Field("x", I32, Shape.SCALAR));
          }

          @Override
          public long size() {
            return 10;
          }

          @Override
          public void read(int field, long example, MemorySegment to) {
            throw new StackOverflowError("deep");
          }
        };
    try (var batcher = new Batcher(bad, 2).threads(3)) {
      var batches = batcher.epoch(0).iterator();
      assertThatThrownBy(batches::next).isInstanceOf(StackOverflowError.class).hasMessage("deep");
      assertThat(batches.hasNext()).isFalse();
    }
  }

  @Test
  void weightsAreProbabilities() {
    double[] weights = new double[1000];
    Arrays.setAll(weights, k -> k % 10 == 0 ? 3 : k % 10 == 5 ? 0 : 1);
    int[] counts = new int[10];
    try (var batcher = new Batcher(new Slow(1000, 0, 0), 100).weighted(4, weights)) {
      assertThat(floats(batcher, 0)).isEqualTo(floats(batcher, 0)).isNotEqualTo(floats(batcher, 1));
    }
    for (int epoch = 0; epoch < 20; epoch++) {
      double[] sums = weights.clone();
      Arrays.parallelPrefix(sums, Double::sum);
      for (long e : Order.weighted(sums, 4, epoch)) {
        counts[(int) e % 10]++;
      }
    }
    assertThat(counts[5]).isZero();
    assertThat(counts[0] / 20_000.0).isCloseTo(3 / 11.0, within(0.02));
    assertThat(counts[1] / 20_000.0).isCloseTo(1 / 11.0, within(0.01));
    assertThatThrownBy(() -> new Batcher(new Slow(2, 0, 0), 1).weighted(1, 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[batcher] there must be a weight for each example; got 1 for 2 examples.");
    assertThatThrownBy(() -> new Batcher(new Slow(2, 0, 0), 1).weighted(1, 1, Double.NaN))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[batcher] weights must be at least 0; got NaN for example 1.");
    assertThatThrownBy(() -> new Batcher(new Slow(2, 0, 0), 1).weighted(1, 0, 0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[batcher] the sum of all weights must be positive and finite; got 0.0.");
  }

  @Test
  void batchesAreAsLongAsTheirLongestExample() {
    try (var batcher = new Batcher(sequences(2, 0, 3, 1, 0), 3)) {
      var shapes = new ArrayList<Shape>();
      for (Batch batch : batcher.epoch(0)) {
        shapes.add(batch.shape("x"));
        if (batch.size() == 3) {
          assertThat(batch.data("x").toArray(ValueLayout.JAVA_INT))
              .containsExactly(0, 0, 0, 0, 0, 0, 2, 2, 2);
          assertThat(batch.data("steps").toArray(ValueLayout.JAVA_INT)).containsExactly(2, 0, 3);
        } else {
          assertThat(batch.data("x").toArray(ValueLayout.JAVA_INT)).containsExactly(3, 0);
        }
      }
      assertThat(shapes).containsExactly(Shape.of(3, 3), Shape.of(2, 1));
    }
  }

  @Test
  void bucketsNeedLittlePadding() {
    int[] lengths = new SplittableRandom(5).ints(1003, 1, 100).toArray();
    Dataset data = sequences(lengths);
    long plain = padded(new Batcher(data, 10).shuffled(1));
    assertThat(padded(new Batcher(data, 10).shuffled(1).bucketed())).isLessThan(plain / 10);
    assertThat(padded(new Batcher(data, 10).bucketed())).isLessThan(plain / 10);
    assertThat(padded(new Batcher(data, 5).shuffled(1).bucketed().shard(1, 2)))
        .isLessThan(plain / 10);
    assertThatThrownBy(() -> new Batcher(new Slow(2, 0, 0), 1).bucketed())
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[batcher] bucketing needs a field with examples of unequal lengths; got [x f32[3], y"
                + " i32[]]; leave out bucketed().");
  }

  /** Returns the number of padded entries, after a check that each example occurs once. */
  private static long padded(Batcher batcher) {
    long padded = 0;
    long examples = 0;
    var order = new ArrayList<Integer>();
    try (batcher) {
      for (Batch batch : batcher.epoch(3)) {
        int[] steps = batch.data("steps").toArray(ValueLayout.JAVA_INT);
        int[] x = batch.data("x").toArray(ValueLayout.JAVA_INT);
        for (int k = 0; k < steps.length; k++) {
          order.add(x[(int) (k * batch.shape("x").dim(1))]);
          padded += batch.shape("x").dim(1) - steps[k];
        }
        examples += batch.size();
      }
      assertThat(examples).isEqualTo(batcher.examples());
      assertThat(order).doesNotHaveDuplicates().hasSize((int) batcher.examples());
    }
    return padded;
  }
}
