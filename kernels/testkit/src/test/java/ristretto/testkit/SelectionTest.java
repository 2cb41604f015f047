package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;

/** Selection, scatters, segments, search and histograms, compared with plain loops. */
class SelectionTest {
  private static final List<Context> ALL =
      TestDevice.contexts(TestDevice.open(), Context.open("oracle"));

  @AfterAll
  static void close() {
    ALL.forEach(Context::close);
  }

  private static final int[] SIZES = {0, 1, 2, 7, 16, 17, 97, 1031};

  private static double[] values(Random random, int n) {
    return IntStream.range(0, n)
        .mapToDouble(_ -> random.nextInt(20) == 0 ? Double.NaN : random.nextInt(-8, 9) / 2.0)
        .toArray();
  }

  private static int[] indices(Random random, int n, int from, int to) {
    return IntStream.range(0, n).map(_ -> random.nextInt(from, to)).toArray();
  }

  // Data-dependent shapes

  /** Masks of several chunks with all, some, few and no true elements. */
  @Test
  void selectsByLongMasks() {
    selectsByLongMasks(ALL.getFirst());
  }

  private static void selectsByLongMasks(Context ctx) {
    int n = (1 << 17) + 13;
    long[] numbers = LongStream.range(0, n).toArray();
    Tensor<I64> x = ctx.tensor(numbers, n);
    for (int every : new int[] {1, 2, 3, 100, 70_000, 2 * n}) {
      Tensor<BOOL> mask = ctx.eval(x.rem(every).eq(every - 1));
      long[] wanted = LongStream.of(numbers).filter(k -> k % every == every - 1).toArray();
      assertThat(ctx.nonzero(mask).toLongArray()).isEqualTo(wanted);
      for (DType<?> dtype : List.of(I8, I16, I32, I64)) {
        long[] values = LongStream.of(wanted).map(k -> narrowed(k, dtype)).toArray();
        Tensor<?> t = ctx.eval(x.cast(dtype));
        Expr<?> compressed = ctx.compress(t, mask);
        assertThat(ctx.eval(compressed.cast(I64)).toLongArray()).isEqualTo(values);
      }
      Tensor<I64> pairs = ctx.eval(stack(1, x, x));
      assertThat(ctx.compress(pairs, mask).shape()).isEqualTo(Shape.of(wanted.length, 2));
      Expr<I64> reversed = ctx.compress(x.flip(0), mask.flip(0));
      assertThat(ctx.eval(reversed).shape()).isEqualTo(Shape.of(wanted.length));
      assertThat(ctx.eval(sum(reversed)).toLongArray())
          .containsExactly(LongStream.of(wanted).sum());
    }
  }

  private static long narrowed(long k, DType<?> dtype) {
    return k << 64 - 8 * dtype.bytes() >> 64 - 8 * dtype.bytes();
  }

  @Test
  void compressSelectsInOrder() {
    for (Context ctx : ALL) {
      for (int n : SIZES) {
        double[] v = values(new Random(n), n);
        Tensor<F64> x = ctx.tensor(v);
        assertThat(ctx.compress(x, x.gt(0)).toDoubleArray())
            .containsExactly(Arrays.stream(v).filter(e -> e > 0).toArray());
        assertThat(ctx.nonzero(x.gt(0)).toLongArray())
            .containsExactly(IntStream.range(0, n).filter(i -> v[i] > 0).asLongStream().toArray());
      }
    }
  }

  @Test
  void compressOfSlicesAndViews() {
    for (Context ctx : ALL) {
      Tensor<I32> x = ctx.tensor(new int[] {1, 2, 3, 4, 5, 6}, 2, 3);
      Tensor<BOOL> columns = ctx.tensor(new boolean[] {true, false, true});
      Tensor<I32> some = ctx.compress(x, columns, 1);
      assertThat(some.shape()).isEqualTo(Shape.of(2, 2));
      assertThat(some.toIntArray()).containsExactly(1, 3, 4, 6);
      assertThat(ctx.compress(x.flip(0), x.flip(0).gt(2)).toIntArray()).containsExactly(4, 5, 6, 3);
      Tensor<I32> rows = ctx.compress(x, ctx.tensor(new boolean[] {false, true}));
      assertThat(rows.shape()).isEqualTo(Shape.of(1, 3));
      assertThat(rows.toIntArray()).containsExactly(4, 5, 6);
      assertThat(ctx.compress(x, x.gt(9)).shape()).isEqualTo(Shape.of(0));
    }
  }

  @Test
  void positionsOfNonzeroElements() {
    for (Context ctx : ALL) {
      Tensor<F32> x = ctx.tensor(new float[] {0, 1, Float.NaN, 0, 0, 2}, 2, 3);
      assertThat(ctx.nonzero(x).shape()).isEqualTo(Shape.of(3, 2));
      assertThat(ctx.nonzero(x).toLongArray()).containsExactly(0, 1, 0, 2, 1, 2);
      List<Tensor<I64>> axes = ctx.nonzeroAxes(x);
      assertThat(axes.get(0).toLongArray()).containsExactly(0, 0, 1);
      assertThat(axes.get(1).toLongArray()).containsExactly(1, 2, 2);
      assertThat(ctx.nonzero(scalar(F32, 3).plus(x.slice(at(0), at(0)))).shape())
          .isEqualTo(Shape.of(1, 0));
    }
  }

  @Test
  void uniqueElements() {
    for (Context ctx : ALL) {
      for (int n : SIZES) {
        double[] v = values(new Random(n), n);
        var expected = new TreeMap<Double, List<Integer>>();
        for (int i = 0; i < n; i++) {
          int at = i;
          expected.computeIfAbsent(v[i] + 0.0, _ -> new java.util.ArrayList<>()).add(at);
        }
        double[] keys = expected.keySet().stream().mapToDouble(d -> d).toArray();
        assertThat(ctx.unique(ctx.tensor(v)).toDoubleArray()).containsExactly(keys);
        var all = ctx.uniqueAll(ctx.tensor(v));
        assertThat(all.values().toDoubleArray()).containsExactly(keys);
        assertThat(all.indices().toLongArray())
            .containsExactly(expected.values().stream().mapToLong(List::getFirst).toArray());
        assertThat(all.counts().toLongArray())
            .containsExactly(expected.values().stream().mapToLong(List::size).toArray());
        assertThat(all.inverse().toLongArray())
            .containsExactly(
                Arrays.stream(v).mapToLong(e -> Arrays.binarySearch(keys, e + 0.0)).toArray());
      }
    }
  }

  @Test
  void sets() {
    for (Context ctx : ALL) {
      Tensor<I32> a = ctx.tensor(new int[] {5, 1, 1, 4});
      Tensor<I32> b = ctx.tensor(new int[] {4, 2, 5, 5});
      assertThat(ctx.union(a, b).toIntArray()).containsExactly(1, 2, 4, 5);
      assertThat(ctx.intersection(a, b).toIntArray()).containsExactly(4, 5);
      assertThat(ctx.difference(a, b).toIntArray()).containsExactly(1);
      assertThat(ctx.eval(isIn(a, b)).toBooleanArray()).containsExactly(true, false, false, true);
      assertThat(ctx.eval(isIn(a, b.slice(range(0, 0)))).toBooleanArray())
          .containsExactly(false, false, false, false);
    }
  }

  // Assignment

  @Test
  void theLastOfSeveralValuesIsAssigned() {
    for (Context ctx : ALL) {
      for (int n : new int[] {1, 5, 64, 1031}) {
        var random = new Random(n);
        int[] at = indices(random, 2 * n, -n, n);
        double[] v = values(random, 2 * n);
        double[] expected = new double[n];
        Tensor<F64> t = ctx.zeros(F64, n);
        for (int i = 0; i < at.length; i++) {
          expected[Math.floorMod(at[i], n)] = v[i];
        }
        ctx.assignAt(t, 0, ctx.tensor(at), ctx.tensor(v));
        assertThat(t.toDoubleArray()).containsExactly(expected);
      }
    }
  }

  @Test
  void assignmentsAlongAnAxisOfAView() {
    for (Context ctx : ALL) {
      Tensor<F32> t = ctx.zeros(F32, 3, 4);
      ctx.assignAt(
          t.t(), 0, ctx.tensor(new long[] {1, 3, 1}), ctx.tensor(new float[] {1, 2, 3}, 3, 1));
      assertThat(t.toFloatArray()).containsExactly(0, 3, 0, 2, 0, 3, 0, 2, 0, 3, 0, 2);
      ctx.assignAt(t, 1, ctx.tensor(new int[] {-4}), 7);
      assertThat(t.toFloatArray()).containsExactly(7, 3, 0, 2, 7, 3, 0, 2, 7, 3, 0, 2);
      ctx.assignWhere(t, t.eq(0), t.plus(9));
      assertThat(t.toFloatArray()).containsExactly(7, 3, 9, 2, 7, 3, 9, 2, 7, 3, 9, 2);
      ctx.assignWhere(t, ctx.tensor(new boolean[] {true, false, false}), 1);
      assertThat(t.toFloatArray()).containsExactly(1, 1, 1, 1, 7, 3, 9, 2, 7, 3, 9, 2);
      // values from the tensor itself are those before the assignment
      ctx.assignAt(t, 1, ctx.tensor(new int[] {0, 1}), t.slice(all(), range(2, 4)));
      assertThat(t.toFloatArray()).containsExactly(1, 1, 1, 1, 9, 2, 9, 2, 9, 2, 9, 2);
      Tensor<BOOL> flags = ctx.zeros(BOOL, 4);
      ctx.assignAt(flags, 0, ctx.tensor(new int[] {2, 2}), ctx.tensor(new boolean[] {false, true}));
      assertThat(flags.toBooleanArray()).containsExactly(false, false, true, false);
    }
  }

  @Test
  void assignmentsInAProgramAreInPlace() {
    for (Context ctx : ALL) {
      Tensor<F32> t = ctx.zeros(F32, 1000);
      Tensor<I32> at = ctx.tensor(new int[] {3, 4});
      var program = ctx.record(() -> ctx.assignAt(t, 0, at, t.slice(range(0, 2)).plus(1)));
      assertThat(ctx.explain(t, t.plus(1)).kernelCount()).isEqualTo(1);
      program.run();
      assertThat(t.slice(range(2, 5)).toFloatArray()).containsExactly(0, 1, 1);
    }
  }

  // Scatters and segments

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 17, 200})
  void extremesAtIndices(int places) {
    for (Context ctx : ALL) {
      for (int n : SIZES) {
        var random = new Random(n + places);
        int[] at = indices(random, n, 0, places);
        double[] v = values(random, n);
        double[] max = new double[places];
        double[] min = new double[places];
        Arrays.fill(max, Double.NEGATIVE_INFINITY);
        Arrays.fill(min, Double.POSITIVE_INFINITY);
        double[] sum = new double[places];
        double[] count = new double[places];
        for (int i = 0; i < n; i++) {
          max[at[i]] = Math.max(max[at[i]], v[i]);
          min[at[i]] = Math.min(min[at[i]], v[i]);
          sum[at[i]] += v[i];
          count[at[i]]++;
        }
        Tensor<I32> index = ctx.tensor(at);
        Tensor<F64> x = ctx.tensor(v);
        Shape shape = Shape.of(places);
        assertThat(ctx.eval(scatterMax(shape, 0, index, x)).toDoubleArray()).containsExactly(max);
        assertThat(ctx.eval(scatterMin(shape, 0, index, x)).toDoubleArray()).containsExactly(min);
        assertThat(ctx.eval(segmentMax(x, index, places)).toDoubleArray()).containsExactly(max);
        assertThat(ctx.eval(segmentMin(x, index, places)).toDoubleArray()).containsExactly(min);
        assertThat(ctx.eval(segmentSum(x, index, places)).toDoubleArray()).containsExactly(sum);
        double[] mean = IntStream.range(0, places).mapToDouble(k -> sum[k] / count[k]).toArray();
        assertThat(ctx.eval(segmentMean(x, index, places)).toDoubleArray()).containsExactly(mean);
        assertThat(ctx.eval(scatterMean(shape, 0, index, x)).toDoubleArray()).containsExactly(mean);
        assertThat(ctx.eval(bincount(index, places).cast(F64)).toDoubleArray())
            .containsExactly(count);
        assertThat(ctx.eval(bincount(index, x, places)).toDoubleArray()).containsExactly(sum);
      }
    }
  }

  @Test
  void extremesOfRowsAndOtherTypes() {
    for (Context ctx : ALL) {
      Tensor<F32> v = ctx.tensor(new float[] {1, -2, 3, 4, -5, 6}, 3, 2);
      Tensor<I32> ids = ctx.tensor(new int[] {1, 0, 1});
      assertThat(ctx.eval(segmentMax(v, ids, 2)).toFloatArray()).containsExactly(3, 4, 1, 6);
      assertThat(ctx.eval(segmentMin(v.cast(I32), ids, 3)).toIntArray())
          .containsExactly(3, 4, -5, -2, Integer.MAX_VALUE, Integer.MAX_VALUE);
      assertThat(ctx.eval(segmentMax(v.cast(I8), ids, 3).cast(I32)).toIntArray())
          .containsExactly(3, 4, 1, 6, -128, -128);
      assertThat(ctx.eval(segmentMax(v.cast(F16), ids, 2).cast(F32)).toFloatArray())
          .containsExactly(3, 4, 1, 6);
    }
  }

  // Search and histograms

  @Test
  void positionsInSortedElements() {
    for (Context ctx : ALL) {
      for (int n : SIZES) {
        var random = new Random(n);
        double[] sorted = values(random, n);
        Arrays.sort(sorted);
        double[] x = values(random, 53);
        long[] left = new long[x.length];
        long[] right = new long[x.length];
        for (int i = 0; i < x.length; i++) {
          for (double s : sorted) {
            left[i] += Double.compare(s + 0.0, x[i] + 0.0) < 0 ? 1 : 0;
            right[i] += Double.compare(s + 0.0, x[i] + 0.0) <= 0 ? 1 : 0;
          }
        }
        Tensor<F64> in = ctx.tensor(sorted);
        Tensor<F64> of = ctx.tensor(x);
        assertThat(ctx.eval(searchSorted(in, of)).toLongArray()).containsExactly(left);
        assertThat(ctx.eval(searchSorted(in, of, "right")).toLongArray()).containsExactly(right);
        assertThat(ctx.eval(digitize(of, in)).toLongArray()).containsExactly(right);
        assertThat(ctx.eval(digitize(of, in, true)).toLongArray()).containsExactly(left);
      }
      Tensor<I32> whole = ctx.tensor(new int[] {Integer.MIN_VALUE, 0, Integer.MAX_VALUE});
      assertThat(ctx.eval(searchSorted(whole, whole, true)).toLongArray()).containsExactly(1, 2, 3);
    }
  }

  /** Decreasing bins: as many as are above x, or not below it. */
  @Test
  void decreasingBins() {
    for (Context ctx : ALL) {
      for (int n : new int[] {1, 2, 5, 17, 64}) {
        double[] bins = IntStream.range(0, n).mapToDouble(k -> 3 - 6.0 * k / n).toArray();
        double[] x = values(new Random(n), 53);
        x[0] = bins[n - 1];
        x[1] = bins[0];
        long[] half = new long[x.length];
        long[] right = new long[x.length];
        for (int i = 0; i < x.length; i++) {
          for (double b : bins) {
            half[i] += Double.compare(b + 0.0, x[i] + 0.0) > 0 ? 1 : 0;
            right[i] += Double.compare(b + 0.0, x[i] + 0.0) >= 0 ? 1 : 0;
          }
        }
        // One bin neither increases nor decreases.
        if (n > 1) {
          Tensor<F64> of = ctx.tensor(x);
          assertThat(ctx.eval(digitize(of, ctx.tensor(bins))).toLongArray()).containsExactly(half);
          assertThat(ctx.eval(digitize(of, ctx.tensor(bins), true)).toLongArray())
              .containsExactly(right);
        }
      }
    }
  }

  @Test
  void densities() {
    for (Context ctx : ALL) {
      double[] x = values(new Random(2), 1031);
      double[] edges = {-3, -1, -0.5, 2, 3};
      Tensor<F64> t = ctx.tensor(x);
      long[] counts = ctx.eval(histogram(t, ctx.tensor(edges))).toLongArray();
      double[] got = ctx.eval(histogramDensity(t, ctx.tensor(edges))).toDoubleArray();
      double total = Arrays.stream(counts).sum();
      double integral = 0;
      for (int k = 0; k < counts.length; k++) {
        double width = edges[k + 1] - edges[k];
        assertThat(got[k]).isCloseTo(counts[k] / total / width, Offset.offset(1e-15));
        integral += got[k] * width;
      }
      assertThat(integral).isCloseTo(1, Offset.offset(1e-14));
      float[] equal = ctx.eval(histogramDensity(t.cast(F32), 4, -3, 3)).toFloatArray();
      long[] of = ctx.eval(histogram(t.cast(F32), 4, -3, 3)).toLongArray();
      for (int k = 0; k < 4; k++) {
        assertThat((double) equal[k])
            .isCloseTo(of[k] / 1.5 / Arrays.stream(of).sum(), Offset.offset(1e-7));
      }
      assertThat(ctx.eval(histogramDensity(ctx.zeros(F64, 0), 2, 0, 1)).toDoubleArray())
          .containsOnly(Double.NaN);
    }
  }

  @Test
  void trueElementsOverSeveralAxes() {
    for (Context ctx : ALL) {
      Tensor<BOOL> mask = ctx.eval(ctx.arange(I32, 30).reshape(2, 3, 5).rem(4).eq(1));
      assertThat(ctx.eval(sum(mask, 0, 2)).toLongArray()).containsExactly(2, 3, 3);
      assertThat(ctx.eval(sum(mask, 0, 1, 2)).item()).isEqualTo(8);
      assertThat(ctx.eval(sum(mask, 2, 0).keepDims()).shape().toArray()).containsExactly(1, 3, 1);
    }
  }

  @Test
  void histograms() {
    for (Context ctx : ALL) {
      for (int bins : new int[] {1, 4, 40}) {
        double[] x = values(new Random(bins), 1031);
        double[] edges =
            IntStream.rangeClosed(0, bins).mapToDouble(k -> -3 + 6.0 * k / bins).toArray();
        long[] expected = new long[bins];
        for (double v : x) {
          for (int k = 0; k < bins; k++) {
            boolean last = k == bins - 1 && v == edges[bins];
            expected[k] += v >= edges[k] && v < edges[k + 1] || last ? 1 : 0;
          }
        }
        Tensor<F64> t = ctx.tensor(x);
        assertThat(ctx.eval(histogram(t, ctx.tensor(edges))).toLongArray())
            .containsExactly(expected);
        assertThat(ctx.eval(histogram(t, bins, -3, 3)).toLongArray()).containsExactly(expected);
        assertThat(ctx.eval(histogram(t, ctx.tensor(edges), ctx.full(F32, 2, 1031))).toFloatArray())
            .containsExactly(toFloats(expected, 2));
      }
    }
  }

  private static float[] toFloats(long[] counts, float factor) {
    float[] all = new float[counts.length];
    for (int k = 0; k < all.length; k++) {
      all[k] = factor * counts[k];
    }
    return all;
  }

  // Windows of sorted rows

  /** Rows long enough for passes over histograms, with equal, special and clustered elements. */
  @ParameterizedTest
  @ValueSource(ints = {4095, 4096, 20_011})
  void windowsOfLongRows(int n) {
    Context ctx = ALL.getFirst();
    var random = new Random(n);
    float[] x = new float[n];
    for (int kind = 0; kind < 4; kind++) {
      for (int i = 0; i < n; i++) {
        x[i] =
            switch (kind) {
              case 0 -> (float) random.nextGaussian();
              case 1 -> random.nextInt(3);
              case 2 -> random.nextInt(10) == 0 ? Float.NaN : -0f;
              default -> 1000 + random.nextFloat();
            };
      }
      float[] sorted = x.clone();
      Arrays.sort(sorted);
      Tensor<F32> t = ctx.tensor(x);
      assertThat(ctx.eval(sort(t, 0).plus(0)).toFloatArray()).containsExactly(withoutSigns(sorted));
      assertThat(ctx.eval(sort(t.cast(F64), 0).cast(F32).plus(0)).toFloatArray())
          .containsExactly(withoutSigns(sorted));
      int[] order =
          IntStream.range(0, n)
              .boxed()
              .sorted((i, j) -> Float.compare(x[i] + 0f, x[j] + 0f))
              .mapToInt(i -> i)
              .toArray();
      assertThat(ctx.eval(argSort(t.cast(F64), 0).cast(I32)).toIntArray()).containsExactly(order);
      assertThat(ctx.eval(argSort(t, 0).cast(I32)).toIntArray()).containsExactly(order);
      int[] top =
          IntStream.range(0, n)
              .boxed()
              .sorted((i, j) ->
                  Float.isNaN(x[i]) || Float.isNaN(x[j])
                      ? Boolean.compare(Float.isNaN(x[i]), Float.isNaN(x[j]))
                      : Float.compare(x[j] + 0f, x[i] + 0f))
              .limit(10)
              .mapToInt(i -> i)
              .toArray();
      for (Expr<?> e : List.of(t, t.cast(F64))) {
        assertThat(ctx.eval(argTopK(e, 10, 0).cast(I32)).toIntArray()).containsExactly(top);
      }
      boolean nan = Float.isNaN(sorted[n - 1]);
      float middle = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
      Float expected = nan ? Float.NaN : middle + 0f;
      assertThat(ctx.eval(median(t).plus(0)).toFloatArray()).containsExactly(expected);
    }
  }

  @Test
  void positionsOfExtremesInLargeVectors() {
    for (Context ctx : ALL) {
      int n = 70_001;
      for (int place : new int[] {0, 4095, 4096, 69_000, n - 1}) {
        float[] x = new float[n];
        x[place] = 2;
        x[n - 1] = 2;
        Tensor<F32> t = ctx.tensor(x);
        assertThat((long) ctx.eval(argMax(t)).item()).isEqualTo(place);
        assertThat((long) ctx.eval(argMin(ctx.eval(t.neg()), 0)).item()).isEqualTo(place);
        x[Math.max(0, place - 1)] = Float.NaN;
        x[n - 1] = Float.NaN;
        assertThat(ctx.eval(argMax(ctx.tensor(x, n, 1)).keepDims()).toLongArray())
            .containsExactly(Math.max(0, place - 1));
      }
    }
  }

  private static float[] withoutSigns(float[] x) {
    float[] all = x.clone();
    for (int i = 0; i < all.length; i++) {
      all[i] += 0f;
    }
    return all;
  }
}
