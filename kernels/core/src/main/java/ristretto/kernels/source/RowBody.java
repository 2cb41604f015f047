package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Tape;

/**
 * Code shared by the forms of a Row kernel: accumulation, stores, and the phases of reductions. A
 * reduction is in the phase after the reductions whose results it uses.
 */
final class RowBody {
  final Build build;
  private final Kernel.Row kernel;
  final Tape tape;
  private final Space space;
  final long[] kept;
  final long[] reduced;
  final long rows;
  final long length;
  final List<Accumulator> accumulators = new ArrayList<>();
  final int[] phases;
  final BitSet varying = new BitSet();

  /** Operands that are accessed in vectors along a row. */
  final Vectors vectors;

  RowBody(Build build, Kernel.Row kernel) {
    this.build = build;
    this.kernel = kernel;
    this.tape = build.lowered(kernel.tape());
    long[] extents = kernel.extents().toArray();
    var operands = new ArrayList<Operand>(kernel.inputs());
    kernel.stores().forEach(s -> operands.add(s.target()));
    space =
        Space.of(
            extents, Space.maps(operands), Space.bounded(extents, kernel.inputs()), kernel.kept());
    int before = space.before(kernel.kept());
    kept = Arrays.copyOf(space.extents, before);
    reduced = Arrays.copyOfRange(space.extents, before, space.extents.length);
    rows = Build.product(kept);
    length = Build.product(reduced);
    kernel
        .reductions()
        .forEach(r -> accumulators.add(Accumulator.of(r, build.target.wide(), build.functions)));
    findVarying(before);
    phases = phases();
    vectors =
        reduced.length == 0
            ? Vectors.of(space, extents, List.of(), List.of())
            : Vectors.of(space, extents, kernel.inputs(), targets(false));
  }

  /** Finds the tape rows whose values vary within a row of the matrix. */
  private void findVarying(int before) {
    for (int row = 0; row < tape.size(); row++) {
      if (tape.node(row) instanceof Node.Input in) {
        if (in.slot() < kernel.inputs().size()) {
          varying.set(
              row,
              switch (kernel.inputs().get(in.slot())) {
                case Operand.Value _ -> false;
                case Operand.Memory m -> reachesReduced(m, before);
                case Operand.Index i -> {
                  long[] strides = space.strides(i.map());
                  yield Arrays.stream(strides, before, strides.length).anyMatch(s -> s != 0);
                }
              });
        }
      } else {
        int self = row;
        tape.node(row)
            .forEachOperand(operand -> {
              if (varying.get(operand)) {
                varying.set(self);
              }
            });
      }
    }
  }

  private boolean reachesReduced(Operand.Memory m, int before) {
    long[] full = kernel.extents().toArray();
    var maps = new ArrayList<>(List.of(m.map()));
    m.gather().ifPresent(g -> maps.add(g.map()));
    return maps.stream()
            .map(space::strides)
            .anyMatch(s -> Arrays.stream(s, before, s.length).anyMatch(stride -> stride != 0))
        || m.bounds().stream()
            .anyMatch(b -> b.dim() >= kernel.kept() && Space.excludes(b, full[b.dim()]));
  }

  private int[] phases() {
    int[] phase = new int[tape.size()];
    int[] result = new int[kernel.reductions().size()];
    // Only later reductions use a result, but their tape rows may be anywhere in the tape.
    for (int k = 0; k < result.length; k++) {
      Arrays.fill(phase, 0);
      for (int row = 0; row < phase.length; row++) {
        int self = row;
        if (tape.node(row) instanceof Node.Input in && in.slot() >= kernel.inputs().size()) {
          int needed = in.slot() - kernel.inputs().size();
          phase[row] = needed < k ? result[needed] + 1 : 0;
        }
        tape.node(row).forEachOperand(o -> phase[self] = Math.max(phase[self], phase[o]));
      }
      result[k] = phase[tape.outputs().get(kernel.reductions().get(k).output())];
    }
    return result;
  }

  List<Integer> inPhase(int phase) {
    var all = new ArrayList<Integer>();
    for (int k = 0; k < phases.length; k++) {
      if (phases[k] == phase) {
        all.add(k);
      }
    }
    return all;
  }

  int phaseCount() {
    return Arrays.stream(phases).max().orElse(-1) + 1;
  }

  /** Returns the variable of reduced dimension {@code d}. */
  String variable(int d) {
    return reduced.length == 1 ? "j" : "j" + d;
  }

  /** Returns the tape row that reduction {@code k} reduces. */
  int term(int k) {
    return tape.outputs().get(kernel.reductions().get(k).output());
  }

  /** Returns true if the elements of a row are contiguous in most inputs. */
  boolean contiguous() {
    int near = 0;
    int far = 0;
    for (Operand operand : kernel.inputs()) {
      if (operand instanceof Operand.Memory m && reduced.length > 0) {
        long[] strides = space.strides(m.map());
        long stride = Math.abs(strides[strides.length - 1]);
        near += stride <= 1 ? 1 : 0;
        far += stride > 1 ? 1 : 0;
      }
    }
    return near >= far;
  }

  /**
   * Returns true if adjacent rows, rather than adjacent elements of a row, are contiguous in most
   * inputs.
   */
  boolean across() {
    if (kept.length == 0 || reduced.length == 0 || kept[kept.length - 1] < 8) {
      return false;
    }
    int along = 0;
    int across = 0;
    for (Operand operand : kernel.inputs()) {
      if (operand instanceof Operand.Memory m) {
        long[] strides = space.strides(m.map());
        long near = Math.abs(strides[strides.length - 1]);
        along += near == 1 ? 1 : 0;
        across += near > 1 && Math.abs(strides[kept.length - 1]) == 1 ? 1 : 0;
      }
    }
    return across > along;
  }

  List<Operand> inputs() {
    return kernel.inputs();
  }

  /** Targets of the stores that run for every element, or once per row. */
  List<Operand.Memory> targets(boolean perRow) {
    return stores(perRow).stream().map(Kernel.Store::target).toList();
  }

  /** Tape rows stored to {@link #targets}. */
  List<Integer> outputs(boolean perRow) {
    return stores(perRow).stream().map(s -> tape.outputs().get(s.output())).toList();
  }

  Reader reader(Entry entry, List<String> keptVariables) {
    return reader(entry, keptVariables, this::variable);
  }

  /**
   * Returns a reader at one element of a row.
   *
   * @param reducedVariable returns the variable of reduced dimension d
   */
  Reader reader(Entry entry, List<String> keptVariables, IntFunction<String> reducedVariable) {
    var variables = new ArrayList<String>(keptVariables);
    for (int d = 0; d < reduced.length; d++) {
      variables.add(reducedVariable.apply(d));
    }
    return new Reader(entry, space, kernel.extents().toArray(), variables);
  }

  Body body(Entry entry, Reader reader) {
    int inputs = kernel.inputs().size();
    return new Body(
        entry.body,
        tape,
        build.functions,
        slot -> slot < inputs ? reader.input(kernel.inputs().get(slot)) : "r" + (slot - inputs));
  }

  /**
   * Returns a body with custom input expressions.
   *
   * @param inputs returns the expression of an input slot or, after the inputs, of a reduction's
   *     result
   */
  Body body(Entry entry, IntFunction<String> inputs) {
    return new Body(entry.body, tape, build.functions, inputs);
  }

  /** Accumulates the elements from {@code first} up to {@code end} into accumulators a0, a1, ... */
  void accumulate(
      Entry entry, Body body, List<Integer> members, Lanes lanes, String first, String end) {
    Code code = entry.body;
    BitSet rowsNeeded = body.needed(members.stream().map(this::term).toList());
    emitSame(body, rowsNeeded);
    for (int k : members) {
      accumulators.get(k).declare(code, "a" + k);
    }
    lanes.loop(entry, members.stream().anyMatch(k -> accumulators.get(k).ordered()), first, end);
    Reader.unravel(entry, code, "j", "j", reduced);
    emitVarying(body, rowsNeeded);
    for (int k : members) {
      accumulators.get(k).add(code, "a" + k, body.value(term(k)), "j");
    }
    code.close();
  }

  void emitSame(Body body, BitSet rowsNeeded) {
    var same = (BitSet) rowsNeeded.clone();
    same.andNot(varying);
    body.emit(same);
  }

  void emitVarying(Body body, BitSet rowsNeeded) {
    var other = (BitSet) rowsNeeded.clone();
    other.and(varying);
    body.emit(other);
  }

  List<Kernel.Store> stores(boolean perRow) {
    return kernel.stores().stream().filter(s -> s.perRow() == perRow).toList();
  }

  /** Tape rows on which the stores depend. */
  BitSet stored(Body body, boolean perRow) {
    return body.needed(stores(perRow).stream().map(s -> tape.outputs().get(s.output())).toList());
  }

  /** Renders the stores; their values must have been emitted. */
  void store(Entry entry, Reader reader, Body body, boolean perRow) {
    for (Kernel.Store s : stores(perRow)) {
      entry.body.line(reader.store(s.target(), body.value(tape.outputs().get(s.output()))));
    }
  }

  /**
   * Renders the stores that run once per row. Their values are equal at all elements, so they are
   * computed at the first one.
   */
  void storeRow(Entry entry, Reader reader, Body body) {
    for (int d = 0; d < reduced.length; d++) {
      entry.body.line("const " + entry.index() + " " + variable(d) + " = 0;");
    }
    body.emit(stored(body, true));
    store(entry, reader, body, true);
  }
}
