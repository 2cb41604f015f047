package ristretto.expr.memory;

import java.util.concurrent.locks.Lock;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;

/** Memory of an open device: allocation of tensors, and a pool of buffers for temporaries. */
public final class DeviceMemory {
  private final Device device;
  private final MemoryWatch watch;
  private final Lock lock;
  private final BufferPool pool;

  /**
   * Creates the memory of a device.
   *
   * @param lock held by all users of the pool
   */
  public DeviceMemory(Device device, MemoryWatch watch, Lock lock) {
    this.device = device;
    this.watch = watch;
    this.lock = lock;
    this.pool = new BufferPool(device);
  }

  /** Buffers for temporaries. */
  public BufferPool pool() {
    return pool;
  }

  /**
   * Allocates memory for a tensor. If the device is out of memory, frees unreachable tensors and
   * idle temporaries and tries again.
   */
  public Buffer allocate(long bytes) {
    watch.allocating(bytes);
    try {
      return device.allocate(bytes);
    } catch (DeviceException e) {
      makeRoom();
      return device.allocate(bytes);
    }
  }

  /** Frees unreachable tensors and idle temporaries, before an allocation is tried again. */
  void makeRoom() {
    Reclaimer.collect();
    lock.lock();
    try {
      pool.freeIdle();
    } finally {
      lock.unlock();
    }
  }
}
