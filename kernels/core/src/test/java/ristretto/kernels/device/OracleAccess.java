package ristretto.kernels.device;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarOps;
import ristretto.kernels.scalar.ScalarType;

/**
 * The memory accesses of one launch. Remembers at which point of the iteration space each element
 * was read and written, so that an element overwritten at one point and read at another is found,
 * in whatever order the device visits them.
 */
final class OracleAccess {
  private final Buffer[] buffers;
  private final long[] scalars;
  private final Set<Buffer> targets = new HashSet<>();
  private final Map<Place, Write> writes = new HashMap<>();
  private final Map<Place, Long> readers = new HashMap<>();

  private record Place(Buffer buffer, long firstByte) {}

  private record Write(long point, Object value) {}

  /** Reading is remembered only in {@code targets}, the buffers that are written. */
  OracleAccess(Buffer[] buffers, long[] scalars, Iterable<Operand.Memory> targets) {
    this.buffers = buffers;
    this.scalars = scalars;
    targets.forEach(target -> this.targets.add(buffers[target.buffer()]));
  }

  /** The value of {@code operand} at {@code index}; {@code point} numbers the place. */
  Object read(Operand operand, long[] index, long point) {
    return switch (operand) {
      case Operand.Value v -> ScalarOps.value(v.type(), scalars[v.argument()]);
      case Operand.Index i -> {
        long value = at(i.map(), index);
        if (i.type() == ScalarType.I32 && value != (int) value) {
          throw new AssertionError("index " + value + " does not fit i32");
        }
        yield i.type() == ScalarType.I32 ? (Object) (int) value : (Object) value;
      }
      case Operand.Memory m -> {
        for (Operand.Bound bound : m.bounds()) {
          long i = index[bound.dim()];
          if (i < bound.from() || i >= bound.to()) {
            yield ScalarOps.value(m.type(), 0);
          }
        }
        yield load(m, element(m, index), point);
      }
    };
  }

  /** Element number in the buffer, the gathered index included. */
  long element(Operand.Memory m, long[] index) {
    long element = at(m.map(), index);
    if (m.gather().isPresent()) {
      Operand.Gather g = m.gather().get();
      long k =
          ((Number) ((OracleBuffer) buffers[g.buffer()]).get(g.storage(), at(g.map(), index)))
              .longValue();
      if (k < -g.extent() || k >= g.extent()) {
        throw new AssertionError("index " + k + " is outside an axis of " + g.extent());
      }
      element += g.stride() * (k < 0 ? k + g.extent() : k);
    }
    return element;
  }

  /** Element {@code element} of the operand's buffer, at any place. */
  Object load(Operand.Memory m, long element, long point) {
    Buffer buffer = buffers[m.buffer()];
    if (targets.contains(buffer)) {
      var place = new Place(buffer, element * m.storage().bytes());
      Write write = writes.get(place);
      if (write != null && write.point != point) {
        throw hazard(m, element);
      }
      readers.merge(place, point, (old, now) -> old.equals(now) ? now : Long.valueOf(-1));
    }
    return ((OracleBuffer) buffer).get(m.storage(), element);
  }

  /** Stores {@code value} at {@code index}. */
  void write(Operand.Memory m, long[] index, long point, Object value) {
    write(m, element(m, index), point, value);
  }

  void write(Operand.Memory m, long element, long point, Object value) {
    var buffer = (OracleBuffer) buffers[m.buffer()];
    var place = new Place(buffer, element * m.storage().bytes());
    Long reader = readers.get(place);
    if (reader != null && reader != point) {
      throw hazard(m, element);
    }
    Write earlier = writes.put(place, new Write(point, value));
    if (earlier != null && !earlier.value.equals(value)) {
      throw new AssertionError(
          "element "
              + element
              + " of buffer argument "
              + m.buffer()
              + " is written twice, with "
              + earlier.value
              + " and "
              + value);
    }
    buffer.set(m.storage(), element, value);
  }

  private static AssertionError hazard(Operand.Memory m, long element) {
    return new AssertionError(
        "element "
            + element
            + " of buffer argument "
            + m.buffer()
            + " is overwritten at one point and read at another");
  }

  static long at(Affine map, long[] index) {
    if (map.strides().size() != index.length) {
      throw new AssertionError(map + " in a space of " + index.length + " dimensions");
    }
    long at = map.offset();
    for (int d = 0; d < index.length; d++) {
      at += map.strides().get(d) * index[d];
    }
    return at;
  }
}
