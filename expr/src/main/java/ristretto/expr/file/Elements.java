package ristretto.expr.file;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import ristretto.kernels.scalar.ScalarType;

/** Streams the elements of a stored tensor in pieces that fit into a processor cache. */
final class Elements {
  private static final int PIECE = 1 << 20;

  private Elements() {}

  static void forEach(
      FileBytes file,
      long start,
      long length,
      ScalarType type,
      boolean bigEndian,
      StoredTensor.Piece piece) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment room = arena.allocate(Math.clamp(length, 1, PIECE), 64);
      for (long at = 0; at < length; at += PIECE) {
        MemorySegment bytes = room.asSlice(0, Math.min(PIECE, length - at));
        file.read(start + at, bytes, "data");
        if (type == ScalarType.BOOL) {
          Booleans.check(file, start + at, bytes);
        }
        if (bigEndian) {
          Reorder.swapBytes(bytes, type.bytes(), bytes);
        }
        piece.accept(at, bytes);
      }
    }
  }
}
