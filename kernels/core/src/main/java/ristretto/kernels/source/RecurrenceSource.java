package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Tape;

/** Renders recurrences: a work item per lane, with the states in variables. */
final class RecurrenceSource {
  private RecurrenceSource() {}

  static void render(Build build, Kernel.Recurrence k) {
    if (k.steps() * k.lanes() == 0) {
      return;
    }
    long[] full = {k.steps(), k.lanes()};
    Tape tape = build.lowered(k.tape());
    var operands = new ArrayList<Operand>(k.reads());
    operands.addAll(k.targets());
    var alone = new BitSet();
    alone.set(0, 2);
    Space space = Space.of(full, Space.maps(operands), alone, -1);
    Entry entry = build.entry("ristretto_recurrence");
    Code code = entry.body;
    long[] lanes = {k.lanes()};
    List<String> p = build.points(entry, lanes, "p");
    String type = entry.index();
    var start = new Reader(entry, space, full, List.of("0", p.get(0)));
    int count = k.targets().size();
    for (int s = 0; s < count; s++) {
      String state = Literal.type(tape.outputType(s));
      code.line(state + " h" + s + " = " + start.input(k.initial().get(s)) + ";");
    }
    String steps = entry.constant(k.steps());
    code.open("for (" + type + " t = 0; t < " + steps + "; t++)");
    code.line("const " + type + " j = " + (k.reverse() ? steps + " - 1 - t" : "t") + ";");
    var reader = new Reader(entry, space, full, List.of("j", p.get(0)));
    var body =
        new Body(
            code,
            tape,
            build.functions,
            slot -> slot < count ? "h" + slot : reader.input(k.inputs().get(slot - count)));
    body.emit(body.needed(tape.outputs()));
    for (int s = 0; s < count; s++) {
      code.line("h" + s + " = " + body.value(tape.outputs().get(s)) + ";");
      code.line(reader.store(k.targets().get(s), "h" + s));
    }
    code.close();
    code.close();
    build.launchPoints(entry, lanes);
  }
}
