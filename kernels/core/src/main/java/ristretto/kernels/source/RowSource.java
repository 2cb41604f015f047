package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Tape;

/**
 * Reductions and maps over rows, in phases: reductions that need no other's result, then those that
 * need theirs, and at last the stores. Many rows: each belongs to some lanes of a work group
 * ({@link #together}). Few long rows: they are cut in chunks that groups share ({@link #apart}).
 */
final class RowSource {
  private final Build build;
  private final Kernel.Row kernel;
  private final Tape tape;
  private final Space space;
  private final long[] kept;
  private final long[] reduced;
  private final long rows;
  private final long length;
  private final List<Accumulator> accumulators = new ArrayList<>();
  private final int[] phases;
  private final BitSet varying = new BitSet();

  RowSource(Build build, Kernel.Row kernel) {
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
  }

  /** Rows of the tape that differ, or are read from memory, for each element of a row. */
  private void findVarying(int before) {
    for (int row = 0; row < tape.size(); row++) {
      if (tape.node(row) instanceof Node.Input in) {
        if (in.slot() < kernel.inputs().size()) {
          varying.set(
              row,
              switch (kernel.inputs().get(in.slot())) {
                case Operand.Value _ -> false;
                case Operand.Memory _ -> true;
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

  private int[] phases() {
    int[] phase = new int[tape.size()];
    int[] result = new int[kernel.reductions().size()];
    // Results are needed by later reductions only, but by rows at any place of the tape.
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

  private List<Integer> inPhase(int phase) {
    var all = new ArrayList<Integer>();
    for (int k = 0; k < phases.length; k++) {
      if (phases[k] == phase) {
        all.add(k);
      }
    }
    return all;
  }

  private int phaseCount() {
    return Arrays.stream(phases).max().orElse(-1) + 1;
  }

  void render() {
    if (rows == 0) {
      return;
    }
    Lanes lanes = Lanes.of(build.target, rows, length, accumulators);
    if (lanes.chunks() > 1) {
      apart(lanes);
    } else {
      together(lanes);
    }
  }

  // ---- one kernel ---------------------------------------------------------------------------

  private void together(Lanes lanes) {
    Entry entry = build.entry("ristretto_row");
    Code code = entry.body;
    String type = entry.index();
    lanes.declareRow(entry, rows);
    String count = entry.constant(length);
    List<String> variables = new ArrayList<>(Reader.unravel(entry, code, "i", "row", kept));
    for (int k = 0; k < accumulators.size(); k++) {
      code.line(Literal.type(accumulators.get(k).result()) + " r" + k + ";");
    }
    code.line("const " + type + " count = inside ? " + count + " : 0;");
    Reader reader = reader(entry, variables);
    Body body = body(entry, reader);
    for (int phase = 0; phase < phaseCount(); phase++) {
      List<Integer> members = inPhase(phase);
      code.open("");
      accumulate(entry, body, members, lanes, "0", "count");
      lanes.fold(entry, accumulators, members);
      for (int k : members) {
        code.line("r" + k + " = " + accumulators.get(k).value("a" + k) + ";");
      }
      code.close();
    }
    storeElements(entry, reader, body, lanes);
    storeRow(entry, reader, body, lanes);
    build.groups(entry, Build.ceil(rows, lanes.rows()), lanes.group());
  }

  private Reader reader(Entry entry, List<String> keptVariables) {
    var variables = new ArrayList<String>(keptVariables);
    for (int d = 0; d < reduced.length; d++) {
      variables.add(reduced.length == 1 ? "j" : "j" + d);
    }
    return new Reader(entry, space, kernel.extents().toArray(), variables);
  }

  private Body body(Entry entry, Reader reader) {
    int inputs = kernel.inputs().size();
    return new Body(
        entry.body,
        tape,
        build.functions,
        slot -> slot < inputs ? reader.input(kernel.inputs().get(slot)) : "r" + (slot - inputs));
  }

  /** Accumulators a0, a1, ... of the elements from {@code first} up to {@code end}. */
  private void accumulate(
      Entry entry, Body body, List<Integer> members, Lanes lanes, String first, String end) {
    Code code = entry.body;
    BitSet rowsNeeded =
        body.needed(
            members.stream()
                .map(k -> tape.outputs().get(kernel.reductions().get(k).output()))
                .toList());
    emitSame(body, rowsNeeded);
    for (int k : members) {
      code.line(accumulators.get(k).type() + " a" + k + " = " + accumulators.get(k).start() + ";");
    }
    lanes.loop(entry, members.stream().anyMatch(k -> accumulators.get(k).ordered()), first, end);
    Reader.unravel(entry, code, "j", "j", reduced);
    emitVarying(body, rowsNeeded);
    for (int k : members) {
      Accumulator a = accumulators.get(k);
      String value = body.value(tape.outputs().get(kernel.reductions().get(k).output()));
      code.line("a" + k + " = " + a.merged("a" + k, a.of(value, "j"), build.functions) + ";");
    }
    code.close();
  }

  private void emitSame(Body body, BitSet rowsNeeded) {
    var same = (BitSet) rowsNeeded.clone();
    same.andNot(varying);
    body.emit(same);
  }

  private void emitVarying(Body body, BitSet rowsNeeded) {
    var other = (BitSet) rowsNeeded.clone();
    other.and(varying);
    body.emit(other);
  }

  private List<Kernel.Store> stores(boolean perRow) {
    return kernel.stores().stream().filter(s -> s.perRow() == perRow).toList();
  }

  private void storeElements(Entry entry, Reader reader, Body body, Lanes lanes) {
    List<Kernel.Store> stores = stores(false);
    if (stores.isEmpty()) {
      return;
    }
    Code code = entry.body;
    code.open("");
    BitSet rowsNeeded =
        body.needed(stores.stream().map(s -> tape.outputs().get(s.output())).toList());
    emitSame(body, rowsNeeded);
    lanes.loop(entry, false, "0", "count");
    Reader.unravel(entry, code, "j", "j", reduced);
    emitVarying(body, rowsNeeded);
    for (Kernel.Store s : stores) {
      code.line(reader.store(s.target(), body.value(tape.outputs().get(s.output()))));
    }
    code.close();
    code.close();
  }

  /** Once all of the row was read. */
  private void storeRow(Entry entry, Reader reader, Body body, Lanes lanes) {
    if (stores(true).isEmpty()) {
      return;
    }
    lanes.barrier(entry);
    entry.body.open("if (inside && lane == 0)");
    storeRow(entry, reader, body);
    entry.body.close();
  }

  private void storeRow(Entry entry, Reader reader, Body body) {
    Code code = entry.body;
    // What is stored once a row is the same at all elements: the first one will do.
    for (int d = 0; d < reduced.length; d++) {
      String variable = reduced.length == 1 ? "j" : "j" + d;
      code.line("const " + entry.index() + " " + variable + " = 0;");
    }
    List<Kernel.Store> stores = stores(true);
    BitSet rowsNeeded =
        body.needed(stores.stream().map(s -> tape.outputs().get(s.output())).toList());
    body.emit(rowsNeeded);
    for (Kernel.Store s : stores) {
      code.line(reader.store(s.target(), body.value(tape.outputs().get(s.output()))));
    }
  }

  // ---- chunks -------------------------------------------------------------------------------

  /**
   * For each phase one kernel that accumulates every chunk of every row, and one that combines the
   * chunks of a row; then kernels for the stores.
   */
  private void apart(Lanes lanes) {
    var parts = new ArrayList<Integer>();
    var results = new ArrayList<Integer>();
    for (Accumulator a : accumulators) {
      parts.add(build.scratch(rows * lanes.chunks() * a.bytes()));
      results.add(build.scratch(rows * 8));
    }
    for (int phase = 0; phase < phaseCount(); phase++) {
      List<Integer> members = inPhase(phase);
      accumulateChunks(lanes, phase, members, parts, results);
      combineChunks(lanes, phase, members, parts, results);
    }
    if (!stores(false).isEmpty()) {
      storeAllElements(results);
    }
    if (!stores(true).isEmpty()) {
      storeAllRows(results);
    }
  }

  /** Declares r0, r1, ... of the phases before {@code phase}. */
  private void readResults(Entry entry, int phase, List<Integer> results) {
    for (int k = 0; k < phases.length; k++) {
      if (phases[k] < phase) {
        String type = Literal.type(accumulators.get(k).result());
        String from = entry.scratch(type, results.get(k), false);
        entry.body.line("const " + type + " r" + k + " = " + from + "[row];");
      }
    }
  }

  private void accumulateChunks(
      Lanes lanes, int phase, List<Integer> members, List<Integer> parts, List<Integer> results) {
    Entry entry = build.entry("ristretto_row_chunks" + phase);
    Code code = entry.body;
    String type = entry.index();
    String chunks = entry.constant(lanes.chunks());
    String size = entry.constant(lanes.chunkLength());
    String count = entry.constant(length);
    code.line("const i32 lane = (i32) LANE;");
    code.line("const " + type + " chunk = (" + type + ") GROUP(0) % " + chunks + ";");
    code.line("const " + type + " row = (" + type + ") GROUP(0) / " + chunks + ";");
    List<String> variables = Reader.unravel(entry, code, "i", "row", kept);
    readResults(entry, phase, results);
    code.line("const " + type + " first = chunk * " + size + ";");
    code.line(
        "const "
            + type
            + " end = first + "
            + size
            + " < "
            + count
            + " ? first + "
            + size
            + " : "
            + count
            + ";");
    Body body = body(entry, reader(entry, variables));
    accumulate(entry, body, members, lanes, "first", "end");
    lanes.fold(entry, accumulators, members);
    code.open("if (lane == 0)");
    for (int k : members) {
      String part = entry.scratch(accumulators.get(k).type(), parts.get(k), true);
      code.line(part + "[row * " + chunks + " + chunk] = a" + k + ";");
    }
    code.close();
    build.groups(entry, rows * lanes.chunks(), lanes.lanes());
  }

  private void combineChunks(
      Lanes lanes, int phase, List<Integer> members, List<Integer> parts, List<Integer> results) {
    Entry entry = build.entry("ristretto_row_combine" + phase);
    Code code = entry.body;
    String type = entry.index();
    String chunks = entry.constant(lanes.chunks());
    code.line("const i32 lane = (i32) LANE;");
    code.line("const " + type + " row = (" + type + ") GROUP(0);");
    for (int k : members) {
      code.line(accumulators.get(k).type() + " a" + k + " = " + accumulators.get(k).start() + ";");
    }
    lanes.loop(entry, true, "0", chunks);
    for (int k : members) {
      Accumulator a = accumulators.get(k);
      String part = entry.scratch(a.type(), parts.get(k), false) + "[row * " + chunks + " + j]";
      code.line("a" + k + " = " + a.merged("a" + k, part, build.functions) + ";");
    }
    code.close();
    lanes.fold(entry, accumulators, members);
    code.open("if (lane == 0)");
    for (int k : members) {
      Accumulator a = accumulators.get(k);
      String to = entry.scratch(Literal.type(a.result()), results.get(k), true);
      code.line(to + "[row] = " + a.value("a" + k) + ";");
    }
    code.close();
    build.groups(entry, rows, lanes.lanes());
  }

  private void storeAllElements(List<Integer> results) {
    Entry entry = build.entry("ristretto_row_elements");
    long[] all = new long[] {rows, length};
    List<String> point = build.points(entry, all, "p");
    Code code = entry.body;
    code.line("const " + entry.index() + " row = " + point.get(0) + ";");
    code.line("const " + entry.index() + " j = " + point.get(1) + ";");
    List<String> variables = Reader.unravel(entry, code, "i", "row", kept);
    Reader.unravel(entry, code, "j", "j", reduced);
    readResults(entry, Integer.MAX_VALUE, results);
    Reader reader = reader(entry, variables);
    Body body = body(entry, reader);
    List<Kernel.Store> stores = stores(false);
    body.emit(body.needed(stores.stream().map(s -> tape.outputs().get(s.output())).toList()));
    for (Kernel.Store s : stores) {
      code.line(reader.store(s.target(), body.value(tape.outputs().get(s.output()))));
    }
    code.close();
    build.launchPoints(entry, all);
  }

  private void storeAllRows(List<Integer> results) {
    Entry entry = build.entry("ristretto_row_results");
    List<String> point = build.points(entry, new long[] {rows}, "p");
    entry.body.line("const " + entry.index() + " row = " + point.getFirst() + ";");
    List<String> variables = Reader.unravel(entry, entry.body, "i", "row", kept);
    readResults(entry, Integer.MAX_VALUE, results);
    Reader reader = reader(entry, variables);
    storeRow(entry, reader, body(entry, reader));
    entry.body.close();
    build.launchPoints(entry, new long[] {rows});
  }
}
