package ristretto.tornado;

import ristretto.kernels.ClosedException;
import ristretto.kernels.driver.IndexCheck;

/** Memory of a device of TornadoVM. */
final class TornadoBuffer implements IndexCheck.Versioned {
  private final TornadoDevice device;
  private final long bytes;
  private Accelerator.Memory memory;

  /** Counts changes of the content. */
  private long version;

  TornadoBuffer(TornadoDevice device, long bytes, Accelerator.Memory memory) {
    this.device = device;
    this.bytes = bytes;
    this.memory = memory;
  }

  TornadoDevice device() {
    return device;
  }

  /** Null once closed. */
  Accelerator.Memory memory() {
    return memory;
  }

  /** The memory; {@code op} names the user in the message of a {@link ClosedException}. */
  Accelerator.Memory open(String op) {
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

  @Override
  public long version() {
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
    synchronized (device.accelerator) {
      if (memory != null) {
        memory = null;
        device.released(this);
      }
    }
  }
}
