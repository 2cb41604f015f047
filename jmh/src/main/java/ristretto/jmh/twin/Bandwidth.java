package ristretto.jmh.twin;

import static ristretto.jmh.twin.Raw.LANES;
import static ristretto.jmh.twin.Raw.S;
import static ristretto.jmh.twin.Raw.load;
import static ristretto.jmh.twin.Raw.store;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;
import ristretto.jmh.run.Competitor;
import ristretto.jmh.run.Job;
import ristretto.jmh.run.LoopJob;

/**
 * Bandwidth limit of a line: the time of a loop with the least arithmetic that moves as many
 * streams of the same length by ordinary stores, on the same threads. It computes no result, so no
 * error is reported.
 */
final class Bandwidth implements Competitor {
  private static final long LEAST_BYTES = 1 << 17;

  private final Team team;
  private final Worksets worksets;
  private volatile float sink;

  Bandwidth(Team team, Worksets worksets) {
    this.team = team;
    this.worksets = worksets;
  }

  @Override
  public String name() {
    return "limit";
  }

  @Override
  public Offer prepare(Line line, Dims dims) {
    if (line.family() == Line.Family.GEMM || line.family() == Line.Family.LAYOUT) {
      return new NotOffered();
    }
    Workset set = worksets.acquire(line, dims);
    long n = dims.product();
    MapTwins.Loop loop = loop(line.streams());
    long least = LEAST_BYTES / (4L * (line.streams().reads() + line.streams().writes()));
    Runnable work =
        () ->
            team.run(
                n,
                1024,
                least,
                (from, to) ->
                    loop.run(
                        set.input(0) + 4 * from,
                        set.input(1) + 4 * from,
                        set.input(2) + 4 * from,
                        set.output() + 4 * from,
                        (int) (to - from)));
    Job timed = new LoopJob(work, i -> line.expected(dims, i), set::release);
    return new Ready(timed);
  }

  private MapTwins.Loop loop(Line.Streams streams) {
    int kind = streams.reads() * 10 + streams.writes();
    return switch (kind) {
      case 10 -> (a, b, c, y, n) -> sink = read(a, n);
      case 30 -> (a, b, c, y, n) -> sink = readThree(a, b, c, n);
      case 11 -> MapTwins::copy;
      case 21 -> MapTwins::axpby;
      case 31 -> Bandwidth::addThree;
      default -> throw new IllegalArgumentException(streams.toString());
    };
  }

  private static float read(long a, int n) {
    FloatVector s0 = FloatVector.zero(S);
    FloatVector s1 = s0;
    FloatVector s2 = s0;
    FloatVector s3 = s0;
    for (int i = 0; i <= n - 4 * LANES; i += 4 * LANES) {
      long o = (long) i << 2;
      s0 = s0.add(load(a + o));
      s1 = s1.add(load(a + o + 4L * LANES));
      s2 = s2.add(load(a + o + 8L * LANES));
      s3 = s3.add(load(a + o + 12L * LANES));
    }
    return s0.add(s1).add(s2.add(s3)).reduceLanes(VectorOperators.ADD);
  }

  private static float readThree(long a, long b, long c, int n) {
    FloatVector s0 = FloatVector.zero(S);
    FloatVector s1 = s0;
    FloatVector s2 = s0;
    for (int i = 0; i <= n - LANES; i += LANES) {
      long o = (long) i << 2;
      s0 = s0.add(load(a + o));
      s1 = s1.add(load(b + o));
      s2 = s2.add(load(c + o));
    }
    return s0.add(s1).add(s2).reduceLanes(VectorOperators.ADD);
  }

  private static void addThree(long a, long b, long c, long y, int n) {
    for (int i = 0; i <= n - LANES; i += LANES) {
      long o = (long) i << 2;
      store(load(a + o).add(load(b + o)).add(load(c + o)), y + o);
    }
  }
}
