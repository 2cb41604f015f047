package ristretto.expr.file;

import java.lang.foreign.MemorySegment;

/** Bytes of a file or of an entry in one. */
@FunctionalInterface
interface ByteSource {
  /**
   * Fills {@code target} with the bytes from {@code at} on, all of which lie within the source's
   * size. Some sources are read forwards only.
   *
   * @throws ristretto.kernels.RistrettoException if the bytes cannot be had
   */
  void read(long at, MemorySegment target);

  static ByteSource of(MemorySegment bytes) {
    return (at, target) -> MemorySegment.copy(bytes, at, target, 0, target.byteSize());
  }
}
