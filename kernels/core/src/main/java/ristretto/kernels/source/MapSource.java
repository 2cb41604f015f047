package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Tape;

/** Element-wise kernels: one work item a point. */
final class MapSource {
  private MapSource() {}

  static void render(Build build, Kernel.Map k) {
    long[] extents = k.extents().toArray();
    if (k.extents().product() == 0) {
      return;
    }
    var operands = new ArrayList<Operand>(k.inputs());
    operands.addAll(k.stores());
    Space space = Space.of(extents, Space.maps(operands), Space.bounded(extents, k.inputs()), -1);
    Entry entry = build.entry("ristretto_map");
    List<String> variables = build.points(entry, space.extents, "i");
    var reader = new Reader(entry, space, extents, variables);
    Tape tape = build.lowered(k.tape());
    var body =
        new Body(entry.body, tape, build.functions, slot -> reader.input(k.inputs().get(slot)));
    body.emit(body.needed(tape.outputs()));
    for (int s = 0; s < k.stores().size(); s++) {
      entry.body.line(reader.store(k.stores().get(s), body.value(tape.outputs().get(s))));
    }
    entry.body.close();
    build.launchPoints(entry, space.extents);
  }
}
