package ristretto.kernels.cpu.launch;

import java.util.List;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.moves.Pack;
import ristretto.kernels.cpu.operands.MemoryRef;
import ristretto.kernels.cpu.operands.ScratchLayout;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripKey;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Sums of single elements, in one F64 accumulator per target element of a block. If a block
 * receives far fewer values than it has elements, only the elements that receive values are read
 * and written.
 */
final class ScatterElements extends ScatterSums {
  /** F64 accumulators that stay in the second-level cache. */
  private static final long CACHED = 1 << 16;

  /** Least columns of a block, so that a cache line of values is read only once or twice. */
  private static final long COLUMNS = 8;

  /** Elements that a strip converts per call. */
  private static final int PIECE = 1024;

  private final MemoryRef target;
  private final boolean rowsApart;
  private final boolean colsApart;
  private final long places;
  private final boolean sparse;
  private final Strip widen;
  private final Strip narrow;
  private final long stripScratch;
  private final long piece;
  private final long[] noStrides = new long[2];
  private long rows = 1;
  private long columns = 1;

  /**
   * Compiles the conversions and reserves their scratch.
   *
   * @param added most values added to one target element
   */
  ScatterElements(
      LaunchServices services,
      MemoryRef target,
      boolean rowsApart,
      boolean colsApart,
      long added,
      ScratchLayout scratch) {
    this.target = target;
    this.rowsApart = rowsApart;
    this.colsApart = colsApart;
    places = target.gather.extent();
    sparse = added < places / 8;
    widen = conversion(services, ScalarType.F32, ScalarType.F64);
    narrow = conversion(services, ScalarType.F64, ScalarType.F32);
    stripScratch = scratch.take(Math.max(widen.scratchBytes(), narrow.scratchBytes()));
    piece = scratch.take(4 * PIECE);
  }

  private static Strip conversion(LaunchServices services, ScalarType from, ScalarType to) {
    var t = new TapeBuilder();
    var tape = t.build(t.convert(t.input(0, from), to));
    var unit = List.of(StripSpec.Access.UNIT);
    var key = new StripKey(tape, unit, List.of(StripSpec.STORE), List.of());
    return services.strip(key, "cast_" + to.label()).strip();
  }

  /** Sets the columns of a block, at most {@code most}, and returns them. */
  long columns(long most) {
    columns = Math.min(most, Math.max(COLUMNS, CACHED / places));
    return columns;
  }

  /** Sets the rows of a block, at most {@code most}, and returns them. */
  long rows(long most) {
    rows = Math.clamp(CACHED / (places * columns), 1, most);
    return rows;
  }

  private long bytes() {
    return 8 * rows * places * columns;
  }

  @Override
  long planBytes() {
    return 1;
  }

  @Override
  long plan(Job job) {
    return bytes();
  }

  @Override
  long area(Job job, int index) {
    return job.phase + index * bytes();
  }

  @Override
  boolean begins(Job job, Tile tile, long area, ThreadContext context) {
    if (!sparse) {
      move(job, tile, area, context, true);
    }
    return sparse;
  }

  @Override
  boolean ends(Job job, Tile tile, long area, ThreadContext context) {
    if (!sparse) {
      move(job, tile, area, context, false);
    }
    return sparse;
  }

  /** Reads or writes the whole block, in lines as long as the target allows. */
  private void move(Job job, Tile tile, long area, ThreadContext context, boolean reads) {
    long step = colsApart ? target.map.strides[tile.colDim] : target.gather.stride();
    long n = colsApart ? tile.cols : places;
    long lineStep = colsApart ? target.gather.stride() : 0;
    long lines = colsApart ? places : 1;
    long rowStep = target.map.strides[tile.rowDim];
    long rowCount = rowsApart ? tile.rows : 1;
    if (lines > 1 && lineStep == n * step) {
      n *= lines;
      lines = 1;
    }
    if (lines == 1 && rowStep == n * step) {
      n *= rowCount;
      rowCount = 1;
    }
    int size = target.size();
    long base = job.buffers[target.buffer] + target.map.at(tile.at) * size;
    long sums = area;
    for (long r = 0; r < rowCount; r++) {
      for (long line = 0; line < lines; line++) {
        long to = base + (r * rowStep + line * lineStep) * size;
        for (long i = 0; i < n; i += PIECE) {
          int count = (int) Math.min(PIECE, n - i);
          move(tile, sums, to + i * step * size, step, count, context, reads);
          sums += 8L * count;
        }
      }
    }
  }

  private void move(
      Tile tile, long sums, long to, long step, int n, ThreadContext context, boolean reads) {
    boolean direct = target.storage == ScalarType.F32 && step == 1;
    long elements = direct ? to : tile.scratch + piece;
    long bytes = step * target.size();
    long[] pointers = context.pointers;
    if (reads) {
      if (!direct) {
        Pack.load(target.storage, to, 0, bytes, 1, n, elements, 0);
      }
      pointers[0] = elements;
      pointers[1] = sums;
      widen.run(pointers, noStrides, 1, n, tile.scratch + stripScratch);
    } else {
      pointers[0] = sums;
      pointers[1] = elements;
      narrow.run(pointers, noStrides, 1, n, tile.scratch + stripScratch);
      if (!direct) {
        Pack.store(target.storage, elements, 0, 1, n, to, 0, bytes);
      }
    }
  }

  @Override
  void visit(Job job, Tile tile, long values, Pass pass, long area, ThreadContext context) {
    long position = target.index.at(tile.at);
    long pitch = colsApart ? tile.cols : 1;
    int size = target.size();
    long element = job.buffers[target.buffer] + target.map.at(tile.at) * size;
    for (int r = 0; r < tile.rows; r++) {
      long index = position + r * target.index.strides[tile.rowDim];
      long sums = area + (rowsApart ? 8L * r * places * pitch : 0);
      if (pass == Pass.ADD) {
        add(job, tile, index, values + 4L * r * tile.cols, sums, pitch);
      } else {
        long row = element + r * target.map.strides[tile.rowDim] * size;
        visit(job, tile, index, row, sums, pitch, pass == Pass.BEGIN);
      }
    }
  }

  private void add(Job job, Tile tile, long index, long values, long sums, long pitch) {
    boolean narrowIndex = target.gather.storage() == ScalarType.I32;
    long base = job.buffers[target.gather.buffer()] + (narrowIndex ? 4 : 8) * index;
    long indexStep = (narrowIndex ? 4 : 8) * target.index.strides[tile.colDim];
    long extent = target.gather.extent();
    long step = colsApart ? 8 : 0;
    int n = tile.cols;
    for (int c = 0; c < n; c++) {
      long k =
          narrowIndex
              ? RawMemory.getInt(base + c * indexStep)
              : RawMemory.getLong(base + c * indexStep);
      long at = sums + 8 * (k + (k >> 63 & extent)) * pitch + c * step;
      RawMemory.putDouble(at, RawMemory.getDouble(at) + RawMemory.getFloat(values + 4L * c));
    }
  }

  /**
   * Reads or writes the target elements of a row's values; repeated visits of an element have the
   * same effect.
   */
  private void visit(
      Job job, Tile tile, long index, long row, long sums, long pitch, boolean reads) {
    int size = target.size();
    for (int c = 0; c < tile.cols; c++) {
      long place = target.gathered(job, index + c * target.index.strides[tile.colDim]);
      long sum = sums + 8 * (place * pitch + (colsApart ? c : 0));
      long at = row + (place * target.gather.stride() + c * target.map.strides[tile.colDim]) * size;
      if (reads) {
        RawMemory.putDouble(sum, load(at));
      } else {
        store(at, (float) RawMemory.getDouble(sum));
      }
    }
  }

  private double load(long at) {
    return switch (target.storage) {
      case F16 -> Float.float16ToFloat(RawMemory.getShort(at));
      case BF16 -> Float.intBitsToFloat(RawMemory.getShort(at) << 16);
      default -> RawMemory.getFloat(at);
    };
  }

  private void store(long at, float value) {
    switch (target.storage) {
      case F16 -> RawMemory.putShort(at, Float.floatToFloat16(value));
      case BF16 -> RawMemory.putShort(at, Pack.toBf16(Float.floatToRawIntBits(value)));
      default -> RawMemory.putFloat(at, value);
    }
  }
}
