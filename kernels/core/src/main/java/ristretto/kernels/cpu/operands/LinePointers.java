package ristretto.kernels.cpu.operands;

import java.util.Arrays;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.scalar.ScalarType;

/**
 * Pointers of a strip that runs over one line at a time, because operands gather whole lines: those
 * of the next line take a few instructions per operand, in place of a tile for each line.
 */
public final class LinePointers {
  private static final int NONE = -1;

  /** Memory operands whose pointers are equal for all lines, and launch scalars. */
  private final int[] fixed;

  /** Operands that move by equal distances. */
  private final int[] moving;

  /** Operands that gather lines, by 32-bit indices, and by others. */
  private final int[] gathered;

  private final int[] gatheredWide;

  /** Buffer of each operand; {@link #NONE} for a launch scalar. */
  private final int[] buffers;

  /** Bytes from the buffer's start, or the scalars', at the first line. */
  private final long[] offsets;

  /** Bytes from line to line, in addition to those of the gather. */
  private final long[] strides;

  /** Bytes from index to index. */
  private final long[] indexStrides;

  private final MemoryRef[] memory;

  private LinePointers(OperandBinding[] bindings) {
    int n = bindings.length;
    buffers = new int[n];
    offsets = new long[n];
    strides = new long[n];
    memory = new MemoryRef[n];
    indexStrides = new long[n];
    long[] origin = new long[3];
    var places = new int[4][n];
    var counts = new int[4];
    for (int k = 0; k < n; k++) {
      int kind = 0;
      switch (bindings[k]) {
        case OperandBinding.Value v -> {
          buffers[k] = NONE;
          offsets[k] = 8L * v.argument();
        }
        case OperandBinding.Direct d -> {
          MemoryRef m = d.memory();
          memory[k] = m;
          buffers[k] = m.buffer;
          offsets[k] = m.map.at(origin) * m.size();
          strides[k] = m.map.strides[0] * m.size();
          kind =
              m.index == null
                  ? strides[k] == 0 ? 0 : 1
                  : m.gather.storage() == ScalarType.I32 ? 2 : 3;
          if (m.index != null) {
            indexStrides[k] = m.index.strides[0] * m.gather.storage().bytes();
          }
        }
        case null, default -> {
          continue;
        }
      }
      places[kind][counts[kind]++] = k;
    }
    fixed = Arrays.copyOf(places[0], counts[0]);
    moving = Arrays.copyOf(places[1], counts[1]);
    gathered = Arrays.copyOf(places[2], counts[2]);
    gatheredWide = Arrays.copyOf(places[3], counts[3]);
  }

  /**
   * Returns the pointers of strips over the lines of a grid of three dimensions, of which the first
   * numbers the lines and the second has extent 1.
   *
   * @return null if the grid has other dimensions, or an operand is packed or an index
   */
  public static LinePointers of(OperandBinding[] bindings, TileGrid grid) {
    if (grid.rank() != 3 || grid.rowExtent() != 1) {
      return null;
    }
    boolean gathers = false;
    for (OperandBinding binding : bindings) {
      switch (binding) {
        case null -> {}
        case OperandBinding.Value _ -> {}
        case OperandBinding.Direct d -> gathers |= d.memory().index != null;
        default -> {
          return null;
        }
      }
    }
    return gathers ? new LinePointers(bindings) : null;
  }

  /** Number of cursors. */
  public int cursors() {
    return 4 * (gathered.length + gatheredWide.length);
  }

  /**
   * Sets the pointers for the line before a line.
   *
   * @param cursors state from line to line
   */
  public void begin(Job job, long line, long[] pointers, long[] cursors) {
    for (int k : fixed) {
      pointers[k] = (buffers[k] == NONE ? job.scalars : job.buffers[buffers[k]]) + offsets[k];
    }
    for (int k : moving) {
      pointers[k] = job.buffers[buffers[k]] + offsets[k] + (line - 1) * strides[k];
    }
    int c = begin(job, line, gathered, Integer.BYTES, cursors, 0);
    begin(job, line, gatheredWide, Long.BYTES, cursors, c);
  }

  /** Cursors: address of the index, base of the gathered lines, distance of lines, their number. */
  private int begin(Job job, long line, int[] some, int size, long[] cursors, int from) {
    int c = from;
    for (int k : some) {
      MemoryRef m = memory[k];
      long place = m.index.offset + line * m.index.strides[0];
      cursors[c] = job.buffers[m.gather.buffer()] + size * place;
      cursors[c + 1] = job.buffers[buffers[k]] + offsets[k] + line * strides[k];
      cursors[c + 2] = m.gather.stride() * m.size();
      cursors[c + 3] = m.gather.extent();
      c += 4;
    }
    return c;
  }

  /** Moves all pointers to the next line. */
  public void next(long[] pointers, long[] cursors) {
    for (int k : moving) {
      pointers[k] += strides[k];
    }
    int c = 0;
    for (int k : gathered) {
      gather(k, RawMemory.getInt(cursors[c]), pointers, cursors, c);
      c += 4;
    }
    for (int k : gatheredWide) {
      gather(k, RawMemory.getLong(cursors[c]), pointers, cursors, c);
      c += 4;
    }
  }

  /**
   * Sets the pointer of an operand to the line of an index, and moves its cursors from {@code c}.
   */
  private void gather(int k, long index, long[] pointers, long[] cursors, int c) {
    long i = index + (index >> Long.SIZE - 1 & cursors[c + 3]);
    pointers[k] = cursors[c + 1] + i * cursors[c + 2];
    cursors[c] += indexStrides[k];
    cursors[c + 1] += strides[k];
  }
}
