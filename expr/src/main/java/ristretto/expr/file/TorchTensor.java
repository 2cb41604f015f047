package ristretto.expr.file;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import ristretto.kernels.DeviceException;
import ristretto.kernels.ir.Longs;

/**
 * Strided view of a storage, as PyTorch's tensors are; several may share a storage.
 *
 * @param offset number of the first element
 * @param strides distances of neighbours along each axis in elements, at least 0
 * @param span number of elements from the first to the last; 0 if the tensor is empty
 */
record TorchTensor(TorchStorage storage, long offset, Longs shape, Longs strides, long span) {

  /** Checks that a tensor lies within its storage; {@code at} is its place in the pickle. */
  static TorchTensor checked(
      TorchStorage storage, long offset, Longs shape, Longs strides, FileBytes pickle, long at) {
    long span = strides.size() == shape.size() ? span(shape, strides) : -1;
    long bytes = HostTensor.bytes(storage.type(), shape);
    if (bytes < 0 || span < 0 || offset < 0 || span > storage.count() - offset) {
      throw pickle.malformed(
          at,
          String.format(
              Locale.ROOT, "a tensor must lie within its storage of %d elements", storage.count()),
          String.format(Locale.ROOT, "size %s, stride %s and offset %d", shape, strides, offset),
          "the file is damaged");
    }
    return new TorchTensor(storage, offset, shape, strides, span);
  }

  /** Returns the number of elements from the first to the last, or -1 if it exceeds 63 bits. */
  private static long span(Longs shape, Longs strides) {
    long last = 0;
    for (int k = 0; k < shape.size(); k++) {
      if (shape.get(k) == 0) {
        return 0;
      }
    }
    for (int k = 0; k < shape.size(); k++) {
      long steps = shape.get(k) - 1;
      long stride = strides.get(k);
      if (Math.multiplyHigh(steps, stride) != 0 || steps * stride < 0) {
        return -1;
      }
      last += steps * stride;
      if (last < 0) {
        return -1;
      }
    }
    return last == Long.MAX_VALUE ? -1 : last + 1;
  }

  /** Size in bytes of the larger of the tensor and its span in the storage. */
  long work() {
    return Math.max(HostTensor.bytes(storage.type(), shape), span * storage.type().bytes());
  }

  StoredTensor stored() {
    return new StoredTensor(storage.type(), shape, this::forEach);
  }

  private boolean isContiguous() {
    long stride = 1;
    for (int k = shape.size() - 1; k >= 0; k--) {
      if (shape.get(k) != 1 && strides.get(k) != stride) {
        return false;
      }
      stride *= shape.get(k);
    }
    return true;
  }

  private void forEach(StoredTensor.Piece piece) {
    int size = storage.type().bytes();
    if (span == 0 || isContiguous()) {
      storage.forEach(offset * size, span * size, piece);
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment held = allocate(arena, span * size);
      storage.forEach(offset * size, span * size, (at, part) -> held.asSlice(at).copyFrom(part));
      MemorySegment rows = allocate(arena, HostTensor.bytes(storage.type(), shape));
      piece.accept(0, Reorder.fromStrides(held, shape, strides, size, rows));
    }
  }

  private MemorySegment allocate(Arena arena, long bytes) {
    try {
      return arena.allocate(bytes, 64);
    } catch (OutOfMemoryError e) {
      throw new DeviceException(
          String.format(
              Locale.ROOT,
              "[load] tensors with strides must fit in memory twice; got %s%s, which takes %d"
                  + " bytes; save it after contiguous()",
              storage.type().label(),
              shape,
              bytes),
          e);
    }
  }
}
