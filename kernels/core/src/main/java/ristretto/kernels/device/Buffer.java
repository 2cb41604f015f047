package ristretto.kernels.device;

/**
 * Device memory, allocated by {@link Device#allocate}; closing a buffer returns the memory to the
 * device's pool.
 */
public interface Buffer extends AutoCloseable {
  /** Usable size in bytes. */
  long bytes();

  /** Returns true once this buffer or its device is closed. */
  boolean closed();

  @Override
  void close();
}
