package ristretto.kernels.cpu.launch;

import java.util.List;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.operands.IterationSpace;
import ristretto.kernels.cpu.operands.MemoryRef;
import ristretto.kernels.cpu.operands.ScratchLayout;
import ristretto.kernels.cpu.operands.TileGrid;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;

/**
 * Launch of a cumulative kernel: a strip computes tiles of values in scratch, which are accumulated
 * there along the scanned dimension and then written. If memory is contiguous across rows, a tile
 * covers a part of many rows.
 */
public final class ScanLaunch extends CpuLaunch {
  private static final long TILE = 1024;
  private static final long ACROSS = 64;

  private final Kernel.Scan kernel;
  private long points;
  private IterationSpace space;
  private TileStrip run;
  private ScalarType type;

  /** True if tiles cover parts of many rows and the scanned dimension is the second to last. */
  private boolean across;

  /** Elements that a forward scan reads unchanged from adjacent memory; null for other scans. */
  private MemoryRef source;

  private MemoryRef target;

  private int scanDim;
  private int rowDim;
  private long scanTile;
  private long rowTile;
  private long groups;
  private long stateArea;

  public ScanLaunch(LaunchServices services, Kernel.Scan kernel) {
    super(services, kernel);
    this.kernel = kernel;
    long[] extents = kernel.extents().toArray();
    kernel.inputs().forEach(operand -> declare(operand, extents));
    declare(kernel.target(), extents);
    points = kernel.extents().product();
    if (points == 0) {
      return;
    }
    space = new IterationSpace(kernel.extents(), extents.length - 1);
    var operands =
        new MapOperands(space, kernel.tape(), kernel.inputs(), List.of(kernel.target()), true);
    space.simplify(true);
    if (space.kept == space.rank()) {
      space.insertOne(space.rank(), false);
    }
    if (space.kept == 0) {
      space.insertOne(0, true);
    }
    int last = space.rank() - 1;
    across = space.extents[last - 1] >= 8 && operands.transposed();
    if (across) {
      space.exchange(last - 1, last);
    }
    scanDim = across ? last - 1 : last;
    rowDim = across ? last : last - 1;
    long length = space.extents[scanDim];
    long rows = space.extents[rowDim];
    rowTile = across ? Math.min(rows, ACROSS) : Math.min(rows, Math.max(1, TILE / length));
    scanTile = across ? Math.min(length, ACROSS) : Math.min(length, TILE);
    type = kernel.tape().outputType(0);
    var scratch = new ScratchLayout();
    stateArea = scratch.take(8 * rowTile);
    var choice =
        across ? new TileSizes(scanTile, rowTile, false) : new TileSizes(rowTile, scanTile, false);
    run = new TileStrip(services, name(), operands, choice, scratch);
    source = operands.copied();
    target = operands.store(0);
    boolean plain = !across && !kernel.reverse() && !kernel.exclusive();
    if (source != null && !(plain && source.direct(last) && target.direct(last))) {
      source = null;
    }
    groups = points / length / rows * ((rows + rowTile - 1) / rowTile);
    double nanos = points * (1 + Cost.of(kernel.tape()));
    chunks =
        services.workers.size() == 1 || nanos < Cost.PARALLEL_NANOS
            ? 1
            : TileGrid.chunks(groups, services.workers.size());
    describe(TileStrip.operations(kernel.tape(), points), kernel.tape()::toString, run.found);
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    scan(job, groups * index / count, groups * (index + 1) / count, context);
  }

  private void scan(Job job, long from, long to, ThreadContext context) {
    Tile tile = run.begin(context);
    long length = space.extents[scanDim];
    long pieces = (length + scanTile - 1) / scanTile;
    for (long group = from; group < to; group++) {
      int rows = place(group, tile);
      long states = tile.scratch + stateArea;
      for (int r = 0; r < rows; r++) {
        RawMemory.putLong(states + 8L * r, start());
      }
      for (long p = 0; p < pieces; p++) {
        long at = (kernel.reverse() ? pieces - 1 - p : p) * scanTile;
        int count = (int) Math.min(scanTile, length - at);
        tile.at[scanDim] = at;
        tile.rowDim = space.rank() - 2;
        tile.colDim = space.rank() - 1;
        tile.rowStep = 1;
        tile.rows = across ? count : rows;
        tile.cols = across ? rows : count;
        if (source != null) {
          direct(job, tile, rows, count, states);
          continue;
        }
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

  /** Scans a tile from memory to memory, without the strip. */
  private void direct(Job job, Tile tile, int rows, int count, long states) {
    long from = source.address(job, tile.at);
    long to = target.address(job, tile.at);
    for (int r = 0; r < rows; r++) {
      long state = states + 8L * r;
      if (type.isFloat()) {
        double sum = RawMemory.getDouble(state);
        boolean narrow = type == ScalarType.F32;
        sum = narrow ? singles(from, to, count, sum) : doubles(from, to, count, sum);
        RawMemory.putDouble(state, sum);
      } else {
        long sum = RawMemory.getLong(state);
        boolean narrow = type == ScalarType.I32;
        sum = narrow ? ints(from, to, count, sum) : longs(from, to, count, sum);
        RawMemory.putLong(state, sum);
      }
      from += source.map.strides[rowDim] * source.size();
      to += target.map.strides[rowDim] * target.size();
    }
  }

  private int place(long group, Tile tile) {
    int rank = space.rank();
    tile.reserve(rank);
    long rows = space.extents[rowDim];
    long tiles = (rows + rowTile - 1) / rowTile;
    tile.at[rowDim] = group % tiles * rowTile;
    group /= tiles;
    for (int d = rank - 3; d >= 0; d--) {
      tile.at[d] = group % space.extents[d];
      group /= space.extents[d];
    }
    return (int) Math.min(rowTile, rows - tile.at[rowDim]);
  }

  /** Returns the bits of the operator's identity, of a double for floats. */
  private long start() {
    return kernel.op().operation().identity(type.isFloat() ? ScalarType.F64 : type);
  }

  /**
   * Replaces {@code n} values by their cumulative results; the state carries over from tile to
   * tile.
   */
  private void accumulate(long values, int n, long step, long state) {
    long first = kernel.reverse() ? values + (n - 1) * step : values;
    long next = kernel.reverse() ? -step : step;
    if (type.isFloat()) {
      RawMemory.putDouble(state, floats(first, n, next, RawMemory.getDouble(state)));
    } else {
      RawMemory.putLong(state, integers(first, n, next, RawMemory.getLong(state)));
    }
  }

  private double floats(long p, int n, long step, double start) {
    if (!kernel.exclusive() && step == type.bytes()) {
      return type == ScalarType.F32 ? singles(p, p, n, start) : doubles(p, p, n, start);
    }
    double sum = start;
    boolean exclusive = kernel.exclusive();
    Kernel.Scan.Operator op = kernel.op();
    boolean narrow = type == ScalarType.F32;
    for (int i = 0; i < n; i++, p += step) {
      double v = narrow ? RawMemory.getFloat(p) : RawMemory.getDouble(p);
      double before = sum;
      sum =
          switch (op) {
            case MUL -> sum * v;
            case MAX -> Math.max(sum, v);
            case MIN -> Math.min(sum, v);
            case ADD -> sum + v;
          };
      double out = exclusive ? before : sum;
      if (narrow) {
        RawMemory.putFloat(p, (float) out);
      } else {
        RawMemory.putDouble(p, out);
      }
    }
    return sum;
  }

  // A loop per operator, without the choices that the compiler does not always move out of loops.

  private double doubles(long p, long to, int n, double sum) {
    long end = p + 8L * n;
    long shift = to - p;
    switch (kernel.op()) {
      case ADD -> {
        for (; p < end; p += 8) {
          sum += RawMemory.getDouble(p);
          RawMemory.putDouble(p + shift, sum);
        }
      }
      case MUL -> {
        for (; p < end; p += 8) {
          sum *= RawMemory.getDouble(p);
          RawMemory.putDouble(p + shift, sum);
        }
      }
      case MAX -> {
        for (; p < end; p += 8) {
          sum = Math.max(sum, RawMemory.getDouble(p));
          RawMemory.putDouble(p + shift, sum);
        }
      }
      case MIN -> {
        for (; p < end; p += 8) {
          sum = Math.min(sum, RawMemory.getDouble(p));
          RawMemory.putDouble(p + shift, sum);
        }
      }
    }
    return sum;
  }

  private double singles(long p, long to, int n, double sum) {
    long end = p + 4L * n;
    long shift = to - p;
    switch (kernel.op()) {
      case ADD -> {
        for (; p < end; p += 4) {
          sum += RawMemory.getFloat(p);
          RawMemory.putFloat(p + shift, (float) sum);
        }
      }
      case MUL -> {
        for (; p < end; p += 4) {
          sum *= RawMemory.getFloat(p);
          RawMemory.putFloat(p + shift, (float) sum);
        }
      }
      case MAX -> {
        float most = (float) sum;
        for (; p < end; p += 4) {
          most = Math.max(most, RawMemory.getFloat(p));
          RawMemory.putFloat(p + shift, most);
        }
        sum = most;
      }
      case MIN -> {
        float least = (float) sum;
        for (; p < end; p += 4) {
          least = Math.min(least, RawMemory.getFloat(p));
          RawMemory.putFloat(p + shift, least);
        }
        sum = least;
      }
    }
    return sum;
  }

  private long integers(long p, int n, long step, long start) {
    if (!kernel.exclusive() && step == type.bytes()) {
      return type == ScalarType.I32 ? ints(p, p, n, start) : longs(p, p, n, start);
    }
    long sum = start;
    boolean narrow = type == ScalarType.I32;
    for (int i = 0; i < n; i++, p += step) {
      long v = narrow ? RawMemory.getInt(p) : RawMemory.getLong(p);
      long before = sum;
      sum =
          switch (kernel.op()) {
            case MUL -> sum * v;
            case MAX -> Math.max(sum, v);
            case MIN -> Math.min(sum, v);
            case ADD -> sum + v;
          };
      long out = kernel.exclusive() ? before : sum;
      if (narrow) {
        RawMemory.putInt(p, (int) out);
      } else {
        RawMemory.putLong(p, out);
      }
    }
    return sum;
  }

  private long longs(long p, long to, int n, long sum) {
    long end = p + 8L * n;
    long shift = to - p;
    switch (kernel.op()) {
      case ADD -> {
        for (; p < end; p += 8) {
          sum += RawMemory.getLong(p);
          RawMemory.putLong(p + shift, sum);
        }
      }
      case MUL -> {
        for (; p < end; p += 8) {
          sum *= RawMemory.getLong(p);
          RawMemory.putLong(p + shift, sum);
        }
      }
      case MAX -> {
        for (; p < end; p += 8) {
          sum = Math.max(sum, RawMemory.getLong(p));
          RawMemory.putLong(p + shift, sum);
        }
      }
      case MIN -> {
        for (; p < end; p += 8) {
          sum = Math.min(sum, RawMemory.getLong(p));
          RawMemory.putLong(p + shift, sum);
        }
      }
    }
    return sum;
  }

  private long ints(long p, long to, int n, long sum) {
    long end = p + 4L * n;
    long shift = to - p;
    switch (kernel.op()) {
      case ADD -> {
        for (; p < end; p += 4) {
          sum += RawMemory.getInt(p);
          RawMemory.putInt(p + shift, (int) sum);
        }
      }
      case MUL -> {
        for (; p < end; p += 4) {
          sum *= RawMemory.getInt(p);
          RawMemory.putInt(p + shift, (int) sum);
        }
      }
      case MAX -> {
        for (; p < end; p += 4) {
          sum = Math.max(sum, RawMemory.getInt(p));
          RawMemory.putInt(p + shift, (int) sum);
        }
      }
      case MIN -> {
        for (; p < end; p += 4) {
          sum = Math.min(sum, RawMemory.getInt(p));
          RawMemory.putInt(p + shift, (int) sum);
        }
      }
    }
    return sum;
  }
}
