package ristretto.onnx.operator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.onnx.call.NodeCall;
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
    long most = n.scalar(0, Long.MAX_VALUE);
    int carried = n.count() - 2;
    var states = new ArrayList<Value>();
    for (int k = 0; k < carried; k++) {
      states.add(n.value(k + 2));
    }
    int scans = body.outputs().size() - 1 - carried;
    var collected = new ArrayList<List<Value>>();
    for (int k = 0; k < scans; k++) {
      collected.add(new ArrayList<>());
    }
    boolean goes = n.scalar(1, 1) != 0;
    for (long trip = 0; trip < most && goes; trip++) {
      requireFew(n, trip + 1);
      var inputs = new ArrayList<Value>();
      inputs.add(Value.of(Ops.scalar(Ops.I64, trip)));
      inputs.add(Value.of(Ops.scalar(Ops.BOOL, 1L)));
      inputs.addAll(states);
      List<Value> outputs = n.graph(body, inputs);
      goes = n.truth(outputs.get(0));
      states = new ArrayList<>(outputs.subList(1, 1 + carried));
      for (int k = 0; k < scans; k++) {
        collected.get(k).add(outputs.get(1 + carried + k));
      }
    }
    var results = new ArrayList<>(states);
    for (List<Value> all : collected) {
      if (all.isEmpty()) {
        throw n.refuse(
            "loops with scan outputs must have an iteration", "none", "Give other inputs");
      }
      results.add(stacked(all, 0));
    }
    return results;
  }

  private static Value stacked(List<Value> all, int axis) {
    List<Expr<Object>> parts = all.stream().map(v -> v.expr().unsqueeze(axis)).toList();
    return joined(all, ViewRules.concat(axis, parts));
  }

  private static Value joined(List<Value> all, Expr<Object> e) {
    return Value.of(e, all.get(0).type()).from(ristretto.onnx.call.Origin.of(all));
  }

  private static List<Value> scan(NodeCall n) {
    if (n.version() < 9) {
      throw n.refuse(
          "Scan must be of operator set 9 or newer",
          "a batched one",
          "Convert the model with onnx.version_converter");
    }
    Proto.Graph body = n.graph("body");
    int scans = Math.toIntExact(n.integer("num_scan_inputs", 0));
    int carried = n.count() - scans;
    int collects = body.outputs().size() - carried;
    long[] inAxes = n.integers("scan_input_axes", scans, 0);
    long[] inReverse = n.integers("scan_input_directions", scans, 0);
    long[] outAxes = n.integers("scan_output_axes", collects, 0);
    long[] outReverse = n.integers("scan_output_directions", collects, 0);
    var states = new ArrayList<Value>();
    for (int k = 0; k < carried; k++) {
      states.add(n.value(k));
    }
    long trips = n.shape(carried).at(n.axis(inAxes[0], n.rank(carried)));
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
        var slices = new ristretto.expr.type.Slice[v.shape().rank()];
        Arrays.fill(slices, Ops.all());
        slices[axis] = Ops.at(at);
        inputs.add(new Value(v.expr().slice(slices), v.type(), v.origin()));
      }
      List<Value> outputs = n.graph(body, inputs);
      states = new ArrayList<>(outputs.subList(0, carried));
      for (int k = 0; k < collects; k++) {
        List<Value> all = collected.get(k);
        all.add(outReverse[k] == 0 ? all.size() : 0, outputs.get(carried + k));
      }
    }
    var results = new ArrayList<>(states);
    for (int k = 0; k < collects; k++) {
      List<Value> all = collected.get(k);
      if (all.isEmpty()) {
        throw n.refuse("a scan must have an element", "none", "Give longer inputs");
      }
      results.add(stacked(all, n.axis(outAxes[k], all.get(0).shape().rank() + 1)));
    }
    return results;
  }
}
