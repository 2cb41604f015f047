package ristretto.opencl;

import org.jocl.cl_mem;
import ristretto.kernels.ClosedException;
import ristretto.kernels.driver.IndexCheck;

/** Memory of an OpenCL device. */
final class OpenClBuffer implements IndexCheck.Versioned {
  private final OpenClDevice device;
  private final long bytes;
  private cl_mem memory;

  /** Counts changes of the content. */
  private long version;

  OpenClBuffer(OpenClDevice device, long bytes, cl_mem memory) {
    this.device = device;
    this.bytes = bytes;
    this.memory = memory;
  }

  OpenClDevice device() {
    return device;
  }

  /** Null once closed. */
  cl_mem memory() {
    return memory;
  }

  /** The memory; {@code op} names the user in the message of a {@link ClosedException}. */
  cl_mem open(String op) {
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
    synchronized (device) {
      if (memory != null) {
        memory = null;
        device.released(this);
      }
    }
  }
}
