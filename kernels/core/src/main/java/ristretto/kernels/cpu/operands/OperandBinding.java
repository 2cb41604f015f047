package ristretto.kernels.cpu.operands;

import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.cpu.strip.GatheredLines;
import ristretto.kernels.ir.Operand;

/** Converts one argument of a strip to the form that the strip accepts, tile by tile. */
public abstract sealed class OperandBinding
    permits OperandBinding.Value,
        OperandBinding.Direct,
        OperandBinding.Lines,
        OperandBinding.Index,
        PackedBinding,
        PackedIndexBinding {
  /** Returns the pointer for the current tile and sets the row stride of {@code slot}. */
  public abstract long pointer(Job job, Tile tile, ThreadContext context, int slot);

  /** Writes a packed store to its target, after the strip. */
  public void finish(Job job, Tile tile) {}

  /** Launch scalar. */
  public static final class Value extends OperandBinding {
    private final int argument;

    public Value(int argument) {
      this.argument = argument;
    }

    @Override
    public long pointer(Job job, Tile tile, ThreadContext context, int slot) {
      context.rowStrides[slot] = 0;
      return job.scalars + 8L * argument;
    }

    public int argument() {
      return argument;
    }
  }

  /** Memory that the strip accesses without packing; a gather may move it between tiles. */
  public static final class Direct extends OperandBinding {
    private final MemoryRef memory;

    public Direct(MemoryRef memory) {
      this.memory = memory;
    }

    @Override
    public long pointer(Job job, Tile tile, ThreadContext context, int slot) {
      context.rowStrides[slot] = memory.map.strides[tile.rowDim] * tile.rowStep * memory.size();
      return memory.address(job, tile.at);
    }

    public MemoryRef memory() {
      return memory;
    }
  }

  /** Memory of which each row of the strip reads one line, chosen by an index. */
  public static final class Lines extends OperandBinding {
    private final MemoryRef memory;
    private final long area;

    public Lines(MemoryRef memory, ScratchLayout scratch) {
      this.memory = memory;
      this.area = scratch.take(GatheredLines.BYTES);
    }

    @Override
    public long pointer(Job job, Tile tile, ThreadContext context, int slot) {
      long cell = tile.scratch + area;
      Operand.Gather gather = memory.gather;
      int size = gather.storage().bytes();
      GatheredLines.set(
          cell,
          job.buffers[memory.buffer] + memory.map.at(tile.at) * memory.size(),
          gather.extent(),
          gather.stride() * memory.size(),
          job.buffers[gather.buffer()] + memory.index.at(tile.at) * size,
          memory.index.strides[tile.rowDim] * tile.rowStep * size,
          size);
      context.rowStrides[slot] = memory.map.strides[tile.rowDim] * tile.rowStep * memory.size();
      return cell;
    }
  }

  /** Affine form of the indices, as three longs in the thread's scratch (base, step, row step). */
  public static final class Index extends OperandBinding {
    private final StridedCursor map;
    private final long area;

    /** Advances the form at {@code cell} by {@code rows} rows. */
    public static void advance(long cell, int rows) {
      RawMemory.putLong(cell, RawMemory.getLong(cell) + rows * RawMemory.getLong(cell + 16));
    }

    public Index(StridedCursor map, ScratchLayout scratch) {
      this.map = map;
      this.area = scratch.take(24);
    }

    @Override
    public long pointer(Job job, Tile tile, ThreadContext context, int slot) {
      long cell = tile.scratch + area;
      RawMemory.putLong(cell, map.at(tile.at));
      RawMemory.putLong(cell + 8, map.strides[tile.colDim]);
      RawMemory.putLong(cell + 16, map.strides[tile.rowDim] * tile.rowStep);
      context.rowStrides[slot] = 0;
      return cell;
    }
  }
}
