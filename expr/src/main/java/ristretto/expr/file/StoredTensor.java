package ristretto.expr.file;

import java.lang.foreign.MemorySegment;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/**
 * A tensor in a file that is open: what its header says, checked against the file's size, and its
 * elements when they are asked for.
 *
 * @param type of the elements
 * @param shape outermost extent first
 * @param elements in C order, little-endian, without gaps
 */
public record StoredTensor(ScalarType type, Longs shape, Elements elements) {
  /** Elements in a file. */
  @FunctionalInterface
  public interface Elements {
    /**
     * Hands the elements on in pieces, which last as long as each call.
     *
     * @throws ristretto.kernels.RistrettoException if the file cannot be read, or is malformed
     */
    void forEach(Piece piece);
  }

  /** Receiver of elements. */
  @FunctionalInterface
  public interface Piece {
    /**
     * Takes whole elements.
     *
     * @param at bytes of the elements before
     */
    void accept(long at, MemorySegment bytes);
  }

  /** Bytes of the elements. */
  public long bytes() {
    return HostTensor.bytes(type, shape);
  }
}
