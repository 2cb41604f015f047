package ristretto.expr.file;

import java.lang.foreign.MemorySegment;
import java.util.Locale;
import ristretto.expr.print.TensorPrinter;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/**
 * Tensor in host memory: elements in C order, little-endian, without gaps. The data may be
 * read-only and of any alignment, as in a mapped file; read it as bytes or through unaligned
 * layouts.
 */
public record HostTensor(ScalarType type, Longs shape, MemorySegment data) {

  /** Maximal rank, equal to NumPy's. */
  static final int MAX_RANK = 64;

  public HostTensor {
    long bytes = bytes(type, shape);
    if (bytes != data.byteSize()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "[tensor] data must fit the shape; got %d bytes for %s, which takes %d",
              data.byteSize(),
              label(type, shape),
              bytes));
    }
  }

  /**
   * Size of a tensor in bytes, or -1 if an extent is negative or the product overflows. The product
   * skips extents of 0, because strides are products of the other extents.
   */
  static long bytes(ScalarType type, Longs shape) {
    long bytes = type.bytes();
    boolean empty = false;
    for (int k = 0; k < shape.size(); k++) {
      long extent = shape.get(k);
      empty |= extent == 0;
      long factor = Math.max(1, extent);
      if (extent < 0 || Math.multiplyHigh(bytes, factor) != 0 || bytes * factor < 0) {
        return -1;
      }
      bytes *= factor;
    }
    return empty ? 0 : bytes;
  }

  /** Text for messages about a file's header, such as {@code f32[2,3] and so 24 bytes}. */
  static String described(ScalarType type, Longs shape) {
    long bytes = bytes(type, shape);
    return label(type, shape)
        + (bytes < 0 ? ", more than any file holds" : " and so " + bytes + " bytes");
  }

  private static String label(ScalarType type, Longs shape) {
    return TensorPrinter.header(type, shape.toArray());
  }
}
