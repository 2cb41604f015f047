package ristretto.jmh.run;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;

/**
 * Measures the competitors of one line in turns, so that other load of the machine affects all of
 * them equally. Each competitor's result is checked against double precision before it is timed.
 */
public final class RoundRobin {
  private static final int PROBES = 61;

  /**
   * Pause between competitors: threads of libraries spin for a while after their work, and would
   * disturb the next competitor.
   */
  private static final long PAUSE_MILLIS = 2;

  /** Maximum number of warm-up repetitions before a sample. */
  private static final int MOST_SETTLING = 10;

  /** Calls have settled if they take at least this fraction of the previous repetition's time. */
  private static final double SETTLED = 0.98;

  private static final long PATIENCE_NANOS = 6_000_000_000L;

  /**
   * Maximum number of bytes that a call of compiled code allocates; building an expression
   * allocates about as much.
   */
  private static final long SMALL_GARBAGE = 16_384;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Effort effort;

  /** Job with its competitor's name. */
  public record Entry(String competitor, Job job) {}

  /**
   * Measurements by competitor; {@code wrong} holds the failure of each competitor that failed or
   * whose result is wrong, which is not timed.
   */
  public record Result(List<Measurement> measurements, Map<String, String> wrong) {}

  public RoundRobin(Effort effort) {
    this.effort = effort;
  }

  /** Runs and times all {@code entries}. */
  public Result run(Line line, Dims dims, List<Entry> entries) {
    var wrong = new LinkedHashMap<String, String>();
    var good = new ArrayList<Entry>();
    var errors = new ArrayList<Double>();
    long[] indices = indices(line.outputLength(dims));
    double[] expected = new double[indices.length];
    for (int k = 0; k < indices.length; k++) {
      expected[k] = line.expected(dims, indices[k]);
    }
    for (Entry entry : entries) {
      double error;
      try {
        entry.job().time(1);
        error = error(expected, entry.job().probe(indices));
      } catch (RuntimeException | Error e) {
        wrong.put(entry.competitor(), "failed: " + e);
        continue;
      }
      if (error <= Tolerances.of(line, entry.competitor())) {
        good.add(entry);
        errors.add(error);
      } else {
        wrong.put(entry.competitor(), "wrong result: relative error " + error);
      }
    }
    var timings = new ArrayList<Timing>();
    for (int k = 0; k < good.size(); k++) {
      timings.add(new Timing(good.get(k), errors.get(k), warmUp(good.get(k).job())));
    }
    for (int round = 0; round < effort.mostSamples(); round++) {
      timings.forEach(Timing::sample);
    }
    List<Measurement> measurements = timings.stream().map(Timing::result).toList();
    return new Result(measurements, Map.copyOf(wrong));
  }

  /** Samples of one competitor. */
  private final class Timing {
    private final Entry entry;
    private final double error;
    private final long calls;
    private final double[] samples;
    private int taken;

    Timing(Entry entry, double error, double callNanos) {
      this.entry = entry;
      this.error = error;
      calls = Math.max(1, (long) Math.ceil(effort.sampleNanos() / callNanos));
      samples = new double[effort.samples(callNanos)];
    }

    void sample() {
      if (taken == samples.length) {
        return;
      }
      pause();
      if (samples.length > Effort.LEAST_SAMPLES) {
        settle();
      }
      samples[taken++] = (double) entry.job().time(calls) / calls;
    }

    /**
     * Repeats calls before the clock starts, to bring the job's data back into the caches and its
     * threads back from sleep. Outer caches keep only data that is read repeatedly: after a single
     * call, competitors that share their data with others would have an advantage.
     */
    private void settle() {
      double last = Double.POSITIVE_INFINITY;
      for (int k = 0; k < MOST_SETTLING; k++) {
        double now = entry.job().time(calls);
        if (now > SETTLED * last) {
          return;
        }
        last = now;
      }
    }

    Measurement result() {
      return Measurement.of(entry.competitor(), samples, error);
    }
  }

  /**
   * Runs {@code job} until its code is compiled: for a minimum time, and until a call allocates
   * almost nothing, since interpreted vector code allocates an object per vector. Returns the time
   * per call in nanoseconds.
   */
  private double warmUp(Job job) {
    long start = System.nanoTime();
    long first = job.time(1);
    double each = first;
    long calls = 1;
    for (long spent = first; spent < effort.warmNanos() || !compiled(job, calls, start); ) {
      long took = Math.max(1, job.time(calls));
      spent += took;
      each = (double) took / calls;
      calls = Math.max(1, (long) (effort.sampleNanos() / each));
    }
    return each;
  }

  private static boolean compiled(Job job, long calls, long start) {
    if (System.nanoTime() - start > PATIENCE_NANOS) {
      return true;
    }
    long before = THREADS.getCurrentThreadAllocatedBytes();
    job.time(calls);
    return THREADS.getCurrentThreadAllocatedBytes() - before < calls * SMALL_GARBAGE + 100_000;
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Selects the first, the last and evenly spaced indices in between. */
  private static long[] indices(long length) {
    int count = (int) Math.min(length, PROBES);
    long[] indices = new long[count];
    for (int k = 0; k < count; k++) {
      indices[k] = count == 1 ? 0 : Math.floorDiv(k * (length - 1), count - 1);
    }
    return indices;
  }

  private static double error(double[] expected, double[] got) {
    double worst = 0;
    for (int k = 0; k < expected.length; k++) {
      double off = Math.abs(expected[k] - got[k]) / Math.max(1, Math.abs(expected[k]));
      worst = Math.max(worst, Double.isNaN(off) ? Double.POSITIVE_INFINITY : off);
    }
    return worst;
  }
}
