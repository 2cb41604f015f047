package ristretto.kernels.cpu.codegen;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.cpu.strip.StripSpec.Access;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Distributes the rows of a tape over segments. Each row has a kind (4-byte lanes, 8-byte lanes, or
 * scalar code for operations without vector code). A row's level is the least level of its kind at
 * or above its operands' levels, and {@link CutLevel} cuts each level into segments. Rows that
 * depend on an accumulator share one segment, the last.
 *
 * <p>Assumes an expanded tape without Random rows; guarantees that operands are computed in the
 * same or an earlier segment, and that no segment after the first store loads an input, so that
 * outputs may overwrite inputs in place.
 */
final class PlanSegments {
  /** Most operations of a short body. */
  static final int MAX_WHOLE = 64;

  /** Most 4-byte operations of a short body whose 8-byte operations only accumulate. */
  private static final int MAX_WIDENED = 6;

  private static final int NARROW = 0;
  private static final int WIDE = 1;
  private static final int SCALAR = 2;
  private static final int KINDS = 3;

  private final StripSpec spec;
  private final Tape tape;
  private final UseAnalysis uses;
  private final boolean vector;
  private final int[] kind;
  private final int[] level;
  private final boolean[] carried;

  private PlanSegments(StripSpec spec, Tape tape, boolean vector) {
    this.spec = spec;
    this.tape = tape;
    this.uses = new UseAnalysis(tape);
    this.vector = vector;
    this.kind = new int[tape.size()];
    this.level = new int[tape.size()];
    this.carried = new boolean[tape.size()];
  }

  static SegmentPlan apply(StripSpec spec, Tape tape, boolean vector) {
    return new PlanSegments(spec, tape, vector).plan();
  }

  private SegmentPlan plan() {
    var rows = new ArrayList<Integer>();
    for (int row = 0; row < tape.size(); row++) {
      if (uses.computed(row)) {
        rows.add(row);
      }
    }
    classify(rows);
    levels(rows);
    rows.sort(
        Comparator.<Integer>comparingInt(row -> level[row])
            .thenComparing(row -> carried[row])
            .thenComparingInt(row -> row));
    return allocate(cut(rows));
  }

  private void classify(List<Integer> rows) {
    boolean wideCarried = false;
    boolean scalarCarried = false;
    for (int row = 0; row < kind.length; row++) {
      int self = row;
      if (tape.node(row) instanceof Node.Input in) {
        carried[row] = spec.inputs().get(in.slot()) == Access.ACCUMULATE;
      }
      uses.forEachOperand(row, operand -> carried[self] |= carried[operand]);
      kind[row] = kindOf(row);
      if (carried[row] && uses.computed(row)) {
        wideCarried |= kind[row] == WIDE;
        scalarCarried |= kind[row] == SCALAR;
      }
    }
    int[] count = new int[KINDS];
    boolean sumsOnly = true;
    for (int row : rows) {
      if (carried[row]) {
        kind[row] = scalarCarried ? SCALAR : wideCarried ? WIDE : NARROW;
      }
      count[kind[row]]++;
      sumsOnly &= kind[row] != WIDE || carried[row] || widens(row);
    }
    int most = sumsOnly ? MAX_WIDENED : MAX_WHOLE - count[WIDE];
    if (count[WIDE] > 0 && count[NARROW] <= most) {
      // In short bodies, using all lanes for the 4-byte part is not worth a strip of scratch.
      for (int row : rows) {
        kind[row] = kind[row] == NARROW ? WIDE : kind[row];
      }
    }
  }

  private boolean widens(int row) {
    return tape.node(row) instanceof Node.Apply n
        && n.op() == Op.CONVERT
        && n.type() == ScalarType.F64
        && tape.node(n.a()).type() == ScalarType.F32;
  }

  private int kindOf(int row) {
    if (!vector) {
      return SCALAR;
    }
    boolean[] wide = {tape.node(row).type().bytes() == 8};
    uses.forEachOperand(row, operand -> wide[0] |= tape.node(operand).type().bytes() == 8);
    if (tape.node(row) instanceof Node.Call call) {
      wide[0] |= VectorFunctions.wide(call.function());
    }
    if (!VectorTapeCode.supports(tape, row)) {
      return SCALAR;
    }
    return wide[0] ? WIDE : NARROW;
  }

  private void levels(List<Integer> rows) {
    int last = 0;
    for (int row : rows) {
      int[] least = {kind[row]};
      uses.forEachOperand(
          row,
          operand -> {
            if (uses.computed(operand)) {
              least[0] = Math.max(least[0], atLeast(level[operand], kind[row]));
            }
          });
      level[row] = least[0];
      last = Math.max(last, carried[row] ? least[0] : level[row]);
    }
    for (int row : rows) {
      if (carried[row]) {
        level[row] = atLeast(last, kind[row]);
      }
    }
  }

  /** Returns the least level of kind {@code kind} at or above {@code level}. */
  private static int atLeast(int level, int kind) {
    return level + Math.floorMod(kind - level, KINDS);
  }

  private List<List<Integer>> cut(List<Integer> rows) {
    var groups = new ArrayList<List<Integer>>();
    int from = 0;
    while (from < rows.size()) {
      int to = from;
      int chain = 0;
      while (to < rows.size() && level[rows.get(to)] == level[rows.get(from)]) {
        chain += carried[rows.get(to)] ? 1 : 0;
        to++;
      }
      cutLevel(rows.subList(from, to), chain, groups);
      from = to;
    }
    if (groups.isEmpty()) {
      groups.add(new ArrayList<>());
    }
    return groups;
  }

  /** Cuts one level. Its last {@code chain} rows depend on accumulators and stay together. */
  private void cutLevel(List<Integer> rows, int chain, List<List<Integer>> groups) {
    boolean scalar = kind[rows.getFirst()] == SCALAR;
    int operations =
        scalar
            ? rows.stream().mapToInt(row -> FusedMultiplyAdd.operations(tape.node(row))).sum()
            : rows.size();
    if (chain > 0 && operations <= MAX_WHOLE) {
      groups.add(new ArrayList<>(rows));
      return;
    }
    int free = rows.size() - chain;
    groups.addAll(CutLevel.apply(spec, tape, uses, scalar, rows.subList(0, free)));
    if (chain > 0) {
      groups.add(new ArrayList<>(rows.subList(free, rows.size())));
    }
  }

  private SegmentPlan allocate(List<List<Integer>> groups) {
    int[] segmentOf = new int[tape.size()];
    int[] lastUse = new int[tape.size()];
    Arrays.fill(segmentOf, -1);
    Arrays.fill(lastUse, -1);
    int lastLoad = 0;
    for (int s = 0; s < groups.size(); s++) {
      for (int row : groups.get(s)) {
        segmentOf[row] = s;
      }
    }
    for (int s = 0; s < groups.size(); s++) {
      int segment = s;
      for (int row : groups.get(s)) {
        int[] load = {-1};
        uses.forEachOperand(
            row,
            operand -> {
              lastUse[operand] = Math.max(lastUse[operand], segment);
              load[0] = unit(operand) ? segment : load[0];
            });
        lastLoad = Math.max(lastLoad, load[0]);
      }
    }
    var stores = new ArrayList<List<Integer>>();
    groups.forEach(_ -> stores.add(new ArrayList<>()));
    int accumulators = carriedSegment(groups);
    for (int k = 0; k < spec.stores().size(); k++) {
      int row = tape.outputs().get(k);
      int s =
          spec.stores().get(k) == StripSpec.STORE
              ? Math.max(segmentOf[row], lastLoad)
              : accumulators;
      stores.get(s).add(k);
      lastUse[row] = Math.max(lastUse[row], s);
    }
    var slots = new HashMap<Integer, Integer>();
    int bytes = slots(groups, lastUse, slots);
    var segments = new ArrayList<Segment>();
    for (int s = 0; s < groups.size(); s++) {
      boolean carries = s == accumulators;
      int lanes = lanes(groups.get(s), stores.get(s), carries);
      segments.add(
          new Segment(lanes > 0, Math.max(1, lanes), groups.get(s), stores.get(s), carries));
    }
    return new SegmentPlan(spec, tape, uses, List.copyOf(segments), Map.copyOf(slots), bytes);
  }

  private boolean unit(int row) {
    return tape.node(row) instanceof Node.Input in
        && (spec.inputs().get(in.slot()) == Access.UNIT
            || spec.inputs().get(in.slot()) == Access.GATHERED);
  }

  private int carriedSegment(List<List<Integer>> groups) {
    if (!spec.inputs().contains(Access.ACCUMULATE)) {
      return -1;
    }
    return groups.size() - 1;
  }

  /** Bytes for the last elements of a row, behind the calls' area: one vector area per pointer. */
  private int restBytes() {
    return (spec.inputs().size() + spec.stores().size()) * TailCopy.AREA_BYTES;
  }

  /**
   * Assigns scratch strips to crossing rows and returns the bytes of the scratch. A strip is reused
   * after the last segment that reads it.
   */
  private int slots(List<List<Integer>> groups, int[] lastUse, Map<Integer, Integer> slots) {
    var free = Map.of(4, new PriorityQueue<Integer>(), 8, new PriorityQueue<Integer>());
    var release = new ArrayList<List<Integer>>();
    groups.forEach(_ -> release.add(new ArrayList<>()));
    int bytes = vector ? VectorFunctions.areaBytes(tape) + restBytes() : 0;
    for (int s = 0; s < groups.size(); s++) {
      if (s > 0) {
        for (int row : release.get(s - 1)) {
          free.get(slotType(row).bytes()).add(slots.get(row));
        }
      }
      for (int row : groups.get(s)) {
        if (lastUse[row] > s) {
          int size = slotType(row).bytes();
          Integer slot = free.get(size).poll();
          if (slot == null) {
            slot = bytes;
            // 192 bytes of padding keep strips from aliasing at multiples of 4096 bytes.
            bytes += Strip.LENGTH * size + 192;
          }
          slots.put(row, slot);
          release.get(lastUse[row]).add(row);
        }
      }
    }
    return bytes;
  }

  private ScalarType slotType(int row) {
    return Descriptors.memoryType(tape.node(row).type());
  }

  /** Returns the lanes of a vector segment, 0 for a scalar one. */
  private int lanes(List<Integer> rows, List<Integer> stores, boolean carries) {
    boolean[] scalar = {!vector};
    int[] widest = {1};
    for (int row : rows) {
      scalar[0] |= kind[row] == SCALAR;
      widest[0] = Math.max(widest[0], kind[row] == WIDE ? 8 : 4);
      widest[0] = Math.max(widest[0], tape.node(row).type().bytes());
      uses.forEachOperand(row, o -> widest[0] = Math.max(widest[0], tape.node(o).type().bytes()));
    }
    for (int k : stores) {
      widest[0] = Math.max(widest[0], tape.outputType(k).bytes());
    }
    if (carries) {
      for (int slot = 0; slot < spec.inputs().size(); slot++) {
        if (spec.inputs().get(slot) == Access.ACCUMULATE && spec.stores().contains(slot)) {
          widest[0] = Math.max(widest[0], spec.inputType(slot).bytes());
        }
      }
    }
    if (scalar[0]) {
      return 0;
    }
    return VectorHardware.lanes(widest[0] == 8 ? ScalarType.F64 : ScalarType.F32);
  }
}
