package ristretto.onnx.operator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.Slice;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Origin;
import ristretto.onnx.call.Value;
import ristretto.onnx.file.Proto;

/** Control flow, whose conditions and trip counts are known while tracing. */
final class ControlRules {
  /** Maximal number of iterations, each of which is traced and planned. */
  private static final long MOST_TRIPS = 10_000;

  private ControlRules() {}

  static void addTo(Rules rules) {
    rules.add(
        "If",
        n -> {
          n.ignore("then_branch", "else_branch");
          return n.graph(n.scalar(0, 0) != 0 ? "then_branch" : "else_branch", List.of());
        });
    rules.add("Loop", ControlRules::loop);
    rules.add("Scan", ControlRules::scan);
  }

  private static void requireFew(NodeCall n, long trips) {
    if (trips > MOST_TRIPS) {
      throw n.refuse(
          "loops must end after at most %s iterations".formatted(MOST_TRIPS),
          "more",
          "Export the model without the loop, or give shorter inputs");
    }
  }

  private static List<Value> loop(NodeCall n) {
    Proto.Graph body = n.graph("body");
    if (n.count() < 2) {
      throw n.refuse(
          "a loop must have a trip count and a condition, which may be omitted by empty names",
          n.count() + " inputs",
          "Export the model again");
    }
    long most = n.scalar(0, Long.MAX_VALUE);
    n.requireKnown(most);
    int carried = n.count() - 2;
    requireOutputs(n, body, 1 + carried);
    var states = states(n, 2, carried);
    var collected = new ArrayList<List<Value>>();
    for (int k = 1 + carried; k < body.outputs().size(); k++) {
      collected.add(new ArrayList<>());
    }
    boolean goes = n.scalar(1, 1) != 0;
    for (long trip = 0; trip < most && goes; trip++) {
      requireFew(n, trip + 1);
      List<Value> outputs = iteration(n, body, trip, states);
      goes = n.truth(outputs.get(0));
      states = kept(n, states, outputs.subList(1, 1 + carried), false);
      for (int k = 0; k < collected.size(); k++) {
        collected.get(k).add(outputs.get(1 + carried + k));
      }
    }
    var results = new ArrayList<>(states);
    if (!collected.isEmpty() && collected.get(0).isEmpty()) {
      // The shapes of the scan outputs are those of a first iteration, whose values are not used.
      List<Value> outputs = iteration(n, body, 0, states);
      outputs.subList(1 + carried, outputs.size()).forEach(v -> results.add(none(v, 0)));
      return results;
    }
    collected.forEach(all -> results.add(stacked(all, 0)));
    return results;
  }

  private static List<Value> iteration(
      NodeCall n, Proto.Graph body, long trip, List<Value> states) {
    var inputs = new ArrayList<Value>();
    inputs.add(Value.of(Ops.scalar(Ops.I64, trip)));
    inputs.add(Value.of(Ops.scalar(Ops.BOOL, 1L)));
    inputs.addAll(states);
    return n.graph(body, inputs);
  }

  private static ArrayList<Value> states(NodeCall n, int first, int count) {
    var states = new ArrayList<Value>();
    for (int k = 0; k < count; k++) {
      states.add(n.value(first + k));
    }
    return states;
  }

  private static void requireOutputs(NodeCall n, Proto.Graph body, int least) {
    if (body.outputs().size() < least) {
      throw n.refuse(
          "a body must have an output for each carried value",
          "%s outputs of at least %s".formatted(body.outputs().size(), least),
          "Export the model again");
    }
  }

  /** Returns the next states, which must be of the earlier states' types. */
  private static ArrayList<Value> kept(
      NodeCall n, List<Value> before, List<Value> after, boolean sameShape) {
    for (int k = 0; k < after.size(); k++) {
      Value from = before.get(k);
      Value to = after.get(k);
      if (from.type() != to.type() || sameShape && !from.shape().equals(to.shape())) {
        throw n.refuse(
            "a carried value must keep its " + (sameShape ? "type and shape" : "type"),
            "%s as value %s before an iteration, %s after it"
                .formatted(from.label(), k, to.label()),
            "Export the model again");
      }
    }
    return new ArrayList<>(after);
  }

  /** Returns no values, stacked along an axis. */
  private static Value none(Value one, int axis) {
    long[] dims = one.expr().unsqueeze(axis).shape().toArray();
    dims[axis] = 0;
    return Value.of(Ops.fill(one.dtype(), 0, dims), one.type());
  }

  private static Value stacked(List<Value> all, int axis) {
    List<Expr<Object>> parts = all.stream().map(v -> v.expr().unsqueeze(axis)).toList();
    return joined(all, ViewRules.concat(axis, parts));
  }

  private static Value joined(List<Value> all, Expr<Object> e) {
    return Value.of(e, all.get(0).type()).from(Origin.of(all));
  }

  private static List<Value> scan(NodeCall n) {
    if (n.version() < 9) {
      throw n.refuse(
          "Scan must be of operator set 9 or newer",
          "a batched one",
          "Convert the model with onnx.version_converter");
    }
    Proto.Graph body = n.graph("body");
    int scans = scanned(n);
    int carried = n.count() - scans;
    requireOutputs(n, body, carried);
    int collects = body.outputs().size() - carried;
    long[] inAxes = n.integers("scan_input_axes", scans, 0);
    long[] inReverse = n.integers("scan_input_directions", scans, 0);
    long[] outAxes = n.integers("scan_output_axes", collects, 0);
    long[] outReverse = n.integers("scan_output_directions", collects, 0);
    var states = states(n, 0, carried);
    long trips = trips(n, carried, inAxes);
    n.requireKnown(trips);
    requireFew(n, trips);
    var collected = new ArrayList<List<Value>>();
    for (int k = 0; k < collects; k++) {
      collected.add(new ArrayList<>());
    }
    for (long trip = 0; trip < trips; trip++) {
      var inputs = new ArrayList<>(states);
      for (int k = 0; k < scans; k++) {
        Value v = n.value(carried + k);
        int axis = n.axis(inAxes[k], v.shape().rank());
        long at = inReverse[k] == 0 ? trip : trips - 1 - trip;
        var slices = new Slice[v.shape().rank()];
        Arrays.fill(slices, Ops.all());
        slices[axis] = Ops.at(at);
        inputs.add(new Value(v.expr().slice(slices), v.type(), v.origin()));
      }
      List<Value> outputs = n.graph(body, inputs);
      states = kept(n, states, outputs.subList(0, carried), true);
      for (int k = 0; k < collects; k++) {
        List<Value> all = collected.get(k);
        all.add(outReverse[k] == 0 ? all.size() : 0, outputs.get(carried + k));
      }
    }
    var results = new ArrayList<>(states);
    if (collects > 0 && trips == 0) {
      // The shapes of the scan outputs are those of an iteration, whose values are not used.
      var inputs = new ArrayList<>(states);
      for (int k = 0; k < scans; k++) {
        inputs.add(unknown(n, carried + k, inAxes[k], body.inputs()));
      }
      List<Value> outputs = n.graph(body, inputs);
      for (int k = 0; k < collects; k++) {
        Value v = outputs.get(carried + k);
        results.add(none(v, n.axis(outAxes[k], v.shape().rank() + 1)));
      }
      return results;
    }
    for (int k = 0; k < collects; k++) {
      List<Value> all = collected.get(k);
      results.add(stacked(all, n.axis(outAxes[k], all.get(0).shape().rank() + 1)));
    }
    return results;
  }

  /** Element of an empty sequence: it has a shape, and reading its numbers is an error. */
  private static Value unknown(NodeCall n, int i, long axis, List<Proto.Declaration> inputs) {
    Value v = n.value(i);
    long[] dims = v.shape().toArray();
    int d = n.axis(axis, dims.length);
    dims[d] = 1;
    Expr<Object> one = Ops.fill(v.dtype(), 0, dims);
    Value value = Value.of(one.squeeze(d), v.type());
    String name = i < inputs.size() ? inputs.get(i).name() : "";
    return value.from(
        new Origin(new Origin.Leaf("element of no sequence", name, value), List.of()));
  }

  private static int scanned(NodeCall n) {
    long scans = n.integer("num_scan_inputs", 0);
    if (scans < 1 || scans > n.count()) {
      throw n.refuse(
          "num_scan_inputs must be at least 1 and at most the number of inputs",
          "%s of %s inputs".formatted(scans, n.count()),
          "Export the model again");
    }
    return (int) scans;
  }

  /** Returns the length of the scan inputs, which must be the same for all. */
  private static long trips(NodeCall n, int first, long[] axes) {
    long trips = n.shape(first).at(n.axis(axes[0], n.rank(first)));
    for (int k = 1; k < axes.length; k++) {
      int i = first + k;
      long length = n.shape(i).at(n.axis(axes[k], n.rank(i)));
      if (length != trips) {
        throw n.refuse(
            "scan inputs must have the same length",
            "%s along axis %s of input %s %s and %s along axis %s of input %s %s"
                .formatted(
                    trips,
                    axes[0],
                    first,
                    n.value(first).label(),
                    length,
                    axes[k],
                    i,
                    n.value(i).label()),
            "Give sequences of one length");
      }
    }
    return trips;
  }
}
