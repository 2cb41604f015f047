package ristretto.symbolic.onnx.export;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import ristretto.expr.dim.Dim;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.form.Form;
import ristretto.expr.type.Shape;

/** Translation of views and padding, whose positions may depend on unknown dimensions. */
final class Slices {
  private final ModelBuilder model;
  private final DimensionNodes dimensions;

  Slices(ModelBuilder model, DimensionNodes dimensions) {
    this.model = model;
    this.dimensions = dimensions;
  }

  /**
   * Reshapes a value. At most one unknown dimension is left for ONNX to infer; if there are more,
   * the graph computes the whole shape.
   */
  String reshape(Value of, Shape to) {
    if (of.shape().equals(to)) {
      return of.name();
    }
    var dims = new long[to.rank()];
    int free = 0;
    for (int d = 0; d < dims.length; d++) {
      long e = to.at(d);
      boolean stays = d < of.shape().rank() && of.shape().at(d) == e;
      dims[d] = UnknownDims.isKnown(e) && e != 0 ? e : stays ? 0 : -1;
      free += dims[d] == -1 ? 1 : 0;
    }
    String shape = free > 1 ? dimensions.vector(to) : model.wholes(dims);
    return model.node("Reshape", List.of(of.name(), shape));
  }

  /** Slices a value. ONNX clips positions like NumPy, so that most of them are constants. */
  String step(Value of, Form.Step step, Shape to) {
    var axes = new ArrayList<Long>();
    var steps = new ArrayList<Long>();
    var starts = new ArrayList<String>();
    var ends = new ArrayList<String>();
    for (int d = 0; d < to.rank(); d++) {
      var axis =
          new Axis(
              UnknownDims.of(step.starts().get(d)),
              step.steps().get(d),
              UnknownDims.of(to.at(d)),
              UnknownDims.of(of.shape().at(d)));
      if (!axis.isWhole()) {
        axes.add((long) d);
        steps.add(axis.step);
        starts.add(start(axis));
        ends.add(end(axis));
      }
    }
    if (axes.isEmpty()) {
      return of.name();
    }
    return model.node(
        "Slice", List.of(of.name(), joined(starts), joined(ends), wholes(axes), wholes(steps)));
  }

  /** Slice of one axis: {@code count} positions from {@code start}, which may lie outside. */
  private record Axis(Dim start, long step, Dim count, Dim extent) {
    boolean isWhole() {
      return step == 1 && start.equals(Dim.of(0)) && count.equals(extent);
    }

    /** Returns the start clipped to the axis; below 0 only if there are no positions. */
    Dim clipped() {
      return (step > 0 ? start : start.min(extent.minus(Dim.of(1)))).positive();
    }

    /** Returns the exclusive end. */
    Dim end() {
      return clipped().plus(count.times(Dim.of(step)));
    }
  }

  private String start(Axis axis) {
    OptionalLong known = axis.start.known();
    OptionalLong back = axis.start.minus(axis.extent).known();
    if (known.isPresent() && known.getAsLong() >= 0) {
      return model.wholes(known.getAsLong());
    }
    return back.isPresent() && back.getAsLong() < 0
        ? model.wholes(back.getAsLong())
        : dimensions.one(axis.clipped());
  }

  private String end(Axis axis) {
    Dim end = axis.end();
    OptionalLong known = end.known();
    OptionalLong back = end.minus(axis.extent).known();
    if (axis.step < 0) {
      // counted from the end of the axis, since -1 would be its last position
      return known.isPresent() && known.getAsLong() < 0
          ? model.wholes(Long.MIN_VALUE)
          : known.isPresent()
              ? model.wholes(known.getAsLong())
              : dimensions.one(end.minus(axis.extent));
    }
    if (known.isPresent()) {
      return model.wholes(known.getAsLong());
    }
    if (back.isPresent()) {
      return model.wholes(back.getAsLong() < 0 ? back.getAsLong() : Long.MAX_VALUE);
    }
    for (Dim.Atom atom : end.atoms()) {
      if (atom instanceof Dim.Atom.Positive(Dim beyond)) {
        OptionalLong limit = axis.extent.minus(beyond).known();
        if (limit.isPresent() && Dim.of(limit.getAsLong()).min(axis.extent).equals(end)) {
          return model.wholes(limit.getAsLong());
        }
      }
    }
    return dimensions.one(end);
  }

  private String joined(List<String> positions) {
    return positions.size() == 1
        ? positions.get(0)
        : model.node("Concat", positions, new Attribute.Int("axis", 0));
  }

  private String wholes(List<Long> values) {
    return model.wholes(values.stream().mapToLong(Long::longValue).toArray());
  }

  String pad(Value of, Value fill, Form.Pad pad, Shape to) {
    int rank = to.rank();
    var pads = new long[2 * rank];
    for (int d = 0; d < rank; d++) {
      pads[d] = pad.before().get(d);
      pads[rank + d] = UnknownDims.minus(UnknownDims.minus(to.at(d), of.shape().at(d)), pads[d]);
    }
    return model.node("Pad", List.of(of.name(), dimensions.vector(pads), fill.name()));
  }
}
