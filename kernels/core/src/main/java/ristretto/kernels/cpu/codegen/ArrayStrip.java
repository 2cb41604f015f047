package ristretto.kernels.cpu.codegen;

import java.lang.foreign.MemorySegment;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.strip.GatheredLines;
import ristretto.kernels.cpu.strip.LaneFold;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.scalar.ScalarType;

/**
 * Scalar code over Java arrays, into which operands are copied strip by strip. An access to
 * off-heap memory takes 1,300 ns in the interpreter and 50 to 90 ns in code by C1, and keeps C2
 * from vectorizing; an array access takes 10 ns, 2 ns and next to nothing, and the copies 0.1 ns
 * per element.
 */
final class ArrayStrip implements Strip {
  private final ArrayLayout layout;
  private final ArrayCode code;
  private final StripSpec.Access[] access;
  private final ScalarType[] types;
  private final boolean[] stored;
  private final int lanes;
  private final LaneFold[] folds;
  private final int[] foldedSlots;
  private final boolean perCall;

  ArrayStrip(SegmentPlan plan, ArrayLayout layout, ArrayCode code) {
    this.layout = layout;
    this.code = code;
    StripSpec spec = plan.spec();
    access = spec.inputs().toArray(StripSpec.Access[]::new);
    stored = new boolean[spec.stores().size()];
    for (int k = 0; k < stored.length; k++) {
      stored[k] = spec.stores().get(k) == StripSpec.STORE;
    }
    types = layout.types().subList(0, access.length + stored.length).toArray(ScalarType[]::new);
    lanes = spec.lanes();
    folds = spec.folding().folds().toArray(LaneFold[]::new);
    foldedSlots = new int[folds.length];
    for (int k = 0; k < folds.length; k++) {
      foldedSlots[k] = spec.stores().get(folds[k].output());
    }
    perCall = spec.folding().perCall();
  }

  @Override
  public int scratchBytes() {
    return 0;
  }

  @Override
  public void run(long[] pointers, long[] rowStrides, int rows, int n, long scratch) {
    Object[] arrays = ArrayPool.current().arrays(layout);
    if (perCall) {
      begin(pointers, rowStrides, 0);
    }
    for (int row = 0; row < rows; row++) {
      if (!perCall) {
        begin(pointers, rowStrides, row);
      }
      row(arrays, pointers, rowStrides, row, n);
      if (!perCall) {
        end(pointers, rowStrides, row);
      }
    }
    if (perCall) {
      end(pointers, rowStrides, 0);
    }
  }

  /** Initializes the accumulators that the strip folds. */
  private void begin(long[] pointers, long[] rowStrides, int row) {
    for (int k = 0; k < folds.length; k++) {
      int slot = foldedSlots[k];
      folds[k].clear(pointers[slot] + row * rowStrides[slot], lanes);
    }
  }

  private void end(long[] pointers, long[] rowStrides, int row) {
    for (int k = 0; k < folds.length; k++) {
      int slot = foldedSlots[k];
      int output = access.length + folds[k].output();
      folds[k].apply(
          pointers[slot] + row * rowStrides[slot],
          lanes,
          pointers[output] + row * rowStrides[output]);
    }
  }

  private void row(Object[] arrays, long[] pointers, long[] rowStrides, int row, int n) {
    for (int k = 0; k < access.length; k++) {
      if (types[k] != null) {
        switch (access[k]) {
          case SCALAR -> in(types[k], pointers[k] + row * rowStrides[k], arrays[k], 1);
          case ACCUMULATE -> in(types[k], pointers[k] + row * rowStrides[k], arrays[k], lanes);
          case UNIT, GATHERED, INDEX -> {}
        }
      }
    }
    for (int from = 0; from < n; from += Strip.LENGTH) {
      strip(arrays, pointers, rowStrides, row, from, Math.min(n - from, Strip.LENGTH));
    }
    for (int k = 0; k < access.length; k++) {
      if (types[k] != null && access[k] == StripSpec.Access.ACCUMULATE) {
        out(types[k], arrays[k], pointers[k] + row * rowStrides[k], lanes);
      }
    }
  }

  private void strip(
      Object[] arrays, long[] pointers, long[] rowStrides, int row, int from, int count) {
    for (int k = 0; k < access.length; k++) {
      if (types[k] != null) {
        switch (access[k]) {
          case UNIT -> in(types[k], address(pointers, rowStrides, k, row, from), arrays[k], count);
          case GATHERED -> {
            long line = GatheredLines.address(pointers, rowStrides, k, row);
            in(types[k], line + (long) from * types[k].bytes(), arrays[k], count);
          }
          case INDEX -> {
            long[] form = (long[]) arrays[k];
            form[1] = RawMemory.getLong(pointers[k] + 8);
            form[0] =
                RawMemory.getLong(pointers[k])
                    + row * RawMemory.getLong(pointers[k] + 16)
                    + from * form[1];
          }
          case SCALAR, ACCUMULATE -> {}
        }
      }
    }
    code.run(arrays, count);
    for (int k = 0; k < stored.length; k++) {
      if (stored[k]) {
        int p = access.length + k;
        out(types[p], arrays[p], address(pointers, rowStrides, p, row, from), count);
      }
    }
  }

  private long address(long[] pointers, long[] rowStrides, int k, int row, int from) {
    return pointers[k] + row * rowStrides[k] + (long) from * types[k].bytes();
  }

  private static void in(ScalarType type, long from, Object array, int count) {
    MemorySegment all = RawMemory.ALL;
    switch (type) {
      case F32 -> MemorySegment.copy(all, RawMemory.F32, from, array, 0, count);
      case F64 -> MemorySegment.copy(all, RawMemory.F64, from, array, 0, count);
      case I64 -> MemorySegment.copy(all, RawMemory.I64, from, array, 0, count);
      default -> MemorySegment.copy(all, RawMemory.I32, from, array, 0, count);
    }
  }

  private static void out(ScalarType type, Object array, long to, int count) {
    MemorySegment all = RawMemory.ALL;
    switch (type) {
      case F32 -> MemorySegment.copy(array, 0, all, RawMemory.F32, to, count);
      case F64 -> MemorySegment.copy(array, 0, all, RawMemory.F64, to, count);
      case I64 -> MemorySegment.copy(array, 0, all, RawMemory.I64, to, count);
      default -> MemorySegment.copy(array, 0, all, RawMemory.I32, to, count);
    }
  }
}
