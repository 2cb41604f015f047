package ristretto.jmh.run;

/** Job that calls a {@link Runnable} in this process. */
public final class LoopJob implements Job {
  private final Runnable work;
  private final Runnable finish;
  private final Probe probe;
  private final Runnable release;

  /** Reads one element of the result. */
  @FunctionalInterface
  public interface Probe {
    double at(long index);
  }

  public LoopJob(Runnable work, Probe probe, Runnable release) {
    this(work, () -> {}, probe, release);
  }

  /**
   * Creates a job whose work may be asynchronous.
   *
   * @param finish waits until the work is done; included in the time
   */
  public LoopJob(Runnable work, Runnable finish, Probe probe, Runnable release) {
    this.work = work;
    this.finish = finish;
    this.probe = probe;
    this.release = release;
  }

  @Override
  public long time(long calls) {
    long start = System.nanoTime();
    for (long k = 0; k < calls; k++) {
      work.run();
    }
    finish.run();
    return System.nanoTime() - start;
  }

  @Override
  public double[] probe(long[] indices) {
    double[] values = new double[indices.length];
    for (int k = 0; k < values.length; k++) {
      values[k] = probe.at(indices[k]);
    }
    return values;
  }

  @Override
  public void close() {
    release.run();
  }
}
