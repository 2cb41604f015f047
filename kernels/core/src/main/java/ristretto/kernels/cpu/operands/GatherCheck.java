package ristretto.kernels.cpu.operands;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import ristretto.kernels.ShapeException;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.device.IndexMessage;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

/** Check of all indices of a gather before the kernel writes to memory. */
public final class GatherCheck {
  /** Indices of a loop with an int counter. */
  private static final int BLOCK = 1 << 20;

  private final ScalarType storage;
  private final int buffer;
  private final long extent;
  private long offset;

  /** Dimensions that the index depends on, outermost first. */
  private long[] extents;

  private long[] strides;
  private int rank;
  private final boolean scatter;

  /**
   * Creates a check.
   *
   * @param from first index, by dimension, of the part of the space where the operand is used
   * @param to end, by dimension, of that part
   * @param scatter true if the operand is written
   */
  public GatherCheck(Operand.Gather gather, long[] from, long[] to, boolean scatter) {
    this.scatter = scatter;
    storage = gather.storage();
    buffer = gather.buffer();
    extent = gather.extent();
    offset = gather.map().offset();
    extents = new long[from.length];
    strides = new long[from.length];
    for (int d = 0; d < from.length; d++) {
      long stride = gather.map().strides().get(d);
      long n = to[d] - from[d];
      offset += stride * from[d];
      if (stride == 0 || n == 1) {
        continue;
      }
      if (rank > 0 && strides[rank - 1] == stride * n) {
        extents[rank - 1] *= n;
        strides[rank - 1] = stride;
      } else {
        extents[rank] = n;
        strides[rank++] = stride;
      }
    }
    extents = Arrays.copyOf(extents, rank);
    strides = Arrays.copyOf(strides, rank);
  }

  public void check(Job job) {
    check(job.buffers[buffer], 0, offset, 0);
  }

  private void check(long base, int d, long element, long position) {
    if (d < rank - 1) {
      for (long i = 0; i < extents[d]; i++) {
        check(base, d + 1, element + i * strides[d], position * extents[d] + i);
      }
      return;
    }
    long n = d < rank ? extents[d] : 1;
    long step = d < rank ? strides[d] : 0;
    // Negative if an index is out of range: no branch, so that the compiler makes vector code.
    long signs = 0;
    if (storage == ScalarType.I32 && step == 1) {
      signs = adjacentInts(base + 4 * element, n);
    } else if (storage == ScalarType.I32) {
      for (long i = 0; i < n; i++) {
        long k = RawMemory.getInt(base + 4 * (element + i * step));
        signs |= k + extent | extent - 1 - k;
      }
    } else if (step == 1) {
      signs = adjacent(base + 8 * element, n);
    } else {
      for (long i = 0; i < n; i++) {
        long k = RawMemory.getLong(base + 8 * (element + i * step));
        signs |= k + extent | extent - 1 - k;
      }
    }
    if (signs < 0) {
      throw bad(base, element, step, n, position * n);
    }
  }

  /** Reads the indices through a slice: C2 makes vector code of such a loop, ten times as fast. */
  private long adjacentInts(long at, long n) {
    if (extent > Integer.MAX_VALUE) {
      return 0;
    }
    int signs = 0;
    int most = (int) extent;
    for (long done = 0; done < n; done += BLOCK) {
      int some = (int) Math.min(BLOCK, n - done);
      MemorySegment indices = RawMemory.ALL.asSlice(at + 4 * done, 4L * some);
      for (int i = 0; i < some; i++) {
        int k = indices.get(RawMemory.I32, 4L * i);
        // For negative k, -k - 1: the index is out of range if this is at least the extent.
        int magnitude = k ^ k >> Integer.SIZE - 1;
        signs |= most - 1 - magnitude;
      }
    }
    return signs;
  }

  private long adjacent(long at, long n) {
    long signs = 0;
    long last = extent - 1;
    for (long done = 0; done < n; done += BLOCK) {
      int some = (int) Math.min(BLOCK, n - done);
      MemorySegment indices = RawMemory.ALL.asSlice(at + 8 * done, 8L * some);
      for (int i = 0; i < some; i++) {
        long k = indices.get(RawMemory.I64, 8L * i);
        signs |= k + extent | last - k;
      }
    }
    return signs;
  }

  private ShapeException bad(long base, long element, long step, long n, long position) {
    for (long i = 0; i < n; i++) {
      long at = element + i * step;
      long k =
          storage == ScalarType.I32
              ? RawMemory.getInt(base + 4 * at)
              : RawMemory.getLong(base + 8 * at);
      if (k < -extent || k >= extent) {
        return new ShapeException(IndexMessage.of(scatter, extent, k, position + i));
      }
    }
    throw new AssertionError("the index buffer changed while it was checked");
  }
}
