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
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/** Additions in the target itself: integers, F64, and elements that receive at most one value. */
final class ScatterInPlace extends ScatterSums {
  private final MemoryRef target;
  private final ScalarType type;
  private final Strip add;
  private final long addScratch;
  private final long[] noStrides = new long[3];

  ScatterInPlace(
      LaunchServices services, MemoryRef target, boolean byStrip, ScratchLayout scratch) {
    this.target = target;
    type = Pack.packed(target.storage);
    add = byStrip ? addition(services, type) : null;
    addScratch = byStrip ? scratch.take(add.scratchBytes()) : 0;
  }

  private static Strip addition(LaunchServices services, ScalarType type) {
    var t = new TapeBuilder();
    var tape = t.build(t.apply(Op.ADD, t.input(0, type), t.input(1, type)));
    var unit = StripSpec.Access.UNIT;
    var key = new StripKey(tape, List.of(unit, unit), List.of(StripSpec.STORE), List.of());
    return services.strip(key, "add_" + type.label()).strip();
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
      if (add != null) {
        long to = row + target.gathered(job, index) * stride;
        pointers[0] = to;
        pointers[1] = from;
        pointers[2] = to;
        add.run(pointers, noStrides, 1, tile.cols, tile.scratch + addScratch);
        continue;
      }
      for (int c = 0; c < tile.cols; c++) {
        long to = row + c * colStep + target.gathered(job, index + c * colIndex) * stride;
        addOne(to, from + (long) c * type.bytes());
      }
    }
  }

  private void addOne(long to, long from) {
    switch (target.storage) {
      case F32 -> RawMemory.putFloat(to, RawMemory.getFloat(to) + RawMemory.getFloat(from));
      case F64 -> RawMemory.putDouble(to, RawMemory.getDouble(to) + RawMemory.getDouble(from));
      case I32 -> RawMemory.putInt(to, RawMemory.getInt(to) + RawMemory.getInt(from));
      case I64 -> RawMemory.putLong(to, RawMemory.getLong(to) + RawMemory.getLong(from));
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
}
