package ristretto.cuda;

import ristretto.kernels.ClosedException;
import ristretto.kernels.driver.IndexCheck;

/** Memory of a GPU. */
final class CudaBuffer implements IndexCheck.Versioned {
  private final CudaDevice device;
  private final long bytes;
  private long address;

  /** Counts changes of the content. */
  private long version;

  CudaBuffer(CudaDevice device, long bytes, Handles.Memory memory) {
    this.device = device;
    this.bytes = bytes;
    this.address = memory.address();
  }

  CudaDevice device() {
    return device;
  }

  /** 0 once closed. */
  long address() {
    return address;
  }

  /** The address; {@code op} names the user in the message of a {@link ClosedException}. */
  long open(String op) {
    if (closed()) {
      throw new ClosedException(
          "["
              + op
              + "] a buffer must be open while it is used; got a closed one of "
              + bytes
              + " bytes; keep the tensor or its context open until the work on it is done");
    }
    return address;
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
    return address == 0 || device.closed();
  }

  @Override
  public void close() {
    synchronized (device) {
      if (address != 0) {
        address = 0;
        device.released(this);
      }
    }
  }
}
