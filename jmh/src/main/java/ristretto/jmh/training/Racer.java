package ristretto.jmh.training;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import ristretto.jmh.peer.PeerProcess;
import ristretto.jmh.peer.Peers;
import ristretto.jmh.run.Job;
import ristretto.jmh.start.ChildJvm;

/** One side of a line with one number of threads, in its own process. */
final class Racer implements AutoCloseable {
  /** Pause before a sample: threads of libraries spin for a while after their work. */
  private static final long PAUSE_MILLIS = 5;

  private static final long SAMPLE_NANOS = 40_000_000L;

  /** A step has become faster if it takes less than this fraction of the minimum so far. */
  private static final double QUICKER = 0.95;

  /**
   * Number of losses to compare: both sides start with equal numbers, so their first losses agree.
   */
  private static final int FIRST_LOSSES = 3;

  private final Side side;
  private final int threads;
  private final PeerProcess process;
  private final Job job;
  private final double[] losses = new double[FIRST_LOSSES];
  private final double[] samples;
  private final long calls;
  private int taken;

  enum Side {
    OURS("ours"),
    TORCH("torch"),

    /** The engine with a copy instead of a training step. */
    COPY("copy");

    final String text;

    Side(String text) {
      this.text = text;
    }

    /** Returns the side with this text. */
    static Side named(String text) {
      return Arrays.stream(values()).filter(s -> s.text.equals(text)).findFirst().orElseThrow();
    }
  }

  /**
   * Starts the process, runs the first steps, and warms up until the code is compiled.
   *
   * @throws IOException if it does not start
   */
  Racer(Side side, int threads, TrainingLine line, TrainingEffort effort) throws IOException {
    this.side = side;
    this.threads = threads;
    var builder = new ProcessBuilder(command(side, threads));
    PeerProcess.limitThreads(builder, threads);
    // By default OpenMP's threads spin while they wait, which makes PyTorch's steps ten times
    // slower on machines with no more processors than threads.
    builder.environment().putIfAbsent("OMP_WAIT_POLICY", "PASSIVE");
    if (side == Side.TORCH) {
      Allocations.library().ifPresent(l -> builder.environment().put("LD_PRELOAD", l.toString()));
    }
    process = new PeerProcess(side.text, builder);
    warmUp(line, effort.warmNanos());
    job = prepare(name(line), line.dims().toString());
    for (int k = 0; k < FIRST_LOSSES; k++) {
      job.time(1);
      losses[k] = job.probe(new long[1])[0];
    }
    long step = Math.max(1, warm(job, effort.warmNanos()));
    calls = Math.max(1, SAMPLE_NANOS / step);
    samples = new double[effort.samples()];
  }

  private static List<String> command(Side side, int threads) throws IOException {
    return switch (side) {
      case TORCH -> Peers.java("torch");
      case OURS, COPY ->
          ChildJvm.command(
              TrainingServer.class.getName(),
              List.of(),
              "-Xmx1g",
              "-Dristretto.cpu.threads=" + threads);
    };
  }

  private String name(TrainingLine line) {
    return side == Side.COPY ? "copy" : line.name();
  }

  private Job prepare(String name, String dims) {
    return process
        .prepare("prepare train-" + name + " " + dims)
        .orElseThrow(() -> new IllegalStateException(side.text + " has no model " + name));
  }

  /** Warms up on a small size, which compiles most of the code in less time. */
  private void warmUp(TrainingLine line, long nanos) {
    Job small = prepare(name(line), line.small().toString());
    warm(small, nanos);
    small.close();
  }

  /**
   * Runs for a minimum time, and as long as steps become faster, since the JVM's compilers may be
   * slow on a busy machine. Returns the time of the last steps in nanoseconds per step.
   */
  private static long warm(Job job, long nanos) {
    long start = System.nanoTime();
    long each = Math.max(1, job.time(1));
    long least = each;
    long leastAt = start;
    for (long now = start; now - start < nanos || now - leastAt < nanos / 2; ) {
      long calls = Math.max(1, SAMPLE_NANOS / each);
      each = Math.max(1, job.time(calls) / calls);
      now = System.nanoTime();
      if (each < QUICKER * least) {
        leastAt = now;
      }
      least = Math.min(least, each);
    }
    return least;
  }

  /** Runs {@code steps} steps. */
  void run(int steps) {
    job.time(steps);
  }

  void sample() {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    samples[taken++] = (double) job.time(calls) / calls;
  }

  /** Measurements so far. */
  Lap lap() {
    return Lap.of(side, threads, samples, process.peak(), losses);
  }

  /** Name and version of the side's library. */
  String version() {
    return process.version();
  }

  @Override
  public void close() {
    process.close();
  }
}
