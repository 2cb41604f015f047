package ristretto.expr.file;

import java.lang.foreign.MemorySegment;

/** Bytes of a file or of an archive entry. */
@FunctionalInterface
interface ByteSource {
  /**
   * Fills {@code target} with the bytes from offset {@code at} on, which must lie within the
   * source. Some sources allow forward reads only.
   *
   * @throws ristretto.kernels.RistrettoException if the bytes cannot be read
   */
  void read(long at, MemorySegment target);

  static ByteSource of(MemorySegment bytes) {
    return (at, target) -> MemorySegment.copy(bytes, at, target, 0, target.byteSize());
  }
}
