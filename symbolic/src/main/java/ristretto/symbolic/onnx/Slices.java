package ristretto.symbolic.onnx;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Form;

/** Translation of views and padding, whose positions may depend on unknown dimensions. */
final class Slices {
  private final Model model;
  private final Dimensions dimensions;

  Slices(Model model, Dimensions dimensions) {
    this.model = model;
    this.dimensions = dimensions;
  }

  /**
   * Reshapes a value. At most one unknown dimension is left for ONNX to infer; if there are more,
   * the graph computes the whole shape.
   */
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

  /**
   * Slices a value. The positions are derived from the large dimensions; at small ones, they must
   * be clipped like NumPy's.
   */
  String step(Value of, Form.Step a, Form.Step b, Form.Step c, Extents to) {
    var starts = new ArrayList<Long>();
    var ends = new ArrayList<Long>();
    var axes = new ArrayList<Long>();
    var steps = new ArrayList<Long>();
    for (int d = 0; d < to.rank(); d++) {
      long step = a.steps().get(d);
      var start = new Extent(a.starts().get(d), b.starts().get(d), c.starts().get(d));
      Extent extent = of.extents().at(d);
      if (step == 1 && start.equals(Extent.known(0)) && extent.equals(to.at(d))) {
        continue;
      }
      Extent count = to.at(d);
      List<Long> froms = fromEitherEnd(start.large(), extent.large());
      List<Long> tos = ends(start.large(), step, count.large(), extent.large());
      boolean found = false;
      for (int k = 0; k < froms.size() * tos.size() && !found; k++) {
        long from = froms.get(k / tos.size());
        long end = tos.get(k % tos.size());
        found = clips(from, end, step, start.third(), count.third(), extent.third());
        if (found) {
          starts.add(from);
          ends.add(end);
        }
      }
      if (!found) {
        throw new Unsayable("a slice whose ends follow from extents");
      }
      axes.add((long) d);
      steps.add(step);
    }
    if (axes.isEmpty()) {
      return of.name();
    }
    return model.node(
        "Slice", List.of(of.name(), wholes(starts), wholes(ends), wholes(axes), wholes(steps)));
  }

  /** Returns the possible exclusive ends of a slice, as ONNX writes them. */
  private static List<Long> ends(Extent start, long step, Extent count, Extent extent) {
    Extent last = start.plus(count.minus(Extent.known(1)).times(Extent.known(step)));
    if (step < 0) {
      Extent end = last.minus(Extent.known(1));
      // True if another step would leave the axis.
      boolean all = last.first() + step < 0 && last.second() + step < 0;
      return all || end.first() < 0 ? List.of(Long.MIN_VALUE) : fromEitherEnd(end, extent);
    }
    boolean all = last.first() + step >= extent.first() && last.second() + step >= extent.second();
    return all ? List.of(Long.MAX_VALUE) : fromEitherEnd(last.plus(Extent.known(1)), extent);
  }

  /**
   * Returns true if positions that are clipped at a small dimension yield the right elements there
   * too.
   */
  private static boolean clips(
      long from, long end, long step, long start, long count, long extent) {
    long least = step < 0 ? -1 : 0;
    long most = step < 0 ? extent - 1 : extent;
    long first = Math.clamp(from < 0 ? from + extent : from, 0, Math.max(0, most));
    long wrapped = end < 0 && end > Long.MIN_VALUE ? end + extent : end;
    long last = Math.min(Math.max(wrapped, least), most);
    long elements = Math.max(0, Math.ceilDiv(last - first, step));
    return elements == count && (count == 0 || first == start);
  }

  /**
   * Returns a position relative to the start of an axis, to its end, or both, as far as they are
   * constant.
   */
  private static List<Long> fromEitherEnd(Extent position, Extent extent) {
    var all = new ArrayList<Long>();
    if (position.isKnown()) {
      all.add(position.first());
    }
    Extent back = position.minus(extent);
    if (back.isKnown() && back.first() < 0) {
      all.add(back.first());
    }
    return all;
  }

  private String wholes(List<Long> values) {
    return model.wholes(values.stream().mapToLong(Long::longValue).toArray());
  }

  String pad(Value of, Value fill, Form.Pad a, Form.Pad b, Form.Pad c, Extents to) {
    int rank = to.rank();
    var pads = new long[2 * rank];
    for (int d = 0; d < rank; d++) {
      var before = new Extent(a.before().get(d), b.before().get(d), c.before().get(d));
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
