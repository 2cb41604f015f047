package ristretto.kernels.device;

/** Launches with their buffers and scalars, as one piece of work; see {@link Device#record}. */
public interface Recording extends AutoCloseable {
  /** Runs them all, with the current contents of their buffers. */
  void run();

  @Override
  void close();
}
