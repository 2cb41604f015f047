package ristretto.kernels.cpu.rows;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.cache.KernelCache;
import ristretto.kernels.cpu.codegen.StripCache;
import ristretto.kernels.cpu.launch.Cost;
import ristretto.kernels.cpu.moves.Pack;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Tape of a row kernel cut into stages, each one pass over a row. Stage s computes the reductions
 * and element stores that depend only on results of earlier stages. A value that a later stage
 * needs again is kept in a row of scratch if it is expensive, and recomputed if it is cheap.
 *
 * <p>Slots of a stage's tape, in order: inputs of the kernel, results of its reductions, a pair of
 * accumulators per reduction (value, position), the position in the row (I32 or I64), kept values.
 */
final class RowStages {
  /** Least cost of a value that is kept rather than recomputed, in nanoseconds per element. */
  private static final double WORTH_KEEPING = 0.15;

  private static final KernelCache<Key, RowStages> CACHE =
      new KernelCache<>(StripCache.CAPACITY, null);

  /** Counters of the cache of cut tapes, apart from those of compiled kernels. */
  private static final CacheCounters COUNTERS = new CacheCounters();

  /**
   * Key of cut tapes: everything that the cut depends on.
   *
   * @param outputs tape output by store
   * @param perRow by store, true if it is made once per row
   * @param keep true if rows are short enough to keep values between stages
   * @param wide true if positions need 64 bits
   */
  record Key(
      Tape tape,
      int inputs,
      List<Reduction> reductions,
      List<Integer> outputs,
      List<Boolean> perRow,
      boolean keep,
      boolean wide) {
    Key {
      reductions = List.copyOf(reductions);
      outputs = List.copyOf(outputs);
      perRow = List.copyOf(perRow);
    }

    static Key of(Kernel.Row kernel, boolean keep, boolean wide) {
      return new Key(
          kernel.tape(),
          kernel.inputs().size(),
          kernel.reductions(),
          kernel.stores().stream().map(Kernel.Store::output).toList(),
          kernel.stores().stream().map(Kernel.Store::perRow).toList(),
          keep,
          wide);
    }
  }

  /**
   * One pass over a row.
   *
   * @param tape its outputs are, in order, the next accumulator of each reduction (and its
   *     position), the kept values written, the stores
   * @param reductions reductions computed in this stage
   * @param written kept values written in this stage
   * @param stores element stores of the kernel made in this stage
   */
  record Stage(Tape tape, List<Integer> reductions, List<Integer> written, List<Integer> stores) {}

  final List<Stage> stages = new ArrayList<>();

  /** Types of the kept values. */
  final List<ScalarType> keptTypes = new ArrayList<>();

  /**
   * Tape of the per-row stores, one output each; null if there are none. Its result inputs have
   * packed types ({@link Pack#packed}).
   */
  final Tape epilogue;

  private final Key key;
  private final Tape tape;
  private final int[] level;
  private final boolean[] uniform;
  private final int[] keptAs;

  /** Returns the stages of a row kernel; all devices of the process share cut tapes. */
  static RowStages of(Key key, String name) {
    return CACHE.get(key, name, RowStages::new, COUNTERS);
  }

  private RowStages(Key key) {
    this.key = key;
    this.tape = key.tape();
    this.level = levels();
    this.uniform = uniform();
    this.keptAs = new int[tape.size()];
    java.util.Arrays.fill(keptAs, -1);
    int last = 0;
    for (Reduction r : key.reductions()) {
      last = Math.max(last, level[tape.outputs().get(r.output())]);
    }
    for (int s = 0; s < key.outputs().size(); s++) {
      if (!key.perRow().get(s)) {
        last = Math.max(last, level[tape.outputs().get(key.outputs().get(s))]);
      }
    }
    var roots = new ArrayList<List<Integer>>();
    for (int s = 0; s <= last; s++) {
      roots.add(roots(s));
    }
    if (key.keep()) {
      chooseKept(roots);
    }
    int[] writtenBy = writers(roots);
    for (int s = 0; s <= last; s++) {
      stages.add(stage(s, writtenBy));
    }
    epilogue = key.perRow().contains(true) ? epilogue() : null;
  }

  int resultSlot(int k) {
    return key.inputs() + k;
  }

  int accumulatorSlot(int k) {
    return key.inputs() + key.reductions().size() + 2 * k;
  }

  /** Slot of the position in the row, which is I32 or I64 as the key says. */
  int positionSlot() {
    return key.inputs() + 3 * key.reductions().size();
  }

  int keptSlot(int id) {
    return positionSlot() + 1 + id;
  }

  int slots() {
    return keptSlot(keptTypes.size());
  }

  ScalarType positionType() {
    return key.wide() ? ScalarType.I64 : ScalarType.I32;
  }

  /**
   * Returns for each row of the tape the stage that can compute it: the length of the longest chain
   * of results below it.
   */
  private int[] levels() {
    int[] levels = new int[tape.size()];
    for (int row = 0; row < levels.length; row++) {
      int self = row;
      if (tape.node(row) instanceof Node.Input in && in.slot() >= key.inputs()) {
        Reduction r = key.reductions().get(in.slot() - key.inputs());
        levels[row] = levelOfReduction(levels, r, row) + 1;
      } else {
        tape.node(row)
            .forEachOperand(operand -> levels[self] = Math.max(levels[self], levels[operand]));
      }
    }
    return levels;
  }

  /**
   * Returns the level of a reduced value. The value may come later in the tape than a use of
   * another result, so that its level is not known yet.
   */
  private int levelOfReduction(int[] levels, Reduction r, int before) {
    int root = tape.outputs().get(r.output());
    return root < before ? levels[root] : depth(root);
  }

  /** Returns for each row of the tape true if it depends on results and constants only. */
  private boolean[] uniform() {
    boolean[] uniform = new boolean[tape.size()];
    for (int row = 0; row < uniform.length; row++) {
      int self = row;
      switch (tape.node(row)) {
        case Node.Const _ -> uniform[row] = true;
        case Node.Input in -> uniform[row] = in.slot() >= key.inputs();
        case Node.Apply n -> {
          uniform[row] = true;
          n.forEachOperand(operand -> uniform[self] &= uniform[operand]);
        }
        case Node.Call _, Node.Random _ -> {}
      }
    }
    return uniform;
  }

  private int depth(int row) {
    boolean[] seen = new boolean[tape.size()];
    seen[row] = true;
    int deepest = 0;
    for (int k = row; k >= 0; k--) {
      if (!seen[k]) {
        continue;
      }
      if (tape.node(k) instanceof Node.Input in && in.slot() >= key.inputs()) {
        Reduction r = key.reductions().get(in.slot() - key.inputs());
        deepest = Math.max(deepest, 1 + depth(tape.outputs().get(r.output())));
      }
      tape.node(k).forEachOperand(operand -> seen[operand] = true);
    }
    return deepest;
  }

  private List<Integer> roots(int stage) {
    var roots = new ArrayList<Integer>();
    for (Reduction r : key.reductions()) {
      int row = tape.outputs().get(r.output());
      if (level[row] == stage) {
        roots.add(row);
      }
    }
    for (int s = 0; s < key.outputs().size(); s++) {
      int row = tape.outputs().get(key.outputs().get(s));
      if (!key.perRow().get(s) && level[row] == stage) {
        roots.add(row);
      }
    }
    return roots;
  }

  /** Chooses the values that later stages read from scratch instead of recomputing them. */
  private void chooseKept(List<List<Integer>> roots) {
    boolean[] computed = new boolean[tape.size()];
    for (int s = 0; s < roots.size(); s++) {
      boolean[] needed = new boolean[tape.size()];
      for (int root : roots.get(s)) {
        needed[root] = true;
      }
      for (int row = tape.size() - 1; row >= 0; row--) {
        if (!needed[row]) {
          continue;
        }
        boolean keep =
            computed[row]
                && tape.node(row).type() != ScalarType.BOOL
                && (keptAs[row] >= 0 || costOf(row) >= WORTH_KEEPING);
        if (keep && keptAs[row] < 0) {
          keptAs[row] = keptTypes.size();
          keptTypes.add(tape.node(row).type());
        }
        if (!keep) {
          tape.node(row).forEachOperand(operand -> needed[operand] = true);
        }
      }
      for (int row = 0; row < needed.length; row++) {
        computed[row] |= needed[row];
      }
    }
  }

  /**
   * Cost of computing a row for one element, in nanoseconds; operands that are uniform over the
   * elements are free.
   */
  private double costOf(int root) {
    boolean[] seen = new boolean[tape.size()];
    seen[root] = true;
    double sum = 0;
    for (int row = root; row >= 0; row--) {
      if (seen[row] && !uniform[row]) {
        sum += Cost.of(tape.node(row));
        tape.node(row).forEachOperand(operand -> seen[operand] = true);
      }
    }
    return sum;
  }

  /** Returns for each kept value the first stage that computes it. */
  private int[] writers(List<List<Integer>> roots) {
    int[] writtenBy = new int[keptTypes.size()];
    java.util.Arrays.fill(writtenBy, -1);
    for (int s = 0; s < roots.size(); s++) {
      boolean[] needed = new boolean[tape.size()];
      for (int root : roots.get(s)) {
        needed[root] = true;
      }
      for (int row = tape.size() - 1; row >= 0; row--) {
        if (!needed[row]) {
          continue;
        }
        int id = keptAs[row];
        if (id >= 0 && writtenBy[id] < 0) {
          writtenBy[id] = s;
        }
        if (id < 0 || writtenBy[id] == s) {
          tape.node(row).forEachOperand(operand -> needed[operand] = true);
        }
      }
    }
    return writtenBy;
  }

  private Stage stage(int s, int[] writtenBy) {
    var out = new TapeBuilder();
    int[] map = new int[tape.size()];
    java.util.Arrays.fill(map, -1);
    var outputs = new ArrayList<Integer>();
    var reductions = new ArrayList<Integer>();
    for (int k = 0; k < key.reductions().size(); k++) {
      Reduction r = key.reductions().get(k);
      int row = tape.outputs().get(r.output());
      if (level[row] == s) {
        reductions.add(k);
        accumulate(out, k, r, copy(out, map, row, s, writtenBy), outputs);
      }
    }
    var written = new ArrayList<Integer>();
    for (int row = 0; row < tape.size(); row++) {
      if (keptAs[row] >= 0 && writtenBy[keptAs[row]] == s) {
        written.add(keptAs[row]);
        outputs.add(copy(out, map, row, s, writtenBy));
      }
    }
    var stores = new ArrayList<Integer>();
    for (int k = 0; k < key.outputs().size(); k++) {
      int row = tape.outputs().get(key.outputs().get(k));
      if (!key.perRow().get(k) && level[row] == s) {
        stores.add(k);
        outputs.add(copy(out, map, row, s, writtenBy));
      }
    }
    int[] rows = outputs.stream().mapToInt(i -> i).toArray();
    return new Stage(out.build(rows), reductions, written, stores);
  }

  private void accumulate(TapeBuilder out, int k, Reduction r, int x, List<Integer> outputs) {
    int slot = accumulatorSlot(k);
    ScalarType type = Fold.accumulated(r);
    int acc = out.input(slot, type);
    switch (r.kind()) {
      case SUM, ROW_SUM -> outputs.add(out.apply(Op.ADD, acc, out.convert(x, type)));
      case PROD -> outputs.add(out.apply(Op.MUL, acc, out.convert(x, type)));
      case MAX -> outputs.add(out.apply(Op.MAX, acc, x));
      case MIN -> outputs.add(out.apply(Op.MIN, acc, x));
      case ANY -> outputs.add(out.apply(Op.OR, acc, out.convert(x, ScalarType.I32)));
      case ALL -> outputs.add(out.apply(Op.AND, acc, out.convert(x, ScalarType.I32)));
      case LAMBDA -> {
        int left = r.type() == ScalarType.BOOL ? out.convert(acc, ScalarType.BOOL) : acc;
        int next = out.inline(r.combine().orElseThrow(), left, x)[0];
        outputs.add(r.type() == ScalarType.BOOL ? out.convert(next, ScalarType.I32) : next);
      }
      case ARGMAX, ARGMIN -> {
        int at = out.input(slot + 1, positionType());
        int position = out.input(positionSlot(), positionType());
        int value = r.type() == ScalarType.BOOL ? out.convert(x, ScalarType.I32) : x;
        int better = better(out, r.kind() == Reduction.Kind.ARGMAX, type, value, acc);
        outputs.add(out.apply(Op.SELECT, better, value, acc));
        outputs.add(out.apply(Op.SELECT, better, position, at));
      }
    }
  }

  /**
   * Returns true if a value replaces that of an accumulator: the first NaN replaces all numbers.
   */
  private static int better(TapeBuilder out, boolean max, ScalarType type, int value, int acc) {
    if (!type.isFloat()) {
      return out.apply(max ? Op.GT : Op.LT, value, acc);
    }
    int worse = out.apply(max ? Op.LE : Op.GE, value, acc);
    return out.apply(Op.AND, out.apply(Op.NOT, worse), out.apply(Op.EQ, acc, acc));
  }

  /**
   * Copies row {@code root} of the kernel's tape and its operands; kept values of earlier stages
   * become inputs.
   */
  private int copy(TapeBuilder out, int[] map, int root, int stage, int[] writtenBy) {
    boolean[] needed = new boolean[tape.size()];
    needed[root] = true;
    for (int row = root; row >= 0; row--) {
      if (needed[row] && map[row] < 0 && !readsKept(row, stage, writtenBy)) {
        tape.node(row).forEachOperand(operand -> needed[operand] = true);
      }
    }
    for (int row = 0; row <= root; row++) {
      if (needed[row] && map[row] < 0) {
        map[row] =
            readsKept(row, stage, writtenBy)
                ? out.input(keptSlot(keptAs[row]), tape.node(row).type())
                : out.intern(TapeBuilder.renumber(tape.node(row), map));
      }
    }
    return map[root];
  }

  private boolean readsKept(int row, int stage, int[] writtenBy) {
    return keptAs[row] >= 0 && writtenBy[keptAs[row]] < stage;
  }

  private Tape epilogue() {
    var out = new TapeBuilder();
    int[] map = new int[tape.size()];
    for (int row = 0; row < tape.size(); row++) {
      Node node = tape.node(row);
      boolean result = node instanceof Node.Input in && in.slot() >= key.inputs();
      map[row] =
          result
              ? out.convert(
                  out.input(((Node.Input) node).slot(), Pack.packed(node.type())), node.type())
              : out.intern(TapeBuilder.renumber(node, map));
    }
    var outputs = new ArrayList<Integer>();
    for (int s = 0; s < key.outputs().size(); s++) {
      if (key.perRow().get(s)) {
        outputs.add(map[tape.outputs().get(key.outputs().get(s))]);
      }
    }
    return out.build(outputs.stream().mapToInt(i -> i).toArray());
  }
}
