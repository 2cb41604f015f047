package ristretto.kernels.cpu.launch;

import java.util.List;
import java.util.Locale;
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
import ristretto.kernels.ir.Kernel.Scatter.Operator;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Scatters in the target itself: sums of integers, of F64, and of elements that receive at most one
 * value, and all operators other than sums.
 */
final class ScatterInPlace extends ScatterSums {
  private final MemoryRef target;
  private final ScalarType type;
  private final Operator op;
  private final Strip lines;
  private final long lineScratch;
  private final long[] noStrides = new long[3];

  ScatterInPlace(
      LaunchServices services,
      Operator op,
      MemoryRef target,
      boolean byStrip,
      ScratchLayout scratch) {
    this.op = op;
    this.target = target;
    type = Pack.packed(target.storage);
    lines = byStrip ? lines(services, op, type) : null;
    lineScratch = byStrip ? scratch.take(lines.scratchBytes()) : 0;
  }

  private static Strip lines(LaunchServices services, Operator op, ScalarType type) {
    var t = new TapeBuilder();
    int old = t.input(0, type);
    int value = t.input(1, type);
    var tape = t.build(op.operation().map(o -> t.apply(o, old, value)).orElse(value));
    var unit = StripSpec.Access.UNIT;
    var key = new StripKey(tape, List.of(unit, unit), List.of(StripSpec.STORE), List.of());
    String word = op.name().toLowerCase(Locale.ROOT);
    return services.strip(key, word + "_" + type.label()).strip();
  }

  @Override
  long planBytes() {
    return 0;
  }

  @Override
  long plan(Job job) {
    return 0;
  }

  @Override
  long area(Job job, int index) {
    return 0;
  }

  @Override
  void visit(Job job, Tile tile, long values, Pass pass, long area, ThreadContext context) {
    int size = target.size();
    long base = job.buffers[target.buffer] + target.map.at(tile.at) * size;
    long position = target.index.at(tile.at);
    long colStep = target.map.strides[tile.colDim] * size;
    long colIndex = target.index.strides[tile.colDim];
    long stride = target.gather.stride() * size;
    long[] pointers = context.pointers;
    for (int r = 0; r < tile.rows; r++) {
      long row = base + r * target.map.strides[tile.rowDim] * size;
      long index = position + r * target.index.strides[tile.rowDim];
      long from = values + (long) r * tile.cols * type.bytes();
      if (lines != null) {
        long to = row + target.gathered(job, index) * stride;
        pointers[0] = to;
        pointers[1] = from;
        pointers[2] = to;
        lines.run(pointers, noStrides, 1, tile.cols, tile.scratch + lineScratch);
        continue;
      }
      if (op == Operator.ADD && target.gather.storage() == ScalarType.I64 && type.bytes() == 8) {
        long at = job.buffers[target.gather.buffer()] + 8 * index;
        if (target.storage == ScalarType.F64) {
          addDoubles(row, colStep, stride, at, 8 * colIndex, from, tile.cols);
          continue;
        }
        if (target.storage == ScalarType.I64) {
          addLongs(row, colStep, stride, at, 8 * colIndex, from, tile.cols);
          continue;
        }
      }
      for (int c = 0; c < tile.cols; c++) {
        long to = row + c * colStep + target.gathered(job, index + c * colIndex) * stride;
        if (op == Operator.ADD) {
          addOne(to, from + (long) c * type.bytes());
        } else {
          replaceOne(to, from + (long) c * type.bytes());
        }
      }
    }
  }

  /**
   * Adds values to gathered elements.
   *
   * @param at address of the first index
   * @param step bytes between indices
   */
  private void addLongs(long row, long colStep, long stride, long at, long step, long from, int n) {
    long extent = target.gather.extent();
    for (int c = 0; c < n; c++, at += step, row += colStep) {
      long k = RawMemory.getLong(at);
      long to = row + (k < 0 ? k + extent : k) * stride;
      RawMemory.putLong(to, RawMemory.getLong(to) + RawMemory.getLong(from + 8L * c));
    }
  }

  /** Adds values to gathered elements, as {@link #addLongs}. */
  private void addDoubles(
      long row, long colStep, long stride, long at, long step, long from, int n) {
    long extent = target.gather.extent();
    for (int c = 0; c < n; c++, at += step, row += colStep) {
      long k = RawMemory.getLong(at);
      long to = row + (k < 0 ? k + extent : k) * stride;
      RawMemory.putDouble(to, RawMemory.getDouble(to) + RawMemory.getDouble(from + 8L * c));
    }
  }

  private void addOne(long to, long from) {
    switch (target.storage) {
      case F32 -> RawMemory.putFloat(to, RawMemory.getFloat(to) + RawMemory.getFloat(from));
      case F64 -> RawMemory.putDouble(to, RawMemory.getDouble(to) + RawMemory.getDouble(from));
      case I32 -> RawMemory.putInt(to, RawMemory.getInt(to) + RawMemory.getInt(from));
      case I64, U64 -> RawMemory.putLong(to, RawMemory.getLong(to) + RawMemory.getLong(from));
      case I16, U16 ->
          RawMemory.putShort(to, (short) (RawMemory.getShort(to) + RawMemory.getInt(from)));
      case U32 -> RawMemory.putInt(to, RawMemory.getInt(to) + (int) RawMemory.getLong(from));
      case I8, U8 -> RawMemory.putByte(to, (byte) (RawMemory.getByte(to) + RawMemory.getInt(from)));
      case BOOL -> RawMemory.putByte(to, (byte) (RawMemory.getByte(to) | RawMemory.getInt(from)));
      case F16 ->
          RawMemory.putShort(
              to,
              Float.floatToFloat16(
                  Float.float16ToFloat(RawMemory.getShort(to)) + RawMemory.getFloat(from)));
      case BF16 -> {
        float sum = Float.intBitsToFloat(RawMemory.getShort(to) << 16) + RawMemory.getFloat(from);
        RawMemory.putShort(to, Pack.toBf16(Float.floatToRawIntBits(sum)));
      }
    }
  }

  /** Stores a value if it is the last one, or above or below the element. */
  private void replaceOne(long to, long from) {
    if (op == Operator.LAST) {
      Pack.store(target.storage, from, 0, 1, 1, to, 0, 0);
      return;
    }
    boolean max = op == Operator.MAX;
    if (type.isFloat()) {
      double old = number(target.storage, to);
      double value = number(type, from);
      double better = max ? Math.max(old, value) : Math.min(old, value);
      // Equal bits need no store; the comparison also tells zeros apart.
      if (Double.doubleToLongBits(better) != Double.doubleToLongBits(old)) {
        Pack.store(target.storage, from, 0, 1, 1, to, 0, 0);
      }
    } else {
      long old = whole(target.storage, to);
      long value = whole(type, from);
      if (max ? value > old : value < old) {
        Pack.store(target.storage, from, 0, 1, 1, to, 0, 0);
      }
    }
  }

  private static double number(ScalarType storage, long at) {
    return switch (storage) {
      case F16 -> Float.float16ToFloat(RawMemory.getShort(at));
      case BF16 -> Float.intBitsToFloat(RawMemory.getShort(at) << 16);
      case F32 -> RawMemory.getFloat(at);
      default -> RawMemory.getDouble(at);
    };
  }

  private static long whole(ScalarType storage, long at) {
    return switch (storage) {
      case BOOL, I8 -> RawMemory.getByte(at);
      case U8 -> RawMemory.getByte(at) & 0xFF;
      case I32 -> RawMemory.getInt(at);
      default -> RawMemory.getLong(at);
    };
  }
}
