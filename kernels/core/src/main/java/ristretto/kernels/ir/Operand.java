package ristretto.kernels.ir;

import java.util.List;
import java.util.Optional;
import ristretto.kernels.scalar.ScalarType;

/** Value of one input slot of a kernel's tape. */
public sealed interface Operand {
  /** Type of the value in the tape. */
  ScalarType type();

  /**
   * Element of a buffer.
   *
   * @param storage element type in memory; the tape reads it as its compute type. U64 becomes I64,
   *     which has the same bits.
   * @param buffer argument number of the buffer
   * @param map element index; must be within the buffer wherever all {@code bounds} hold
   * @param gather adds an index read from another buffer
   * @param bounds where one fails, the buffer is not read and the value is zero
   */
  record Memory(
      ScalarType storage, int buffer, Affine map, Optional<Gather> gather, List<Bound> bounds)
      implements Operand {
    public Memory {
      storage = storage == ScalarType.U64 ? ScalarType.I64 : storage;
      bounds = List.copyOf(bounds);
    }

    public Memory(ScalarType storage, int buffer, Affine map) {
      this(storage, buffer, map, Optional.empty(), List.of());
    }

    @Override
    public ScalarType type() {
      return storage.compute();
    }
  }

  /** Launch scalar number {@code argument}, encoded as in {@code Node.Const}. */
  record Value(ScalarType type, int argument) implements Operand {}

  /**
   * Value of an affine form of the iteration indices; I64, or I32 if the caller knows that it fits.
   */
  record Index(ScalarType type, Affine map) implements Operand {}

  /**
   * Term {@code stride * index[map]} of an element index.
   *
   * @param storage I32 or I64
   * @param buffer argument number of the index buffer
   * @param extent valid indices are {@code -extent <= index < extent}; negative ones count from the
   *     end
   */
  record Gather(ScalarType storage, int buffer, Affine map, long stride, long extent) {}

  /** Bound {@code from <= i[dim] < to} on one iteration index. */
  record Bound(int dim, long from, long to) {}
}
