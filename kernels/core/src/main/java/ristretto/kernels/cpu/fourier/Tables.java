package ristretto.kernels.cpu.fourier;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import ristretto.kernels.fourier.Roots;
import ristretto.kernels.scalar.ScalarType;

/** Roots of unity in memory, in two planes; freed when unreachable. */
final class Tables {
  private final MemorySegment memory;
  private final long count;
  private final int size;

  private Tables(ScalarType type, long count) {
    this.count = count;
    this.size = type.bytes();
    this.memory = Arena.ofAuto().allocate(Math.max(64, 2 * count * size), 64);
  }

  /**
   * Returns roots of order n.
   *
   * @param exponent exponent of entry k
   */
  static Tables of(ScalarType type, long n, long count, LongUnaryOperator exponent) {
    var tables = new Tables(type, count);
    for (long k = 0; k < count; k++) {
      long e = exponent.applyAsLong(k);
      tables.put(k, Roots.re(e, n));
      tables.put(count + k, Roots.im(e, n));
    }
    return tables;
  }

  /**
   * Returns roots of order n in rows.
   *
   * @param exponent exponent of an entry by row and column
   */
  static Tables of(ScalarType type, long n, long rows, long columns, LongBinaryOperator exponent) {
    return of(type, n, rows * columns, k -> exponent.applyAsLong(k / columns, k % columns));
  }

  /** Returns one number, if it is not 1. */
  static Optional<Tables> scale(ScalarType type, double scale) {
    if (scale == 1) {
      return Optional.empty();
    }
    var tables = new Tables(type, 1);
    tables.put(0, scale);
    return Optional.of(tables);
  }

  private void put(long k, double value) {
    if (size == 4) {
      memory.set(java.lang.foreign.ValueLayout.JAVA_FLOAT, 4 * k, (float) value);
    } else {
      memory.set(java.lang.foreign.ValueLayout.JAVA_DOUBLE, 8 * k, value);
    }
  }

  long re() {
    return memory.address();
  }

  long im() {
    return memory.address() + count * size;
  }
}
