package ristretto.kernels.driver;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import ristretto.kernels.ClosedException;
import ristretto.kernels.device.Buffer;

/**
 * Memory of a {@link DriverDevice}, or a part of it.
 *
 * @param <M> the driver's handle
 */
public final class DriverBuffer<M> implements Buffer {
  private final DriverDevice<M> device;
  private final long bytes;

  /** Buffer that contains this part; null if this is no part. */
  private final DriverBuffer<M> whole;

  /** Open parts of this buffer; null if there never were any. */
  private Set<DriverBuffer<M>> parts;

  private M memory;

  /** Number of changes of the content. */
  private long version;

  DriverBuffer(DriverDevice<M> device, long bytes, M memory) {
    this(device, bytes, memory, null);
  }

  /** Creates a part of a buffer. */
  DriverBuffer(DriverDevice<M> device, long bytes, M memory, DriverBuffer<M> whole) {
    this.device = device;
    this.bytes = bytes;
    this.memory = memory;
    this.whole = whole;
    if (whole != null) {
      whole.parts = whole.parts == null ? new HashSet<>() : whole.parts;
      whole.parts.add(this);
    }
  }

  DriverDevice<M> device() {
    return device;
  }

  /** Driver handle of the memory; null once closed. */
  public M memory() {
    return memory;
  }

  /**
   * Returns the driver handle of an open buffer; {@code op} names the operation in the message of a
   * {@link ClosedException}.
   */
  M open(String op) {
    if (closed()) {
      throw new ClosedException(
          "["
              + op
              + "] a buffer must be open while it is used; got a closed one of "
              + bytes
              + " bytes; keep the tensor or its context open until its last use");
    }
    return memory;
  }

  /** Version of the content, which differs after each change. */
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
        closeParts();
        if (whole == null) {
          memory = null;
          device.released(this);
        } else {
          whole.parts.remove(this);
          device.releasePart(memory);
          memory = null;
        }
      }
    }
  }

  /** Closes all parts; the caller holds the device's lock. */
  void closeParts() {
    if (parts != null) {
      List.copyOf(parts).forEach(DriverBuffer::close);
    }
  }
}
