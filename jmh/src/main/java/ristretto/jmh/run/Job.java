package ristretto.jmh.run;

/** One competitor's way to do one line at one size, with its data in place. */
public interface Job extends AutoCloseable {
  /** Does the work {@code calls} times; nanoseconds it took in all. */
  long time(long calls);

  /** Elements of the result of the last call. */
  double[] probe(long[] indices);

  /** Frees the data. */
  @Override
  void close();
}
