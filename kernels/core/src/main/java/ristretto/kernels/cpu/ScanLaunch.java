package ristretto.kernels.cpu;

import java.util.List;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/**
 * Launch of a cumulative kernel: a strip computes tiles of values in scratch, which are accumulated
 * there along the scanned dimension and then written. If memory is contiguous across rows, a tile
 * covers a part of many rows.
 */
final class ScanLaunch extends CpuLaunch implements Chunked {
  private static final long TILE = 1024;
  private static final long ACROSS = 64;

  private final Kernel.Scan kernel;
  private long points;
  private Geometry geometry;
  private TileRun run;
  private ScalarType type;

  /** True if tiles cover parts of many rows and the scanned dimension is the second to last. */
  private boolean across;

  private int scanDim;
  private int rowDim;
  private long scanTile;
  private long rowTile;
  private long groups;
  private long stateArea;
  private int chunks;

  ScanLaunch(CpuDevice device, Kernel.Scan kernel) {
    super(device, kernel);
    this.kernel = kernel;
    long[] extents = kernel.extents().toArray();
    kernel.inputs().forEach(operand -> declare(operand, extents));
    declare(kernel.target(), extents);
    points = kernel.extents().product();
    if (points == 0) {
      return;
    }
    geometry = new Geometry(kernel.extents(), extents.length - 1);
    var operands =
        new MapOperands(geometry, kernel.tape(), kernel.inputs(), List.of(kernel.target()), true);
    geometry.simplify(true);
    if (geometry.kept == geometry.rank()) {
      geometry.insertOne(geometry.rank(), false);
    }
    if (geometry.kept == 0) {
      geometry.insertOne(0, true);
    }
    int last = geometry.rank() - 1;
    across = geometry.extents[last - 1] >= 8 && operands.transposed();
    if (across) {
      geometry.exchange(last - 1, last);
    }
    scanDim = across ? last - 1 : last;
    rowDim = across ? last : last - 1;
    long length = geometry.extents[scanDim];
    long rows = geometry.extents[rowDim];
    rowTile = across ? Math.min(rows, ACROSS) : Math.min(rows, Math.max(1, TILE / length));
    scanTile = across ? Math.min(length, ACROSS) : Math.min(length, TILE);
    type = kernel.tape().outputType(0);
    var scratch = new ScratchLayout();
    stateArea = scratch.take(8 * rowTile);
    var choice =
        across
            ? new TileChoice(scanTile, rowTile, false)
            : new TileChoice(rowTile, scanTile, false);
    run = new TileRun(device, name(), operands, choice, scratch);
    groups = points / length / rows * ((rows + rowTile - 1) / rowTile);
    double nanos = points * (1 + Cost.of(kernel.tape()));
    chunks =
        device.team.size() == 1 || nanos < Cost.PARALLEL_NANOS
            ? 1
            : TileGrid.chunks(groups, device.team.size());
    describe(TileRun.operations(kernel.tape(), points), kernel.tape()::toString, run.found);
  }

  @Override
  void execute(Job job, ThreadContext context) {
    if (points == 0) {
      return;
    }
    if (chunks == 1) {
      scan(job, 0, groups, context);
    } else {
      device.team.run(job, this, chunks);
    }
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    scan(job, groups * index / count, groups * (index + 1) / count, context);
  }

  private void scan(Job job, long from, long to, ThreadContext context) {
    Tile tile = run.begin(context);
    long length = geometry.extents[scanDim];
    long pieces = (length + scanTile - 1) / scanTile;
    for (long group = from; group < to; group++) {
      int rows = place(group, tile);
      long states = tile.scratch + stateArea;
      for (int r = 0; r < rows; r++) {
        Raw.putLong(states + 8L * r, start());
      }
      for (long p = 0; p < pieces; p++) {
        long at = (kernel.reverse() ? pieces - 1 - p : p) * scanTile;
        int count = (int) Math.min(scanTile, length - at);
        tile.at[scanDim] = at;
        tile.rowDim = geometry.rank() - 2;
        tile.colDim = geometry.rank() - 1;
        tile.rowStep = 1;
        tile.rows = across ? count : rows;
        tile.cols = across ? rows : count;
        long values = run.compute(job, tile, context);
        long scanStep = (long) type.bytes() * (across ? rows : 1);
        long rowStep = (long) type.bytes() * (across ? 1 : count);
        for (int r = 0; r < rows; r++) {
          accumulate(values + r * rowStep, count, scanStep, states + 8L * r);
        }
        run.finish(job, tile);
      }
    }
  }

  private int place(long group, Tile tile) {
    int rank = geometry.rank();
    tile.reserve(rank);
    long rows = geometry.extents[rowDim];
    long tiles = (rows + rowTile - 1) / rowTile;
    tile.at[rowDim] = group % tiles * rowTile;
    group /= tiles;
    for (int d = rank - 3; d >= 0; d--) {
      tile.at[d] = group % geometry.extents[d];
      group /= geometry.extents[d];
    }
    return (int) Math.min(rowTile, rows - tile.at[rowDim]);
  }

  /** Returns the bits of the operation's identity, of a double for floats. */
  private long start() {
    boolean floating = type.isFloat();
    boolean narrow = type == ScalarType.I32;
    return switch (kernel.op()) {
      case MUL -> floating ? Double.doubleToRawLongBits(1) : 1;
      case MAX ->
          floating
              ? Double.doubleToRawLongBits(Double.NEGATIVE_INFINITY)
              : narrow ? Integer.MIN_VALUE : Long.MIN_VALUE;
      case MIN ->
          floating
              ? Double.doubleToRawLongBits(Double.POSITIVE_INFINITY)
              : narrow ? Integer.MAX_VALUE : Long.MAX_VALUE;
      default -> 0;
    };
  }

  /**
   * Replaces {@code n} values by their cumulative results; the state carries over from tile to
   * tile.
   */
  private void accumulate(long values, int n, long step, long state) {
    long first = kernel.reverse() ? values + (n - 1) * step : values;
    long next = kernel.reverse() ? -step : step;
    if (type.isFloat()) {
      Raw.putDouble(state, floats(first, n, next, Raw.getDouble(state)));
    } else {
      Raw.putLong(state, integers(first, n, next, Raw.getLong(state)));
    }
  }

  private double floats(long p, int n, long step, double sum) {
    boolean exclusive = kernel.exclusive();
    Op op = kernel.op();
    boolean narrow = type == ScalarType.F32;
    for (int i = 0; i < n; i++, p += step) {
      double v = narrow ? Raw.getFloat(p) : Raw.getDouble(p);
      double before = sum;
      sum =
          switch (op) {
            case MUL -> sum * v;
            case MAX -> Math.max(sum, v);
            case MIN -> Math.min(sum, v);
            default -> sum + v;
          };
      double out = exclusive ? before : sum;
      if (narrow) {
        Raw.putFloat(p, (float) out);
      } else {
        Raw.putDouble(p, out);
      }
    }
    return sum;
  }

  private long integers(long p, int n, long step, long sum) {
    boolean narrow = type == ScalarType.I32;
    for (int i = 0; i < n; i++, p += step) {
      long v = narrow ? Raw.getInt(p) : Raw.getLong(p);
      long before = sum;
      sum =
          switch (kernel.op()) {
            case MUL -> sum * v;
            case MAX -> Math.max(sum, v);
            case MIN -> Math.min(sum, v);
            default -> sum + v;
          };
      long out = kernel.exclusive() ? before : sum;
      if (narrow) {
        Raw.putInt(p, (int) out);
      } else {
        Raw.putLong(p, out);
      }
    }
    return sum;
  }
}
