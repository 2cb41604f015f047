package ristretto.onnx.file;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Growing array of little-endian numbers. */
final class Bytes {
  private byte[] all = new byte[64];
  private int size;

  private void reserve(int more) {
    int needed = Math.addExact(size, more);
    if (needed > all.length) {
      all = Arrays.copyOf(all, (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(needed, 2L * size)));
    }
  }

  void add(ByteBuffer some) {
    int length = some.remaining();
    reserve(length);
    some.get(all, size, length);
    size += length;
  }

  /** Appends the low bytes of a number. */
  void add(long number, int bytes) {
    reserve(bytes);
    for (int k = 0; k < bytes; k++) {
      all[size++] = (byte) (number >>> 8 * k);
    }
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns a view of the content. */
  ByteBuffer view() {
    return ByteBuffer.wrap(all, 0, size).slice().order(ByteOrder.LITTLE_ENDIAN);
  }
}
