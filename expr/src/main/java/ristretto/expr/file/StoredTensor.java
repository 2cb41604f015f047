package ristretto.expr.file;

import java.lang.foreign.MemorySegment;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/**
 * Tensor in an open file: the header's fields, checked against the file's size, and lazily read
 * elements.
 *
 * @param type type of the elements
 * @param shape extents, outermost first
 * @param elements elements in C order, little-endian, without gaps
 */
public record StoredTensor(ScalarType type, Longs shape, Elements elements) {
  /** Elements in a file. */
  @FunctionalInterface
  public interface Elements {
    /**
     * Passes the elements in pieces to {@code piece}; the memory of a piece is valid during the
     * call only.
     *
     * @throws ristretto.kernels.RistrettoException if the file cannot be read, or is malformed
     */
    void forEach(Piece piece);
  }

  /** Receiver of elements. */
  @FunctionalInterface
  public interface Piece {
    /**
     * Takes a piece of whole elements.
     *
     * @param at byte offset of the piece within the elements
     */
    void accept(long at, MemorySegment bytes);
  }

  /** Size of the elements in bytes. */
  public long bytes() {
    return HostTensor.bytes(type, shape);
  }
}
