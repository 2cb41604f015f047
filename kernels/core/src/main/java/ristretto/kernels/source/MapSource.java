package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Tape;

/** Element-wise kernels: one work item per point, or, in strips, per run of consecutive points. */
final class MapSource {
  private final Build build;
  private final Kernel.Map kernel;
  private final Tape tape;
  private final Space space;

  private MapSource(Build build, Kernel.Map kernel) {
    this.build = build;
    this.kernel = kernel;
    this.tape = build.lowered(kernel.tape());
    long[] extents = kernel.extents().toArray();
    var operands = new ArrayList<Operand>(kernel.inputs());
    operands.addAll(kernel.stores());
    space = Space.of(extents, Space.maps(operands), Space.bounded(extents, kernel.inputs()), -1);
  }

  static void render(Build build, Kernel.Map kernel) {
    if (kernel.extents().product() == 0) {
      return;
    }
    var source = new MapSource(build, kernel);
    long[] extents = source.space.extents;
    int last = extents.length - 1;
    // A single row is a strip at any length, so that one program serves all lengths.
    if (build.target.warps() && last >= 0) {
      new MapTiles(build, kernel, source.tape, source.space).render();
    } else if (build.target.strips()
        && last >= 0
        && (last == 0 || extents[last] >= Strips.SHORTEST)) {
      source.strips(extents);
    } else {
      source.points(extents);
    }
  }

  private void points(long[] extents) {
    Entry entry = build.entry("ristretto_map");
    Reader reader = reader(entry, build.points(entry, extents, "i"));
    Body body = body(entry, reader);
    body.emit(body.needed(tape.outputs()));
    store(entry, reader, body);
    entry.body.close();
    build.launchPoints(entry, extents);
  }

  private Reader reader(Entry entry, List<String> variables) {
    return new Reader(entry, space, kernel.extents().toArray(), variables);
  }

  private Body body(Entry entry, Reader reader) {
    return new Body(
        entry.body, tape, build.functions, slot -> reader.input(kernel.inputs().get(slot)));
  }

  private void store(Entry entry, Reader reader, Body body) {
    for (int s = 0; s < kernel.stores().size(); s++) {
      entry.body.line(reader.store(kernel.stores().get(s), body.value(tape.outputs().get(s))));
    }
  }

  private void strips(long[] extents) {
    Entry entry = build.entry("ristretto_map");
    Code code = entry.body;
    List<String> variables = build.shares(entry, extents, "i");
    Reader reader = reader(entry, variables);
    Body body = body(entry, reader);
    BitSet rows = body.needed(tape.outputs());
    var strips = new Strips(entry);
    String last = variables.getLast();
    if (!body.hasRare(rows)) {
      strips.each(
          last,
          "first",
          "end",
          () -> {
            body.emit(rows);
            store(entry, reader, body);
          });
    } else {
      strips.open("first", "end");
      for (int s = 0; s < tape.outputs().size(); s++) {
        strips.array(Literal.type(tape.outputType(s)), "t" + s);
      }
      Runnable declare = () -> code.line("const " + entry.index() + " " + last + " = base + l;");
      strips.evaluate(
          body,
          rows,
          declare,
          b -> b.emit(rows),
          b -> {
            for (int s = 0; s < tape.outputs().size(); s++) {
              code.line("t" + s + "[l] = " + b.value(tape.outputs().get(s)) + ";");
            }
          });
      strips.each(
          "l",
          "0",
          "size",
          () -> {
            declare.run();
            for (int s = 0; s < kernel.stores().size(); s++) {
              code.line(reader.store(kernel.stores().get(s), "t" + s + "[l]"));
            }
          });
      strips.close();
    }
    code.close();
    build.launchShares(entry, extents);
  }
}
