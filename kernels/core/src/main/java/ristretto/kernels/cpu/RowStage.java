package ristretto.kernels.cpu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;

/** One compiled stage of a row kernel: its strip and what feeds the strip's arguments. */
final class RowStage {
  final int[] reductions;
  final boolean found;
  private final RowStages stages;
  private final RowShape shape;
  private final Fold[] folds;
  private final Strip strip;
  final int lanes;

  /** Of the strip. */
  final StripKey key;

  private final long stripScratch;
  private final int slots;

  /** By slot; null for slots that are no element input. */
  private final Feed[] feeds;

  private final Feed position;
  private final int[] results;
  private final int[] keptRead;
  private final int[] written;
  private final Feed[] stores;
  private final boolean packedStores;

  /** The strip starts and folds the accumulators itself. */
  private final boolean foldsItself;

  /** COLUMNS of one block each: the accumulators, where results belong, are the results. */
  private final boolean atOnce;

  private final RowAreas areas;

  RowStage(
      CpuDevice device,
      String name,
      RowStages stages,
      int number,
      RowOperands operands,
      RowShape shape,
      RowAreas areas,
      Fold[] folds,
      ScratchLayout scratch) {
    this.stages = stages;
    this.shape = shape;
    this.areas = areas;
    this.folds = folds;
    RowStages.Stage stage = stages.stages.get(number);
    reductions = stage.reductions().stream().mapToInt(k -> k).toArray();
    written = stage.written().stream().mapToInt(k -> k).toArray();
    slots = stages.slots();
    feeds = new Feed[operands.inputs.length];
    var access = new StripSpec.Access[slots];
    Arrays.fill(access, StripSpec.Access.SCALAR);
    var narrowed = new ArrayList<Integer>();
    operands.feeds(stage.tape(), shape, scratch, feeds, access, narrowed);
    boolean[] used = new boolean[slots];
    for (Node node : stage.tape().nodes()) {
      if (node instanceof Node.Input in) {
        used[in.slot()] = true;
      }
    }
    var resultsUsed = new ArrayList<Integer>();
    for (int k = 0; k < folds.length; k++) {
      if (used[stages.resultSlot(k)]) {
        resultsUsed.add(k);
        access[stages.resultSlot(k)] =
            shape.columns() ? StripSpec.Access.UNIT : StripSpec.Access.SCALAR;
      }
    }
    results = resultsUsed.stream().mapToInt(k -> k).toArray();
    var read = new ArrayList<Integer>();
    for (int id = 0; id < stages.keptTypes.size(); id++) {
      if (used[stages.keptSlot(id)]) {
        read.add(id);
        access[stages.keptSlot(id)] = StripSpec.Access.UNIT;
      }
    }
    keptRead = read.stream().mapToInt(k -> k).toArray();
    position = used[stages.positionSlot()] ? position(operands, access, scratch) : null;
    var outputs = new ArrayList<Integer>();
    for (int k : reductions) {
      accumulator(stages.accumulatorSlot(k), access, outputs);
      if (folds[k] instanceof Fold.Position) {
        accumulator(stages.accumulatorSlot(k) + 1, access, outputs);
      }
    }
    for (int ignored : written) {
      outputs.add(StripSpec.STORE);
    }
    stores = new Feed[stage.stores().size()];
    boolean packed = false;
    for (int s = 0; s < stores.length; s++) {
      MemoryRef m = operands.targets[stage.stores().get(s)];
      boolean direct =
          operands.direct(m, shape.rowDim(), shape.colDim(), shape.flat())
              && m.map.strides[shape.colDim()] == 1;
      stores[s] =
          direct
              ? new Feed.Direct(m)
              : new PackFeed(m, true, false, shape.packedElements(), scratch);
      packed |= !direct;
      outputs.add(StripSpec.STORE);
    }
    packedStores = packed;
    var folding = folding(outputs);
    foldsItself = !folding.none();
    atOnce = atOnce(operands);
    key = new StripKey(stage.tape(), List.of(access), outputs, narrowed, folding);
    found = device.cached(key);
    StripCode code = device.strip(key, name);
    strip = code.strip();
    lanes = code.lanes();
    stripScratch = scratch.take(strip.scratchBytes());
  }

  private Folding folding(List<Integer> outputs) {
    var list = new ArrayList<LaneFold>();
    for (int k : reductions) {
      if (shape.columns() || !LaneFold.possible(folds[k])) {
        return Folding.NONE;
      }
      int output = outputs.indexOf(stages.accumulatorSlot(k));
      boolean state = shape.form() != RowShape.Form.ROWS;
      list.add(new LaneFold(output, folds[k].reduction.kind(), folds[k].type, state));
    }
    return new Folding(list, shape.form() == RowShape.Form.JOINED);
  }

  private boolean atOnce(RowOperands operands) {
    boolean possible =
        shape.columns()
            && operands.geometry.product(operands.geometry.kept, operands.geometry.rank())
                <= RowShape.BLOCK_ROWS;
    for (int k : reductions) {
      possible &= LaneFold.possible(folds[k]);
    }
    return possible;
  }

  /** Results are left where {@link RowAreas#results} says, rather than states. */
  boolean leavesResults() {
    return atOnce || foldsItself && shape.form() == RowShape.Form.ROWS;
  }

  private long values(Tile tile, int k) {
    return tile.scratch + (atOnce ? areas.results(k) : areas.values(k));
  }

  private Feed position(RowOperands operands, StripSpec.Access[] access, ScratchLayout scratch) {
    access[stages.positionSlot()] = StripSpec.Access.INDEX;
    return new Feed.Index(operands.position, scratch);
  }

  private void accumulator(int slot, StripSpec.Access[] access, List<Integer> outputs) {
    access[slot] = shape.columns() ? StripSpec.Access.UNIT : StripSpec.Access.ACCUMULATE;
    outputs.add(shape.columns() ? StripSpec.STORE : slot);
  }

  /**
   * Goes over reduced tiles {@code from} to {@code to} for the rows of the kept tile at hand.
   *
   * @param states of the rows, a state a reduction of the kernel; begun here
   */
  void pass(
      Job job, Tile tile, ThreadContext context, TileGrid grid, long from, long to, long states) {
    context.reserve(slots + 2 * reductions.length + written.length + stores.length);
    int width = tile.width;
    for (int row = 0; row < width && (from >= to || !leavesResults()); row++) {
      for (int k : reductions) {
        folds[k].begin(state(states, row, k));
      }
    }
    int base =
        shape.columns() ? shape.rowDim() + 1 - grid.rank() : shape.colDim() + 1 - grid.rank();
    long done = 0;
    int pending = 0;
    if (shape.columns()) {
      clear(tile, width);
    }
    for (long t = from; t < to; t++) {
      grid.place(t, tile, base);
      tile.rowDim = shape.rowDim();
      tile.colDim = shape.colDim();
      tile.flat = shape.flat();
      switch (shape.form()) {
        case ROWS -> {
          tile.rows = width;
          clear(tile, width);
          run(job, tile, context, 0);
          for (int row = 0; row < width && !foldsItself; row++) {
            fold(tile, row, state(states, row, 0));
          }
        }
        case BLOCKS -> blocks(job, tile, context, states);
        case JOINED -> {
          clear(tile, 1);
          run(job, tile, context, done);
          done += (long) tile.rows * tile.cols;
          fold(tile, 0, states);
        }
        case COLUMNS -> {
          tile.rows = tile.cols;
          tile.cols = width;
          run(job, tile, context, done);
          done += tile.rows;
          pending += tile.rows;
          if (pending >= RowShape.BLOCK_ROWS || t == to - 1) {
            foldColumns(tile, width, states);
            if (!atOnce) {
              clear(tile, width);
            }
            pending = 0;
          }
        }
      }
    }
  }

  private void blocks(Job job, Tile tile, ThreadContext context, long states) {
    int length = tile.cols;
    int block = shape.block();
    int whole = length / block;
    if (whole > 0) {
      tile.rows = whole;
      tile.cols = block;
      tile.rowStep = block;
      clear(tile, whole);
      run(job, tile, context, 0);
      for (int b = 0; b < whole; b++) {
        fold(tile, b, states);
      }
    }
    if (length > whole * block) {
      tile.at[shape.colDim()] += (long) whole * block;
      tile.rows = 1;
      tile.cols = length - whole * block;
      tile.rowStep = 1;
      clear(tile, 1);
      run(job, tile, context, 0);
      fold(tile, 0, states);
    }
  }

  private long state(long states, int row, int k) {
    return states + ((long) row * folds.length + k) * Fold.STATE_BYTES;
  }

  /** Sets the accumulators of {@code rows} rows (COLUMNS: columns) to their start. */
  private void clear(Tile tile, int rows) {
    if (foldsItself) {
      return;
    }
    for (int k : reductions) {
      int size = folds[k].type.bytes();
      long count = shape.columns() ? rows : (long) rows * lanes;
      fill(values(tile, k), count * size, size, folds[k].identity());
      if (folds[k] instanceof Fold.Position) {
        int width = stages.positionType().bytes();
        fill(tile.scratch + areas.positions(k), count * width, width, Fold.NO_POSITION);
      }
    }
  }

  /** Areas are a multiple of 64 bytes: filling may run over the end. */
  private static void fill(long to, long bytes, int size, long bits) {
    long pattern = size == 8 ? bits : (bits & 0xFFFFFFFFL) * 0x1_0000_0001L;
    for (long p = to; p < to + bytes; p += 8) {
      Raw.putLong(p, pattern);
    }
  }

  /** Folds the lanes of accumulator row {@code row} into the states from {@code first} on. */
  private void fold(Tile tile, int row, long first) {
    for (int k : reductions) {
      if (foldsItself) {
        long block = tile.scratch + areas.blocks(k) + (long) row * Fold.STATE_BYTES;
        folds[k].merge(block, first + (long) k * Fold.STATE_BYTES);
        continue;
      }
      int size = folds[k].type.bytes();
      long values = tile.scratch + areas.values(k) + (long) row * lanes * size;
      long positions =
          tile.scratch + areas.positions(k) + (long) row * lanes * stages.positionType().bytes();
      folds[k].lanes(values, positions, lanes, first + (long) k * Fold.STATE_BYTES);
    }
  }

  private void foldColumns(Tile tile, int width, long states) {
    if (atOnce) {
      for (int k : reductions) {
        folds[k].tidy(tile.scratch + areas.results(k), width);
      }
      return;
    }
    for (int k : reductions) {
      int size = folds[k].type.bytes();
      int step = stages.positionType().bytes();
      long values = tile.scratch + areas.values(k);
      long positions = tile.scratch + areas.positions(k);
      for (int col = 0; col < width; col++) {
        folds[k].lanes(
            values + (long) col * size, positions + (long) col * step, 1, state(states, col, k));
      }
    }
  }

  /**
   * @param done elements (COLUMNS: rows) of the chunk before this tile, where kept values lie one
   *     after the other
   */
  private void run(Job job, Tile tile, ThreadContext context, long done) {
    point(job, tile, context, done);
    long scratch = tile.scratch + stripScratch;
    if (tile.flat) {
      strip.run(context.pointers, context.rowStrides, 1, tile.rows * tile.cols, scratch);
    } else {
      strip.run(context.pointers, context.rowStrides, tile.rows, tile.cols, scratch);
    }
    if (packedStores) {
      for (Feed store : stores) {
        store.finish(job, tile);
      }
    }
  }

  /** Sets the arguments of the strip for the tile at hand. */
  private void point(Job job, Tile tile, ThreadContext context, long done) {
    long[] pointers = context.pointers;
    long[] strides = context.rowStrides;
    for (int k = 0; k < feeds.length; k++) {
      if (feeds[k] != null) {
        pointers[k] = feeds[k].pointer(job, tile, context, k);
      }
    }
    for (int k : results) {
      int slot = stages.resultSlot(k);
      pointers[slot] = tile.scratch + areas.results(k);
      strides[slot] = shape.form() == RowShape.Form.ROWS ? folds[k].resultType().bytes() : 0;
    }
    for (int id : keptRead) {
      kept(tile, context, stages.keptSlot(id), id, done);
    }
    if (position != null) {
      pointers[stages.positionSlot()] = position.pointer(job, tile, context, stages.positionSlot());
    }
    int out = slots;
    for (int k : reductions) {
      int slot = stages.accumulatorSlot(k);
      long values = values(tile, k);
      out = accumulator(tile, context, k, slot, out, values, folds[k].type);
      if (folds[k] instanceof Fold.Position) {
        out =
            accumulator(
                tile,
                context,
                k,
                slot + 1,
                out,
                tile.scratch + areas.positions(k),
                stages.positionType());
      }
    }
    for (int id : written) {
      kept(tile, context, out++, id, done);
    }
    for (Feed store : stores) {
      pointers[out] = store.pointer(job, tile, context, out);
      out++;
    }
  }

  /** Some argument of the strip is an affine form of the indices. */
  boolean hasIndices() {
    return key.inputs().contains(StripSpec.Access.INDEX);
  }

  /** Whether {@link #sweep} can run this stage. */
  boolean sweeps() {
    return (foldsItself || reductions.length == 0) && !packedStores;
  }

  /** Sets {@code arguments} for the rows of the tile at hand. */
  void aim(Job job, Tile tile, ThreadContext context, RowResults to, RowSweep.Arguments arguments) {
    int count = slots + reductions.length + written.length + stores.length;
    context.reserve(count);
    tile.rows = tile.width;
    tile.rowDim = shape.rowDim();
    tile.colDim = shape.colDim();
    tile.rowStep = 1;
    tile.flat = false;
    point(job, tile, context, 0);
    arguments.take(context, count);
    for (int k = 0; k < feeds.length; k++) {
      if (feeds[k] instanceof Feed.Direct) {
        step(arguments, k, tile);
      }
    }
    for (int k : results) {
      result(job, tile, to, k, arguments, stages.resultSlot(k));
    }
    int out = slots;
    for (int k : reductions) {
      result(job, tile, to, k, arguments, out++);
    }
    out += written.length;
    for (int s = 0; s < stores.length; s++) {
      step(arguments, out++, tile);
    }
  }

  private void step(RowSweep.Arguments arguments, int pointer, Tile tile) {
    arguments.steps[pointer] = arguments.strides[pointer] * tile.width;
  }

  private void result(
      Job job, Tile tile, RowResults to, int k, RowSweep.Arguments arguments, int pointer) {
    arguments.pointers[pointer] = to.address(job, tile, k);
    arguments.strides[pointer] = to.stride(k);
    if (!to.local(k)) {
      step(arguments, pointer, tile);
    }
  }

  /** Runs the strip on the next {@code rows} rows. */
  void call(Tile tile, RowSweep.Arguments arguments, int rows, int length) {
    strip.run(arguments.pointers, arguments.strides, rows, length, tile.scratch + stripScratch);
  }

  /** As {@link #call}, and goes on to the next rows. */
  void sweep(Tile tile, RowSweep.Arguments arguments, int rows, int length) {
    call(tile, arguments, rows, length);
    arguments.next();
    for (int k = 0; k < feeds.length; k++) {
      if (feeds[k] instanceof Feed.Index) {
        Feed.Index.advance(arguments.pointers[k], rows);
      }
    }
    if (position != null) {
      Feed.Index.advance(arguments.pointers[stages.positionSlot()], rows);
    }
  }

  private int accumulator(
      Tile tile, ThreadContext context, int k, int slot, int out, long address, ScalarType type) {
    if (foldsItself) {
      boolean rows = leavesResults();
      context.pointers[slot] = address;
      context.rowStrides[slot] = 0;
      context.pointers[out] = tile.scratch + (rows ? areas.results(k) : areas.blocks(k));
      context.rowStrides[out] = rows ? folds[k].resultType().bytes() : Fold.STATE_BYTES;
      return out + 1;
    }
    boolean moves = shape.form() == RowShape.Form.ROWS || shape.form() == RowShape.Form.BLOCKS;
    long stride = moves ? (long) lanes * type.bytes() : 0;
    context.pointers[slot] = address;
    context.rowStrides[slot] = stride;
    context.pointers[out] = address;
    context.rowStrides[out] = stride;
    return out + 1;
  }

  private void kept(Tile tile, ThreadContext context, int slot, int id, long done) {
    int size = stages.keptTypes.get(id).bytes();
    long line = (long) tile.cols * size;
    context.pointers[slot] = tile.scratch + areas.kept(id) + done * (shape.columns() ? line : size);
    context.rowStrides[slot] = line;
  }

  static Fold[] folds(List<Reduction> reductions, boolean wide, CpuDevice device, String name) {
    Fold[] folds = new Fold[reductions.size()];
    for (int k = 0; k < folds.length; k++) {
      folds[k] = Fold.of(reductions.get(k), wide, device, name);
    }
    return folds;
  }
}
