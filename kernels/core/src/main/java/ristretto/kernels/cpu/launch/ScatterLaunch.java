package ristretto.kernels.cpu.launch;

import java.util.List;
import ristretto.kernels.cpu.memory.CpuBuffer;
import ristretto.kernels.cpu.moves.Pack;
import ristretto.kernels.cpu.operands.IterationSpace;
import ristretto.kernels.cpu.operands.MemoryRef;
import ristretto.kernels.cpu.operands.ScratchLayout;
import ristretto.kernels.cpu.runtime.ChunkedTask;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;

/**
 * Launch of a scatter kernel: combines values with indexed elements of the target, each element in
 * row-major order of the iteration space. Threads split the columns, along which the index is
 * constant, so that one thread makes all additions to an element.
 *
 * <p>Sums that need working memory process the target in blocks, one after the other: dimensions
 * along which the target moves are the outer loops, summed dimensions the inner ones.
 */
public final class ScatterLaunch extends CpuLaunch {
  private static final long TILE = 1024;

  /** Least length of lines that a strip adds. */
  private static final int LINE = 16;

  /** Least number of columns per thread. */
  private static final long COLUMNS = 16;

  private final ChunkedTask columns = this::columns;

  private long points;
  private IterationSpace space;
  private TileStrip run;
  private ScatterSums sums;
  private long rowTile;
  private long colTile;

  /** True for each dimension before the last two that is a loop over blocks. */
  private boolean[] outer;

  /** True if a block is a tile of rows (of columns); else it spans all of them. */
  private boolean rowBlocks;

  private boolean colBlocks;

  private long blocks;
  private long steps;

  /** Number of threads that share the columns. */
  private int shares;

  public ScatterLaunch(LaunchServices services, Kernel.Scatter kernel) {
    super(services, kernel);
    long[] extents = kernel.extents().toArray();
    kernel.inputs().forEach(operand -> declare(operand, extents));
    declare(kernel.target(), extents, true);
    points = kernel.extents().product();
    if (points == 0) {
      return;
    }
    space = new IterationSpace(kernel.extents(), 0);
    var operands =
        new MapOperands(space, kernel.tape(), kernel.inputs(), List.of(kernel.target()), true);
    space.simplify(true);
    while (space.rank() < 2) {
      space.insertOne(0, true);
    }
    MemoryRef target = operands.store(0);
    int last = space.rank() - 1;
    long cols = space.extents[last];
    boolean colsApart = target.map.strides[last] != 0;
    boolean lines = colsApart && !target.gathersAlong(last);
    double nanos = points * (2 + Cost.of(kernel.tape()));
    boolean shared = lines && nanos >= Cost.PARALLEL_NANOS && cols >= 2 * COLUMNS;
    chunks = 1;
    shares = shared ? (int) Math.min(services.workers.size(), cols / COLUMNS) : 1;
    colTile = Math.min((cols + shares - 1) / shares, TILE);
    boolean byStrip = lines && colTile >= LINE && points / cols < Integer.MAX_VALUE;
    var scratch = new ScratchLayout();
    if (kernel.op() != Kernel.Scatter.Operator.ADD
        || Pack.packed(target.storage) != ScalarType.F32
        || added(target) == 1) {
      outer = new boolean[last - 1];
      rowTile = rows(colTile);
      sums =
          new ScatterInPlace(
              services, kernel.op(), target, byStrip && target.direct(last), scratch);
    } else if (byStrip) {
      colBlocks = true;
      colTile = Math.min(colTile, ScatterLines.COLUMNS);
      space.exchange(lastAdded(target), last - 1);
      rowTile = rows(colTile);
      outer = apart(target);
      sums = new ScatterLines(services, space, target, colTile, scratch);
    } else {
      rowBlocks = target.map.strides[last - 1] != 0;
      colBlocks = colsApart;
      outer = apart(target);
      var elements =
          new ScatterElements(services, target, rowBlocks, colBlocks, added(target), scratch);
      colTile = colBlocks ? elements.columns(colTile) : colTile;
      rowTile = rowBlocks ? elements.rows(rows(colTile)) : rows(colTile);
      sums = elements;
    }
    blocks = 1;
    steps = 1;
    for (int d = 0; d < last - 1; d++) {
      blocks *= outer[d] ? space.extents[d] : 1;
      steps *= outer[d] ? 1 : space.extents[d];
    }
    run =
        new TileStrip(services, name(), operands, new TileSizes(rowTile, colTile, false), scratch);
    describe(TileStrip.operations(kernel.tape(), points), kernel.tape()::toString, run.found);
  }

  private long rows(long columns) {
    return Math.min(space.extents[space.rank() - 2], Math.max(1, TILE / columns));
  }

  /** Most values added to one target element, unless several index positions reach the element. */
  private long added(MemoryRef target) {
    long n = 1;
    for (int d = 0; d < space.rank(); d++) {
      n *= target.map.strides[d] == 0 ? space.extents[d] : 1;
    }
    return n;
  }

  /** Returns the last summed dimension: the target has stride 0 along it. */
  private int lastAdded(MemoryRef target) {
    int d = space.rank() - 1;
    while (target.map.strides[d] != 0) {
      d--;
    }
    return d;
  }

  private boolean[] apart(MemoryRef target) {
    boolean[] apart = new boolean[space.rank() - 2];
    for (int d = 0; d < apart.length; d++) {
      apart[d] = target.map.strides[d] != 0;
    }
    return apart;
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    long planBytes = sums.planBytes();
    if (planBytes == 0) {
      services.workers.run(job, columns, shares);
      return;
    }
    CpuBuffer plan = services.workspaces.take(planBytes);
    try {
      job.shared = plan.address(name());
      CpuBuffer area = services.workspaces.take(Math.max(1, sums.plan(job) * shares));
      try {
        job.phase = area.address(name());
        services.workers.run(job, columns, shares);
      } finally {
        services.workspaces.give(area);
      }
    } finally {
      services.workspaces.give(plan);
    }
  }

  /** Adds the elements of some columns. */
  private void columns(Job job, int index, int count, ThreadContext context) {
    Tile tile = run.begin(context);
    int rank = space.rank();
    tile.reserve(rank);
    tile.rowDim = rank - 2;
    tile.colDim = rank - 1;
    tile.rowStep = 1;
    long rows = space.extents[rank - 2];
    long cols = space.extents[rank - 1];
    long from = cols * index / count;
    long to = cols * (index + 1) / count;
    long rowBlock = rowBlocks ? rowTile : rows;
    long colBlock = colBlocks ? colTile : cols;
    long area = sums.area(job, index);
    for (long b = 0; b < blocks; b++) {
      place(tile, b, true);
      for (long r = 0; r < rows; r += rowBlock) {
        for (long c = from; c < to; c += colBlock) {
          long rowEnd = Math.min(rows, r + rowBlock);
          long colEnd = Math.min(to, c + colBlock);
          block(tile, r, rowEnd, c, colEnd);
          if (sums.begins(job, tile, area, context)) {
            visit(job, tile, r, rowEnd, c, colEnd, ScatterSums.Pass.BEGIN, area, context);
          }
          visit(job, tile, r, rowEnd, c, colEnd, ScatterSums.Pass.ADD, area, context);
          block(tile, r, rowEnd, c, colEnd);
          if (sums.ends(job, tile, area, context)) {
            visit(job, tile, r, rowEnd, c, colEnd, ScatterSums.Pass.END, area, context);
          }
        }
      }
    }
  }

  /** Visits the tiles of a block in order. */
  private void visit(
      Job job,
      Tile tile,
      long row,
      long rowEnd,
      long col,
      long colEnd,
      ScatterSums.Pass pass,
      long area,
      ThreadContext context) {
    for (long s = 0; s < steps; s++) {
      place(tile, s, false);
      for (long r = row; r < rowEnd; r += rowTile) {
        for (long c = col; c < colEnd; c += colTile) {
          block(tile, r, Math.min(rowEnd, r + rowTile), c, Math.min(colEnd, c + colTile));
          long values = pass == ScatterSums.Pass.ADD ? run.compute(job, tile, context) : 0;
          sums.visit(job, tile, values, pass, area, context);
        }
      }
    }
  }

  private static void block(Tile tile, long row, long rowEnd, long col, long colEnd) {
    tile.at[tile.rowDim] = row;
    tile.at[tile.colDim] = col;
    tile.rows = (int) (rowEnd - row);
    tile.cols = (int) (colEnd - col);
  }

  /**
   * Sets the indices of the dimensions before the last two that are outer loops ({@code those}), or
   * that are not.
   */
  private void place(Tile tile, long number, boolean those) {
    long left = number;
    for (int d = outer.length - 1; d >= 0; d--) {
      if (outer[d] == those) {
        tile.at[d] = left % space.extents[d];
        left /= space.extents[d];
      }
    }
  }
}
