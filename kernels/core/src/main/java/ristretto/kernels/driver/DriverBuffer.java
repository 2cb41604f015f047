package ristretto.kernels.driver;

import ristretto.kernels.ClosedException;
import ristretto.kernels.device.Buffer;

/**
 * Memory of a {@link DriverDevice}.
 *
 * @param <M> the driver's handle
 */
public final class DriverBuffer<M> implements Buffer {
  private final DriverDevice<M> device;
  private final long bytes;
  private M memory;

  /** Counts changes of the content. */
  private long version;

  DriverBuffer(DriverDevice<M> device, long bytes, M memory) {
    this.device = device;
    this.bytes = bytes;
    this.memory = memory;
  }

  DriverDevice<M> device() {
    return device;
  }

  /** Null once closed. */
  public M memory() {
    return memory;
  }

  /** The memory; {@code op} names the user in the message of a {@link ClosedException}. */
  M open(String op) {
    if (closed()) {
      throw new ClosedException(
          "["
              + op
              + "] a buffer must be open while it is used; got a closed one of "
              + bytes
              + " bytes; keep the tensor or its context open until the work on it is done");
    }
    return memory;
  }

  /** Another number after each change of the content. */
  long version() {
    return version;
  }

  void changed() {
    version++;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public boolean closed() {
    return memory == null || device.closed();
  }

  @Override
  public void close() {
    synchronized (device.lock) {
      if (memory != null) {
        memory = null;
        device.released(this);
      }
    }
  }
}
