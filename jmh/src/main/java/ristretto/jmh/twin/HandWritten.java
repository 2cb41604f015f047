package ristretto.jmh.twin;

import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;
import ristretto.jmh.run.Competitor;
import ristretto.jmh.run.LoopJob;

/** Runs the {@link Kernels} of one language on the team's threads. */
final class HandWritten implements Competitor {
  /** Minimum bytes per thread; below, a second thread costs more than it gains. */
  private static final long LEAST_BYTES = 1 << 17;

  private static final int UNIT = 1024;

  private final String name;
  private final Kernels kernels;
  private final Team team;
  private final Worksets worksets;

  /** Result of the last sum; volatile because several threads add parts of it. */
  private volatile double total;

  HandWritten(String name, Kernels kernels, Team team, Worksets worksets) {
    this.name = name;
    this.kernels = kernels;
    this.team = team;
    this.worksets = worksets;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Offer prepare(Line line, Dims dims) {
    if (line.family() == Line.Family.GEMM) {
      return new NotOffered();
    }
    Workset set = worksets.acquire(line, dims);
    LoopJob.Probe probe = line.family() == Line.Family.SUM ? i -> total : set::result;
    return new Ready(new LoopJob(work(line, dims, set), probe, set::release));
  }

  private Runnable work(Line line, Dims d, Workset set) {
    long x = set.input(0);
    long y = set.output();
    return switch (line.name()) {
      case "sum3" -> sum(d.get(0), set);
      case "softmax" -> rows(d, 8, (r, n) -> kernels.softmax(at(x, r, d), at(y, r, d), n, cols(d)));
      case "layernorm" ->
          rows(d, 8, (r, n) -> kernels.layerNorm(at(x, r, d), at(y, r, d), n, cols(d)));
      case "rowsum" -> rows(d, 4, (r, n) -> kernels.rowSum(at(x, r, d), y + 4 * r, n, cols(d)));
      case "colsum" -> columns(d, x, y, false);
      case "colmax" -> columns(d, x, y, true);
      case "midsum" -> middle(d, x, y);
      case "outersum" -> outer(d, x, y);
      case "biasrelu" ->
          rows(
              d, 8, (r, n) -> kernels.biasRelu(at(x, r, d), set.input(1), at(y, r, d), n, cols(d)));
      case "transpose" ->
          () ->
              team.run(
                  d.get(1),
                  32,
                  Math.max(32, LEAST_BYTES / (8 * d.get(0))),
                  (from, to) -> kernels.transpose(x, y, d.get(0), d.get(1), from, to));
      case "rowslice" -> {
        MapTwins.Loop copy = kernels.map("copy");
        yield rows(
            d,
            8,
            (r, n) -> {
              for (long k = r; k < r + n; k++) {
                copy.run(x + 8 * k * cols(d), 0, 0, at(y, k, d), cols(d));
              }
            });
      }
      case "colslice" ->
          rows(d, 12, (r, n) -> kernels.evens(x + 8 * r * cols(d), at(y, r, d), (int) n * cols(d)));
      default -> map(line, d, set);
    };
  }

  /** Loop over {@code count} rows from {@code first}. */
  @FunctionalInterface
  private interface Rows {
    void run(long first, long count);
  }

  private static int cols(Dims d) {
    return (int) d.get(1);
  }

  private static long at(long base, long row, Dims d) {
    return base + 4 * row * d.get(1);
  }

  private Runnable rows(Dims d, int bytesPerElement, Rows rows) {
    long least = Math.max(1, LEAST_BYTES / (bytesPerElement * d.get(1)));
    return () -> team.run(d.get(0), 1, least, (from, to) -> rows.run(from, to - from));
  }

  private Runnable map(Line line, Dims d, Workset set) {
    MapTwins.Loop loop = kernels.map(line.name());
    long a = set.input(0);
    long b = set.input(1);
    long c = set.input(2);
    long y = set.output();
    long least = LEAST_BYTES / (4L * (line.inputs().size() + 1));
    return () ->
        team.run(
            d.get(0),
            UNIT,
            least,
            (from, to) ->
                loop.run(
                    a + 4 * from, b + 4 * from, c + 4 * from, y + 4 * from, (int) (to - from)));
  }

  private Runnable sum(long n, Workset set) {
    long a = set.input(0);
    long b = set.input(1);
    long c = set.input(2);
    return () -> {
      var parts = new java.util.concurrent.atomic.DoubleAdder();
      team.run(
          n,
          UNIT,
          LEAST_BYTES / 12,
          (from, to) ->
              parts.add(kernels.sum3(a + 4 * from, b + 4 * from, c + 4 * from, (int) (to - from))));
      total = parts.sum();
    };
  }

  /** Partitions the columns over threads such that no two threads write the same cache line. */
  private Runnable columns(Dims d, long x, long y, boolean most) {
    long rows = d.get(0);
    long cols = d.get(1);
    return () ->
        team.run(
            cols,
            64,
            256,
            (from, to) -> {
              int width = (int) (to - from);
              RowTwins.fill(y + 4 * from, most ? Float.NEGATIVE_INFINITY : 0f, width);
              if (most) {
                kernels.maxRows(x + 4 * from, cols, rows, y + 4 * from, width);
              } else {
                kernels.addRows(x + 4 * from, cols, rows, y + 4 * from, width);
              }
            });
  }

  private Runnable middle(Dims d, long x, long y) {
    long inner = d.get(2);
    return () ->
        team.run(
            d.get(0),
            1,
            1,
            (from, to) -> {
              for (long k = from; k < to; k++) {
                RowTwins.fill(y + 4 * k * inner, 0f, (int) inner);
                kernels.addRows(
                    x + 4 * k * d.get(1) * inner, inner, d.get(1), y + 4 * k * inner, (int) inner);
              }
            });
  }

  private Runnable outer(Dims d, long x, long y) {
    long inner = d.get(2);
    return () ->
        team.run(
            d.get(1),
            1,
            1,
            (from, to) -> {
              for (long k = from; k < to; k++) {
                float sum = 0;
                for (long r = 0; r < d.get(0); r++) {
                  sum += RowTwins.sum(x + 4 * (r * d.get(1) + k) * inner, (int) inner);
                }
                Raw.set(y + 4 * k, sum);
              }
            });
  }
}
