package ristretto.kernels.ir;

import java.util.List;
import java.util.Optional;
import ristretto.kernels.scalar.ScalarType;

/** What feeds one input slot of a kernel's tape. */
public sealed interface Operand {
  /** The type the tape sees. */
  ScalarType type();

  /**
   * An element of a buffer.
   *
   * @param storage element type in memory; the tape sees its compute type
   * @param buffer argument number of the buffer
   * @param map element index; must stay within the buffer wherever all {@code bounds} hold
   * @param gather adds an index read from another buffer
   * @param bounds where one fails, the buffer is not read and the value is zero
   */
  record Memory(
      ScalarType storage, int buffer, Affine map, Optional<Gather> gather, List<Bound> bounds)
      implements Operand {
    public Memory {
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

  /**
   * A number passed at launch; {@code argument} counts launch scalars. Its bits are as in
   * Node.Const.
   */
  record Value(ScalarType type, int argument) implements Operand {}

  /**
   * The value of an affine form of the iteration indices; I64, or I32 where the caller knows it
   * fits.
   */
  record Index(ScalarType type, Affine map) implements Operand {}

  /**
   * Adds {@code stride * index[map]} to an element index.
   *
   * @param storage I32 or I64
   * @param buffer argument number of the index buffer
   * @param extent an index k must hold {@code -extent <= k < extent}; negative ones count from the
   *     end
   */
  record Gather(ScalarType storage, int buffer, Affine map, long stride, long extent) {}

  /** {@code from <= i[dim] < to}. */
  record Bound(int dim, long from, long to) {}
}
