package ristretto.kernels.cpu.rows;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.cpu.launch.Cost;
import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.operands.ScratchLayout;
import ristretto.kernels.cpu.runtime.StripArguments;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.cpu.strip.AccumulatorFolds;
import ristretto.kernels.cpu.strip.LaneFold;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripCode;
import ristretto.kernels.cpu.strip.StripKey;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Strip of the last stage of one group of rows and the first stage of the next group: memory is
 * read while it is written, where separate stages would wait for reads and writes in turn.
 * Arguments are the inputs of both stages, then the outputs of both.
 */
final class RowPair {
  /**
   * Least memory traffic of a paired kernel in bytes: kernels that stay in the caches do not wait
   * for memory.
   */
  private static final long LEAST_BYTES = 4 << 20;

  /**
   * Most cost of a paired kernel in nanoseconds per element: beyond, computing takes longer than
   * memory traffic.
   */
  private static final double MOST_COST = 0.8;

  private final Strip strip;
  private final long stripScratch;
  private final int firstInputs;
  private final int lastInputs;

  private RowPair(Strip strip, long stripScratch, int lastInputs, int firstInputs) {
    this.strip = strip;
    this.stripScratch = stripScratch;
    this.lastInputs = lastInputs;
    this.firstInputs = firstInputs;
  }

  /**
   * Compiles the pair; null if running the stages one after the other is better.
   *
   * @param bytes memory that the kernel touches
   */
  static RowPair of(
      LaunchServices services,
      String name,
      RowStage last,
      RowStage first,
      long bytes,
      ScratchLayout scratch) {
    double cost = Cost.of(last.key.tape()) + Cost.of(first.key.tape());
    boolean indices = last.hasIndices() || first.hasIndices();
    if (bytes < LEAST_BYTES || cost > MOST_COST || indices || last.reductions.length > 0) {
      return null;
    }
    StripCode code = services.strip(key(last.key, first.key), name);
    if (code.lanes() != first.lanes) {
      // Another number of lanes would change the bits of results.
      return null;
    }
    return new RowPair(
        code.strip(),
        scratch.take(code.strip().scratchBytes()),
        last.key.inputs().size(),
        first.key.inputs().size());
  }

  private static StripKey key(StripKey last, StripKey first) {
    int shift = last.inputs().size();
    var out = new TapeBuilder();
    var outputs = new ArrayList<Integer>();
    append(last.tape(), 0, out, outputs);
    append(first.tape(), shift, out, outputs);
    var inputs = new ArrayList<>(last.inputs());
    inputs.addAll(first.inputs());
    var stores = new ArrayList<>(last.stores());
    first.stores().forEach(slot -> stores.add(slot == StripSpec.STORE ? slot : slot + shift));
    var narrowed = new ArrayList<>(last.narrowed());
    first.narrowed().forEach(slot -> narrowed.add(slot + shift));
    List<LaneFold> folds =
        first.folding().folds().stream()
            .map(f -> new LaneFold(f.output() + last.stores().size(), f.kind(), f.type(), f.wide()))
            .toList();
    return new StripKey(
        out.build(outputs.stream().mapToInt(row -> row).toArray()),
        inputs,
        stores,
        narrowed,
        new AccumulatorFolds(folds, false, first.folding().doubled()));
  }

  private static void append(Tape tape, int shift, TapeBuilder out, List<Integer> outputs) {
    int[] map = new int[tape.size()];
    for (int row = 0; row < map.length; row++) {
      map[row] =
          tape.node(row) instanceof Node.Input in
              ? out.input(in.slot() + shift, in.type())
              : out.intern(TapeBuilder.renumber(tape.node(row), map));
    }
    tape.outputs().forEach(row -> outputs.add(map[row]));
  }

  /**
   * Sets the arguments of {@code pair} to the rows of {@code last} and the rows after those of
   * {@code first}.
   */
  void aim(StripArguments last, StripArguments first, StripArguments pair) {
    pair.reserve(last.count + first.count);
    pair.count = 0;
    pair.append(last, 0, lastInputs, false);
    pair.append(first, 0, firstInputs, true);
    pair.append(last, lastInputs, last.count, false);
    pair.append(first, firstInputs, first.count, true);
  }

  void run(Tile tile, StripArguments pair, int rows, int length) {
    strip.run(pair.pointers, pair.strides, rows, length, tile.scratch + stripScratch);
  }
}
