package ristretto.kernels.cpu.rows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import ristretto.kernels.cpu.launch.Cost;
import ristretto.kernels.cpu.launch.CpuLaunch;
import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.operands.ScratchLayout;
import ristretto.kernels.cpu.operands.TileGrid;
import ristretto.kernels.cpu.runtime.ChunkedTask;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Tape;

/**
 * Launch of a row kernel: each group of rows passes through all stages while it is in the cache.
 * With fewer groups than threads need, the chunks of each stage run in parallel instead; chunks are
 * equal in both cases, so that results are too.
 */
public final class RowLaunch extends CpuLaunch {
  private final ChunkedTask part = this::part;
  private RowOperands operands;
  private RowShape shape;
  private RowScratch areas;
  private RowStage[] stages;
  private Fold[] folds;
  private TileGrid reducedGrid;
  private long reducedTiles;
  private long rowChunks;
  private long keptTiles;
  private long rows;
  private long scratchBytes;
  private int parallel = 1;

  /** True if chunks of one stage run in parallel, rather than groups of rows. */
  private boolean byChunk;

  private RowResults results;

  /** Sweep over consecutive groups of rows; null if groups differ in more than addresses. */
  private RowSweep sweep;

  private long length;
  private long sharedBytes;
  private long statesAt;

  /** Per-row stores made after all stages; null if the last stage makes all of them. */
  private RowEpilogue epilogue;

  public RowLaunch(LaunchServices services, Kernel.Row kernel) {
    super(services, kernel);
    long[] extents = kernel.extents().toArray();
    Set<Integer> readOnce = readOnce(kernel);
    for (int slot = 0; slot < kernel.inputs().size(); slot++) {
      declare(
          kernel.inputs().get(slot),
          readOnce.contains(slot) ? withoutEmpty(extents, kernel.kept()) : extents);
    }
    for (Kernel.Store store : kernel.stores()) {
      declare(
          store.target(), withoutEmpty(extents, store.perRow() ? kernel.kept() : extents.length));
    }
    rows = 1;
    length = 1;
    for (int d = 0; d < extents.length; d++) {
      rows *= d < kernel.kept() ? extents[d] : 1;
      length *= d < kernel.kept() ? 1 : extents[d];
    }
    if (rows == 0) {
      return;
    }
    chunks = 1;
    boolean wide = RowOperands.wide(kernel);
    operands = new RowOperands(kernel);
    // With both per-row and per-element stores, reading inputs again is faster than keeping values
    // in narrow columns.
    boolean keeps = RowShape.keeps(length) && !storesBoth(kernel);
    RowStages cut = RowStages.of(RowStages.Key.of(kernel, keeps, wide), name());
    int keptBytes = cut.keptTypes.stream().mapToInt(t -> t.bytes()).sum();
    shape = RowShape.of(operands, RowOperands.inOrder(kernel), keptBytes);
    folds = RowStage.folds(kernel.reductions(), wide, services, name());
    reducedGrid =
        new TileGrid(
            Arrays.copyOfRange(operands.space.extents, operands.space.kept, operands.space.rank()),
            shape.columns() ? 1 : shape.rows(),
            shape.columns() ? shape.rows() : shape.cols());
    reducedTiles = length == 0 ? 0 : reducedGrid.tiles();
    rowChunks = (reducedTiles + shape.chunkTiles() - 1) / shape.chunkTiles();
    keptTiles =
        operands.space.product(0, operands.space.kept - 1)
            * ((operands.keptExtent() + shape.width() - 1) / shape.width());
    var scratch = new ScratchLayout();
    areas = new RowScratch(folds, cut, shape, length, scratch);
    stages = new RowStage[cut.stages.size()];
    boolean found = true;
    for (int s = 0; s < stages.length; s++) {
      stages[s] =
          new RowStage(
              services,
              name(),
              cut,
              s,
              operands,
              shape,
              areas,
              folds,
              length <= RowShape.BLOCK_ROWS,
              scratch);
      found &= stages[s].found;
    }
    chooseParallel(kernel.tape(), rows * length, cut);
    placeResults(kernel, cut);
    if (length > 0 && RowSweep.possible(stages, shape, operands, results)) {
      sweep = RowSweep.of(services, name(), stages, bytes(), scratch);
    }
    scratchBytes = scratch.bytes();
    describe(rows * length * Cost.flops(kernel), kernel.tape()::toString, found);
  }

  private static boolean storesBoth(Kernel.Row kernel) {
    return kernel.stores().stream().map(Kernel.Store::perRow).distinct().count() > 1;
  }

  /** Returns the slots that per-row stores read, which they do even if rows have no elements. */
  private static Set<Integer> readOnce(Kernel.Row kernel) {
    Tape tape = kernel.tape();
    boolean[] needed = new boolean[tape.size()];
    for (Kernel.Store store : kernel.stores()) {
      if (store.perRow()) {
        needed[tape.outputs().get(store.output())] = true;
      }
    }
    var slots = new HashSet<Integer>();
    for (int row = tape.size() - 1; row >= 0; row--) {
      if (needed[row]) {
        tape.node(row).forEachOperand(operand -> needed[operand] = true);
        if (tape.node(row) instanceof Node.Input in) {
          slots.add(in.slot());
        }
      }
    }
    return slots;
  }

  /**
   * Returns the extents with those after the first {@code kept} set to 1: per-row stores run even
   * if rows have no elements.
   */
  private static long[] withoutEmpty(long[] extents, int kept) {
    long[] some = extents.clone();
    Arrays.fill(some, kept, some.length, 1);
    return some;
  }

  private void chooseParallel(Tape tape, long points, RowStages cut) {
    int threads = services.workers.size();
    double nanos = points * Cost.of(tape) + Cost.ofBytes(bytes());
    if (threads == 1 || nanos < Cost.PARALLEL_NANOS) {
      return;
    }
    byChunk = keptTiles < 2L * threads && rowChunks > 1 && cut.keptTypes.isEmpty();
    parallel = TileGrid.chunks(byChunk ? keptTiles * rowChunks : keptTiles, threads);
  }

  private void placeResults(Kernel.Row kernel, RowStages cut) {
    results = new RowResults(operands, folds, areas);
    RowStages.Stage last = cut.stages.getLast();
    var rest = new ArrayList<Integer>();
    for (int s = 0; s < kernel.stores().size(); s++) {
      Kernel.Store store = kernel.stores().get(s);
      if (!store.perRow()) {
        continue;
      }
      int k = resultStored(kernel, store);
      boolean atOnce =
          k >= 0
              && results.direct[k] == null
              && last.reductions().contains(k)
              && last.stores().isEmpty()
              && operands.targets[s].wide();
      if (atOnce) {
        results.direct[k] = operands.targets[s];
      } else {
        rest.add(s);
      }
    }
    var layout = new ScratchLayout();
    for (int k = 0; k < folds.length; k++) {
      if (!rest.isEmpty() || byChunk) {
        results.shared[k] = layout.take(rows * folds[k].resultType().bytes());
      }
    }
    if (byChunk) {
      statesAt =
          layout.take(keptTiles * rowChunks * shape.width() * folds.length * Fold.STATE_BYTES);
    }
    if (!rest.isEmpty()) {
      epilogue = new RowEpilogue(services, name(), kernel, cut, folds, buffers(), rest);
    }
    sharedBytes = layout.bytes();
  }

  /** Returns the reduction whose result {@code store} stores unchanged, or -1. */
  private int resultStored(Kernel.Row kernel, Kernel.Store store) {
    Node node = kernel.tape().node(kernel.tape().outputs().get(store.output()));
    int k = node instanceof Node.Input in ? in.slot() - kernel.inputs().size() : -1;
    return k >= 0 && folds[k].resultType() == store.target().storage() ? k : -1;
  }

  @Override
  protected long sharedBytes() {
    return sharedBytes;
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    if (byChunk) {
      for (int s = 0; s < stages.length; s++) {
        job.phase = s;
        services.workers.run(job, part, parallel);
        gather(job, s, context);
      }
    } else if (parallel > 1) {
      services.workers.run(job, part, parallel);
    } else {
      wholeRows(job, 0, keptTiles, context);
    }
    if (epilogue != null) {
      epilogue.run(job, results);
    }
  }

  /** Computes some groups of rows, or some chunks of a stage. */
  private void part(Job job, int index, int count, ThreadContext context) {
    long units = byChunk ? keptTiles * rowChunks : keptTiles;
    long from = units * index / count;
    long to = units * (index + 1) / count;
    if (byChunk) {
      for (long unit = from; unit < to; unit++) {
        oneChunk(job, unit / rowChunks, unit % rowChunks, context);
      }
    } else {
      wholeRows(job, from, to, context);
    }
  }

  private void wholeRows(Job job, long from, long to, ThreadContext context) {
    Tile tile = tile(context);
    if (sweep != null) {
      sweep(job, tile, from, to, context);
      return;
    }
    long totals = tile.scratch + areas.totals;
    long part = tile.scratch + areas.chunk;
    for (long t = from; t < to; t++) {
      for (RowStage stage : stages) {
        place(t, tile);
        if (rowChunks <= 1) {
          stage.pass(job, tile, context, reducedGrid, 0, reducedTiles, totals);
        } else {
          for (long c = 0; c < rowChunks; c++) {
            stage.pass(
                job, tile, context, reducedGrid, first(c), first(c + 1), c == 0 ? totals : part);
            merge(stage, tile.width, c == 0 ? 0 : part, totals);
          }
        }
        finish(job, stage, tile, totals);
      }
    }
  }

  private void sweep(Job job, Tile tile, long from, long to, ThreadContext context) {
    long extent = operands.keptExtent();
    long groups = (extent + shape.width() - 1) / shape.width();
    long t = from;
    while (t < to) {
      place(t, tile);
      long count = Math.min(to - t, groups - t % groups);
      long most = Math.min(count * shape.width(), extent - tile.at[operands.keptInner()]);
      sweep.run(job, tile, context, results, most, (int) length);
      t += count;
    }
  }

  private long first(long chunk) {
    return Math.min(reducedTiles, chunk * shape.chunkTiles());
  }

  private void merge(RowStage stage, int width, long from, long into) {
    if (from != 0) {
      for (int row = 0; row < width; row++) {
        for (int k : stage.reductions) {
          long offset = ((long) row * folds.length + k) * Fold.STATE_BYTES;
          folds[k].merge(from + offset, into + offset);
        }
      }
    }
  }

  private void oneChunk(Job job, long keptTile, long chunk, ThreadContext context) {
    Tile tile = tile(context);
    place(keptTile, tile);
    for (int k = 0; k < folds.length; k++) {
      results.fetch(job, tile, k);
    }
    stages[(int) job.phase].pass(
        job,
        tile,
        context,
        reducedGrid,
        first(chunk),
        first(chunk + 1),
        states(job, keptTile, chunk));
  }

  private long states(Job job, long keptTile, long chunk) {
    return job.shared
        + statesAt
        + (keptTile * rowChunks + chunk) * shape.width() * folds.length * Fold.STATE_BYTES;
  }

  /** Merges the states of all chunks of a stage, in order. */
  private void gather(Job job, int s, ThreadContext context) {
    if (stages[s].reductions.length == 0) {
      return;
    }
    Tile tile = tile(context);
    for (long t = 0; t < keptTiles; t++) {
      place(t, tile);
      long totals = states(job, t, 0);
      for (long c = 1; c < rowChunks; c++) {
        merge(stages[s], tile.width, states(job, t, c), totals);
      }
      finish(job, stages[s], tile, totals);
    }
  }

  private void finish(Job job, RowStage stage, Tile tile, long totals) {
    for (int k : stage.reductions) {
      int size = folds[k].resultType().bytes();
      for (int row = 0; row < tile.width && (!stage.leavesResults() || length == 0); row++) {
        folds[k].finish(
            totals + ((long) row * folds.length + k) * Fold.STATE_BYTES,
            tile.scratch + areas.results(k) + (long) row * size);
      }
      results.spread(job, tile, k);
    }
  }

  private Tile tile(ThreadContext context) {
    Tile tile = context.tile;
    tile.reserve(operands.space.rank());
    tile.scratch = context.scratch(scratchBytes);
    tile.first = true;
    return tile;
  }

  /** Sets the kept indices of {@code tile} to group t of rows and the reduced indices to 0. */
  private void place(long t, Tile tile) {
    Arrays.fill(tile.at, 0, operands.space.rank(), 0);
    int inner = operands.keptInner();
    long extent = operands.keptExtent();
    long groups = (extent + shape.width() - 1) / shape.width();
    long first = t % groups * shape.width();
    tile.at[inner] = first;
    tile.width = (int) Math.min(shape.width(), extent - first);
    t /= groups;
    for (int d = inner - 1; d >= 0; d--) {
      tile.at[d] = t % operands.space.extents[d];
      t /= operands.space.extents[d];
    }
  }
}
