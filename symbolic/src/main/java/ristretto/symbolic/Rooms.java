package ristretto.symbolic;

import java.util.HashMap;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.DType;
import ristretto.expr.Shape;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;

/** Temporary memory of operators within a run, by the operators' own names. */
final class Rooms {
  private record Room(Operator operator, String name) {}

  private final Context ctx;
  private final Map<Room, Tensor<?>> rooms = new HashMap<>();

  Rooms(Context ctx) {
    this.ctx = ctx;
  }

  @SuppressWarnings("unchecked")
  <T> Tensor<T> get(Operator operator, String name, DType<T> dtype, Shape shape) {
    Tensor<?> room = rooms.computeIfAbsent(new Room(operator, name), _ -> ctx.empty(dtype, shape));
    if (room.dtype() != (Object) dtype || !room.shape().equals(shape)) {
      throw new ShapeException(
          "["
              + operator.name()
              + "] a room must keep its dtype and shape; got "
              + dtype
              + shape
              + " for "
              + name
              + " "
              + room.dtype()
              + room.shape()
              + ".");
    }
    return (Tensor<T>) room;
  }

  void clear(Operator operator) {
    rooms.keySet().removeIf(room -> room.operator == operator);
  }

  void clear() {
    rooms.clear();
  }
}
