package ristretto.kernels.device;

/** Device memory. Made by {@link Device#allocate}; closing gives it back to the device's pool. */
public interface Buffer extends AutoCloseable {
  /** Usable size in bytes. */
  long bytes();

  /** True once closed, by itself or with its device. */
  boolean closed();

  @Override
  void close();
}
