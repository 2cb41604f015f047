package ristretto.expr;

import java.util.Arrays;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;

/**
 * The buffers that all plans of a context share for temporaries, by slot. They stay for the next
 * plan, unless memory is short.
 */
final class Temporaries {
  private final Device device;
  private Buffer[] slots = new Buffer[8];
  private int reserved;

  Temporaries(Device device) {
    this.device = device;
  }

  /** Keeps slots for a plan while it runs other plans; returns the first slot. */
  int reserve(int count) {
    int first = reserved;
    reserved += count;
    return first;
  }

  void release(int count) {
    reserved -= count;
  }

  /** The buffer of a slot, of at least so many bytes. */
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

  /** A part of memory, on devices whose memory has parts. */
  Buffer part(Buffer whole, long offset, long bytes) {
    return device.part(whole, offset, bytes).orElseThrow();
  }

  /** Gives back the memory of all slots that no running plan has reserved. */
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
