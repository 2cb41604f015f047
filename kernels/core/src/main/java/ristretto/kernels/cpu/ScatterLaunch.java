package ristretto.kernels.cpu;

import java.util.List;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Adds values at indexed places, in row-major order of the space. Threads share the work by columns
 * that the index does not depend on: each place is always added to by one thread, in order.
 */
final class ScatterLaunch extends CpuLaunch implements Chunked {
  private static final long TILE = 1024;

  /** Lines from this length on are added by a strip. */
  private static final int LINE = 16;

  /** Least columns of a thread. */
  private static final long COLUMNS = 16;

  private long points;
  private Geometry geometry;
  private TileRun run;
  private MemoryRef target;
  private ScalarType type;
  private long rowTile;
  private long colTile;
  private long outer;
  private long rowTiles;
  private Strip add;
  private long addScratch;
  private final long[] noStrides = new long[3];
  private int chunks;

  ScatterLaunch(CpuDevice device, Kernel.Scatter kernel) {
    super(device, kernel);
    long[] extents = kernel.extents().toArray();
    kernel.inputs().forEach(operand -> declare(operand, extents));
    declare(kernel.target(), extents, true);
    points = kernel.extents().product();
    if (points == 0) {
      return;
    }
    geometry = new Geometry(kernel.extents(), 0);
    var operands =
        new MapOperands(geometry, kernel.tape(), kernel.inputs(), List.of(kernel.target()), true);
    geometry.simplify(true);
    while (geometry.rank() < 2) {
      geometry.insertOne(0, true);
    }
    target = operands.store(0);
    type = Pack.packed(target.storage);
    int last = geometry.rank() - 1;
    long cols = geometry.extents[last];
    boolean lines = !target.gathersAlong(last);
    double nanos = points * (2 + Cost.of(kernel.tape()));
    boolean shared = lines && nanos >= Cost.PARALLEL_NANOS && cols >= 2 * COLUMNS;
    chunks = shared ? (int) Math.min(device.team.size(), cols / COLUMNS) : 1;
    colTile = Math.min((cols + chunks - 1) / chunks, TILE);
    rowTile = Math.min(geometry.extents[last - 1], Math.max(1, TILE / colTile));
    rowTiles = (geometry.extents[last - 1] + rowTile - 1) / rowTile;
    outer = geometry.product(0, last - 1);
    var scratch = new ScratchLayout();
    boolean byStrip = lines && target.wide() && target.map.strides[last] == 1 && colTile >= LINE;
    if (byStrip) {
      add = addition(device, type);
      addScratch = scratch.take(add.scratchBytes());
    }
    run = new TileRun(device, name(), operands, new TileChoice(rowTile, colTile, false), scratch);
    describe(TileRun.operations(kernel.tape(), points), kernel.tape()::toString, run.found);
  }

  private static Strip addition(CpuDevice device, ScalarType type) {
    var t = new TapeBuilder();
    var tape = t.build(t.apply(Op.ADD, t.input(0, type), t.input(1, type)));
    var unit = StripSpec.Access.UNIT;
    var key = new StripKey(tape, List.of(unit, unit), List.of(StripSpec.STORE), List.of());
    return device.strip(key, "add_" + type.label()).strip();
  }

  @Override
  void execute(Job job, ThreadContext context) {
    if (points == 0) {
      return;
    }
    if (chunks == 1) {
      chunk(job, 0, 1, context);
    } else {
      device.team.run(job, this, chunks);
    }
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    Tile tile = run.begin(context);
    int rank = geometry.rank();
    tile.reserve(rank);
    long cols = geometry.extents[rank - 1];
    long from = cols * index / count;
    long to = cols * (index + 1) / count;
    for (long o = 0; o < outer; o++) {
      long left = o;
      for (int d = rank - 3; d >= 0; d--) {
        tile.at[d] = left % geometry.extents[d];
        left /= geometry.extents[d];
      }
      for (long r = 0; r < rowTiles; r++) {
        for (long c = from; c < to; c += colTile) {
          tile.at[rank - 2] = r * rowTile;
          tile.at[rank - 1] = c;
          tile.rowDim = rank - 2;
          tile.colDim = rank - 1;
          tile.rowStep = 1;
          tile.rows = (int) Math.min(rowTile, geometry.extents[rank - 2] - r * rowTile);
          tile.cols = (int) Math.min(colTile, to - c);
          add(job, tile, run.compute(job, tile, context), context);
        }
      }
    }
  }

  private void add(Job job, Tile tile, long values, ThreadContext context) {
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
      case F32 -> Raw.putFloat(to, Raw.getFloat(to) + Raw.getFloat(from));
      case F64 -> Raw.putDouble(to, Raw.getDouble(to) + Raw.getDouble(from));
      case I32 -> Raw.putInt(to, Raw.getInt(to) + Raw.getInt(from));
      case I64 -> Raw.putLong(to, Raw.getLong(to) + Raw.getLong(from));
      case I8, U8 -> Raw.putByte(to, (byte) (Raw.getByte(to) + Raw.getInt(from)));
      case BOOL -> Raw.putByte(to, (byte) (Raw.getByte(to) | Raw.getInt(from)));
      case F16 ->
          Raw.putShort(
              to,
              Float.floatToFloat16(Float.float16ToFloat(Raw.getShort(to)) + Raw.getFloat(from)));
      case BF16 -> {
        float sum = Float.intBitsToFloat(Raw.getShort(to) << 16) + Raw.getFloat(from);
        Raw.putShort(to, Pack.toBf16(Float.floatToRawIntBits(sum)));
      }
    }
  }
}
