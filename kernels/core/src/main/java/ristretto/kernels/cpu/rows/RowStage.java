package ristretto.kernels.cpu.rows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.operands.MemoryRef;
import ristretto.kernels.cpu.operands.OperandBinding;
import ristretto.kernels.cpu.operands.PackedBinding;
import ristretto.kernels.cpu.operands.ScratchLayout;
import ristretto.kernels.cpu.operands.TileGrid;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.StripArguments;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripCode;
import ristretto.kernels.cpu.strip.StripKey;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Node;

/** Compiled stage of a row kernel: its strip and the bindings of the strip's arguments. */
final class RowStage {
  final int[] reductions;
  final boolean found;
  private final RowStages stages;
  private final RowShape shape;
  private final Fold[] folds;
  private final Strip strip;
  final int lanes;

  /** Key of the strip. */
  final StripKey key;

  private final long stripScratch;
  private final int slots;

  /** Feeds by slot; null for slots that this stage does not read. */
  private final OperandBinding[] bindings;

  private final OperandBinding position;
  private final int[] results;
  private final int[] keptRead;
  private final int[] written;
  private final OperandBinding[] stores;
  private final boolean packedStores;

  private final RowAccumulators accumulators;
  private final RowScratch areas;

  RowStage(
      LaunchServices services,
      String name,
      RowStages stages,
      int number,
      RowOperands operands,
      RowShape shape,
      RowScratch areas,
      Fold[] folds,
      boolean oneBlock,
      ScratchLayout scratch) {
    this.stages = stages;
    this.shape = shape;
    this.areas = areas;
    this.folds = folds;
    RowStages.Stage stage = stages.stages.get(number);
    reductions = stage.reductions().stream().mapToInt(k -> k).toArray();
    written = stage.written().stream().mapToInt(k -> k).toArray();
    slots = stages.slots();
    bindings = new OperandBinding[operands.inputs.length];
    var access = new StripSpec.Access[slots];
    Arrays.fill(access, StripSpec.Access.SCALAR);
    var narrowed = new ArrayList<Integer>();
    operands.bindings(stage.tape(), shape, scratch, bindings, access, narrowed);
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
    stores = new OperandBinding[stage.stores().size()];
    boolean packed = false;
    for (int s = 0; s < stores.length; s++) {
      MemoryRef m = operands.targets[stage.stores().get(s)];
      boolean direct =
          operands.direct(m, shape.rowDim(), shape.colDim(), shape.flat())
              && m.map.strides[shape.colDim()] == 1;
      stores[s] =
          direct
              ? new OperandBinding.Direct(m)
              : new PackedBinding(m, true, false, shape.packedElements(), scratch);
      packed |= !direct;
      outputs.add(StripSpec.STORE);
    }
    packedStores = packed;
    var folding = RowAccumulators.folding(stages, shape, folds, reductions, outputs);
    key = new StripKey(stage.tape(), List.of(access), outputs, narrowed, folding);
    found = services.cached(key);
    StripCode code = services.strip(key, name);
    strip = code.strip();
    lanes = code.lanes();
    accumulators =
        new RowAccumulators(
            stages, shape, areas, folds, reductions, lanes, !folding.none(), oneBlock);
    stripScratch = scratch.take(strip.scratchBytes());
  }

  /** Returns true if the pass leaves results at {@link RowScratch#results} rather than states. */
  boolean leavesResults() {
    return accumulators.leaveResults();
  }

  private OperandBinding position(
      RowOperands operands, StripSpec.Access[] access, ScratchLayout scratch) {
    access[stages.positionSlot()] = StripSpec.Access.INDEX;
    return new OperandBinding.Index(operands.position, scratch);
  }

  private void accumulator(int slot, StripSpec.Access[] access, List<Integer> outputs) {
    access[slot] = shape.columns() ? StripSpec.Access.UNIT : StripSpec.Access.ACCUMULATE;
    outputs.add(shape.columns() ? StripSpec.STORE : slot);
  }

  /**
   * Runs the strip over reduced tiles {@code from} to {@code to - 1} for the rows of the current
   * kept tile.
   *
   * @param states address of the states of the rows, one per reduction of the kernel; initialized
   *     here
   */
  void pass(
      Job job, Tile tile, ThreadContext context, TileGrid grid, long from, long to, long states) {
    context.reserve(slots + 2 * reductions.length + written.length + stores.length);
    int width = tile.width;
    if (from >= to || !leavesResults()) {
      accumulators.begin(states, width);
    }
    int base =
        shape.columns() ? shape.rowDim() + 1 - grid.rank() : shape.colDim() + 1 - grid.rank();
    long done = 0;
    int pending = 0;
    if (shape.columns()) {
      accumulators.clear(tile, width);
    }
    for (long t = from; t < to; t++) {
      grid.place(t, tile, base);
      tile.rowDim = shape.rowDim();
      tile.colDim = shape.colDim();
      tile.flat = shape.flat();
      switch (shape.form()) {
        case ROWS -> {
          tile.rows = width;
          accumulators.clear(tile, width);
          run(job, tile, context, 0);
          for (int row = 0; row < width && !accumulators.foldsItself; row++) {
            accumulators.fold(tile, row, accumulators.state(states, row, 0));
          }
        }
        case BLOCKS -> blocks(job, tile, context, states);
        case JOINED -> {
          accumulators.clear(tile, 1);
          run(job, tile, context, done);
          done += (long) tile.rows * tile.cols;
          accumulators.fold(tile, 0, states);
        }
        case COLUMNS -> {
          tile.rows = tile.cols;
          tile.cols = width;
          run(job, tile, context, done);
          done += tile.rows;
          pending += tile.rows;
          if (pending >= RowShape.BLOCK_ROWS || t == to - 1) {
            accumulators.foldColumns(tile, width, states);
            if (!accumulators.atOnce) {
              accumulators.clear(tile, width);
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
      accumulators.clear(tile, whole);
      run(job, tile, context, 0);
      for (int b = 0; b < whole; b++) {
        accumulators.fold(tile, b, states);
      }
    }
    if (length > whole * block) {
      tile.at[shape.colDim()] += (long) whole * block;
      tile.rows = 1;
      tile.cols = length - whole * block;
      tile.rowStep = 1;
      accumulators.clear(tile, 1);
      run(job, tile, context, 0);
      accumulators.fold(tile, 0, states);
    }
  }

  /**
   * Runs the strip on the current tile.
   *
   * @param done elements (COLUMNS: rows) of the chunk before this tile, which is the offset of its
   *     kept values
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
      for (OperandBinding store : stores) {
        store.finish(job, tile);
      }
    }
  }

  /** Sets the arguments of the strip for the current tile. */
  private void point(Job job, Tile tile, ThreadContext context, long done) {
    long[] pointers = context.pointers;
    long[] strides = context.rowStrides;
    for (int k = 0; k < bindings.length; k++) {
      if (bindings[k] != null) {
        pointers[k] = bindings[k].pointer(job, tile, context, k);
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
    out = accumulators.point(tile, context, out);
    for (int id : written) {
      kept(tile, context, out++, id, done);
    }
    for (OperandBinding store : stores) {
      pointers[out] = store.pointer(job, tile, context, out);
      out++;
    }
  }

  /** Returns true if an argument of the strip is an affine form of the indices. */
  boolean hasIndices() {
    return key.inputs().contains(StripSpec.Access.INDEX);
  }

  /** Returns true if {@link #sweep} can run this stage. */
  boolean sweeps() {
    return (accumulators.foldsItself || reductions.length == 0) && !packedStores;
  }

  /** Sets {@code arguments} for the rows of the current tile. */
  void aim(Job job, Tile tile, ThreadContext context, RowResults to, StripArguments arguments) {
    int count = slots + reductions.length + written.length + stores.length;
    context.reserve(count);
    tile.rows = tile.width;
    tile.rowDim = shape.rowDim();
    tile.colDim = shape.colDim();
    tile.rowStep = 1;
    tile.flat = false;
    point(job, tile, context, 0);
    arguments.take(context, count);
    for (int k = 0; k < bindings.length; k++) {
      if (bindings[k] instanceof OperandBinding.Direct) {
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

  private void step(StripArguments arguments, int pointer, Tile tile) {
    arguments.steps[pointer] = arguments.strides[pointer] * tile.width;
  }

  private void result(
      Job job, Tile tile, RowResults to, int k, StripArguments arguments, int pointer) {
    arguments.pointers[pointer] = to.address(job, tile, k);
    arguments.strides[pointer] = to.stride(k);
    if (!to.local(k)) {
      step(arguments, pointer, tile);
    }
  }

  /** Runs the strip on {@code rows} rows. */
  void call(Tile tile, StripArguments arguments, int rows, int length) {
    strip.run(arguments.pointers, arguments.strides, rows, length, tile.scratch + stripScratch);
  }

  /** Runs the strip on {@code rows} rows and advances the arguments to the next rows. */
  void sweep(Tile tile, StripArguments arguments, int rows, int length) {
    call(tile, arguments, rows, length);
    arguments.next();
    for (int k = 0; k < bindings.length; k++) {
      if (bindings[k] instanceof OperandBinding.Index) {
        OperandBinding.Index.advance(arguments.pointers[k], rows);
      }
    }
    if (position != null) {
      OperandBinding.Index.advance(arguments.pointers[stages.positionSlot()], rows);
    }
  }

  private void kept(Tile tile, ThreadContext context, int slot, int id, long done) {
    int size = stages.keptTypes.get(id).bytes();
    long line = (long) tile.cols * size;
    context.pointers[slot] = tile.scratch + areas.kept(id) + done * (shape.columns() ? line : size);
    context.rowStrides[slot] = line;
  }

  static Fold[] folds(
      List<Reduction> reductions, boolean wide, LaunchServices services, String name) {
    Fold[] folds = new Fold[reductions.size()];
    for (int k = 0; k < folds.length; k++) {
      folds[k] = Fold.of(reductions.get(k), wide, services, name);
    }
    return folds;
  }
}
