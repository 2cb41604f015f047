package ristretto.expr.linalg;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import ristretto.kernels.cpu.blas.WorkMemory;

/** Working memory of a routine. */
final class Scratch implements AutoCloseable {
  private final boolean wide;
  private final WorkMemory work;
  private final MemorySegment memory;
  private long used;

  /** Takes working memory for so many numbers. */
  Scratch(boolean wide, long numbers) {
    this.wide = wide;
    // Each part begins at a multiple of 64 bytes.
    work = new WorkMemory(numbers * 8 + 16 * 64);
    memory = work.memory();
  }

  /** Takes the next numbers, of undefined values. */
  Reals take(long numbers) {
    MemorySegment part = memory.asSlice(used, numbers * (wide ? 8 : 4));
    used += (part.byteSize() + 63) & -64L;
    return new Reals(part, wide);
  }

  /** Takes the next 4-byte integers; two of them are as large as a number. */
  Integers integers(long count) {
    MemorySegment part = memory.asSlice(used, 4 * count);
    used += (part.byteSize() + 63) & -64L;
    return new Integers(part);
  }

  /** Integers of 4 bytes in memory. */
  record Integers(MemorySegment memory) {
    long address() {
      return memory.address();
    }

    int get(long k) {
      return memory.get(ValueLayout.JAVA_INT_UNALIGNED, 4 * k);
    }
  }

  @Override
  public void close() {
    work.close();
  }
}
