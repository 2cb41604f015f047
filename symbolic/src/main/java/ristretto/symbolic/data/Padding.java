package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import ristretto.kernels.ShapeException;

/** Element that pads a field, in host memory. */
final class Padding {
  private Padding() {}

  static MemorySegment of(Dataset.Field field, double value) {
    String dtype = field.dtype().toString();
    Object one =
        switch (dtype) {
          case "f32" -> new float[] {(float) value};
          case "f64" -> new double[] {value};
          case "i32" -> new int[] {(int) value};
          case "i64" -> new long[] {(long) value};
          default -> null;
        };
    MemorySegment element =
        switch (one) {
          case float[] a -> MemorySegment.ofArray(a);
          case double[] a -> MemorySegment.ofArray(a);
          case int[] a when a[0] == value -> MemorySegment.ofArray(a);
          case long[] a when a[0] == value -> MemorySegment.ofArray(a);
          case null, default -> null;
        };
    if (element == null) {
      throw new ShapeException(
          "[batcher] padding must be a value of an F32, F64, I32 or I64 field; got %s for %s."
              .formatted(value, field));
    }
    return element;
  }
}
