package ristretto.jmh.run;

/** Line at one size, prepared by one competitor. */
public interface Job extends AutoCloseable {
  /** Runs the work {@code calls} times; returns the total time in nanoseconds. */
  long time(long calls);

  /** Returns elements of the last call's result. */
  double[] probe(long[] indices);

  /** Frees the data. */
  @Override
  void close();
}
