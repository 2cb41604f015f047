package ristretto.expr.memory;

import java.util.Arrays;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;

/**
 * Buffers for temporaries, by slot, shared by all plans of a context. Buffers are kept for the next
 * plan unless the device runs out of memory.
 */
public final class BufferPool {
  private final Device device;
  private Buffer[] slots = new Buffer[8];
  private int reserved;

  BufferPool(Device device) {
    this.device = device;
  }

  /** Reserves slots for a plan whose host steps run other plans; returns the first slot. */
  public int reserve(int count) {
    int first = reserved;
    reserved += count;
    return first;
  }

  public void release(int count) {
    reserved -= count;
  }

  /** Returns the buffer of a slot, reallocated if it has fewer than {@code bytes} bytes. */
  Buffer get(int slot, long bytes) {
    if (slot >= slots.length) {
      slots = Arrays.copyOf(slots, 2 * slot + 2);
    }
    Buffer b = slots[slot];
    if (b == null || b.bytes() < bytes) {
      free(slot);
      slots[slot] = b = device.allocate(bytes);
    }
    return b;
  }

  /** Returns a part of a buffer, on devices that support parts. */
  Buffer part(Buffer whole, long offset, long bytes) {
    return device.part(whole, offset, bytes).orElseThrow();
  }

  /** Frees the buffers of all slots that no running plan has reserved. */
  void freeIdle() {
    for (int slot = reserved; slot < slots.length; slot++) {
      free(slot);
    }
  }

  private void free(int slot) {
    if (slots[slot] != null) {
      slots[slot].close();
      slots[slot] = null;
    }
  }
}
