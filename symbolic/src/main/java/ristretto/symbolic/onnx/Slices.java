package ristretto.symbolic.onnx;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Form;

/** Views and padding, whose positions may follow from extents. */
final class Slices {
  private final Model model;
  private final Dimensions dimensions;

  Slices(Model model, Dimensions dimensions) {
    this.model = model;
    this.dimensions = dimensions;
  }

  /** As few extents as possible are computed: one may follow from the others. */
  String reshape(Value of, Extents to) {
    if (of.extents().equals(to)) {
      return of.name();
    }
    var dims = new long[to.rank()];
    int free = 0;
    for (int d = 0; d < dims.length; d++) {
      Extent e = to.at(d);
      boolean stays = d < of.extents().rank() && of.extents().at(d).equals(e);
      dims[d] = e.isKnown() && e.first() != 0 ? e.first() : stays ? 0 : -1;
      free += dims[d] == -1 ? 1 : 0;
    }
    String shape = free > 1 ? dimensions.vector(to) : model.wholes(dims);
    return model.node("Reshape", List.of(of.name(), shape));
  }

  String step(Value of, Form.Step a, Form.Step b, Extents to) {
    var starts = new ArrayList<Long>();
    var ends = new ArrayList<Long>();
    var axes = new ArrayList<Long>();
    var steps = new ArrayList<Long>();
    for (int d = 0; d < to.rank(); d++) {
      long step = a.steps().get(d);
      var start = new Extent(a.starts().get(d), b.starts().get(d));
      Extent extent = of.extents().at(d);
      if (step == 1 && start.equals(Extent.known(0)) && extent.equals(to.at(d))) {
        continue;
      }
      axes.add((long) d);
      steps.add(step);
      starts.add(fromEitherEnd(start, extent));
      ends.add(end(start, step, to.at(d), extent));
    }
    if (axes.isEmpty()) {
      return of.name();
    }
    return model.node(
        "Slice", List.of(of.name(), wholes(starts), wholes(ends), wholes(axes), wholes(steps)));
  }

  /** Position without which a slice ends. */
  private static long end(Extent start, long step, Extent count, Extent extent) {
    Extent last = start.plus(count.minus(Extent.known(1)).times(Extent.known(step)));
    if (step < 0) {
      Extent end = last.minus(Extent.known(1));
      // Another step would leave the axis.
      boolean all = last.first() + step < 0 && last.second() + step < 0;
      return all || end.first() < 0 ? Long.MIN_VALUE : fromEitherEnd(end, extent);
    }
    boolean all = last.first() + step >= extent.first() && last.second() + step >= extent.second();
    return all ? Long.MAX_VALUE : fromEitherEnd(last.plus(Extent.known(1)), extent);
  }

  private static long fromEitherEnd(Extent position, Extent extent) {
    if (position.isKnown()) {
      return position.first();
    }
    Extent back = position.minus(extent);
    if (!back.isKnown() || back.first() >= 0) {
      throw new Unsayable("a slice whose ends follow from extents");
    }
    return back.first();
  }

  private String wholes(List<Long> values) {
    return model.wholes(values.stream().mapToLong(Long::longValue).toArray());
  }

  String pad(Value of, Value fill, Form.Pad a, Form.Pad b, Extents to) {
    int rank = to.rank();
    var pads = new long[2 * rank];
    for (int d = 0; d < rank; d++) {
      var before = new Extent(a.before().get(d), b.before().get(d));
      Extent after = to.at(d).minus(of.extents().at(d)).minus(before);
      if (!before.isKnown() || !after.isKnown()) {
        throw new Unsayable("padding that follows from extents");
      }
      pads[d] = before.first();
      pads[rank + d] = after.first();
    }
    return model.node("Pad", List.of(of.name(), model.wholes(pads), fill.name()));
  }
}
