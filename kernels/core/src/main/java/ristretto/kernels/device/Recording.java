package ristretto.kernels.device;

/** Recorded sequence of launches with their buffers and scalars; see {@link Device#record}. */
public interface Recording extends AutoCloseable {
  /** Runs all launches with the current contents of their buffers. */
  void run();

  @Override
  void close();
}
