package ristretto.onnx.trace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.kernels.RistrettoException;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Origin;
import ristretto.onnx.call.Value;
import ristretto.onnx.file.Proto;
import ristretto.onnx.operator.Rule;
import ristretto.onnx.operator.Rules;
import ristretto.symbolic.onnx.OnnxException;

/**
 * Evaluates a model's graph for inputs of known shapes; the outputs are expressions. Sizes, axes
 * and conditions are read while tracing, so the outputs hold for other inputs of these shapes as
 * long as the inputs that were {@linkplain #reads read} have the same elements.
 */
public final class Trace implements NodeCall.Tracer {
  /** Maximal size of an input that is read: each run compares its elements. */
  static final int MOST_READ = 4096;

  /** Operators whose outputs depend on nothing but the shapes of their inputs. */
  private static final Set<String> OF_SHAPES = Set.of("Shape", "Size");

  private final Context ctx;
  private final Proto.Model model;
  private final boolean reading;
  private final Map<Proto.Tensor, Value> constants = new IdentityHashMap<>();
  private final Map<Expr<?>, long[]> longs = new IdentityHashMap<>();
  private final Map<Origin.Leaf, byte[]> reads = new LinkedHashMap<>();
  private final Set<Proto.Function> calling =
      java.util.Collections.newSetFromMap(new IdentityHashMap<>());
  private Scope scope;

  /**
   * Creates a trace.
   *
   * @param reading true if the inputs are tensors with elements, which may be read
   */
  public Trace(Context ctx, Proto.Model model, boolean reading) {
    this.ctx = ctx;
    this.model = model;
    this.reading = reading;
  }

  /**
   * Evaluates the graph.
   *
   * @param given inputs and weights by name
   * @return outputs, in order
   */
  public List<Value> run(Map<String, Value> given) {
    scope = new Scope(model.opsets(), Map.of());
    scope.values().putAll(given);
    return body(model.graph());
  }

  /** Returns the inputs and weights that were read, with the bytes of their elements. */
  public Map<Origin.Leaf, byte[]> reads() {
    return reads;
  }

  private List<Value> body(Proto.Graph graph) {
    for (Proto.Tensor t : graph.initializers()) {
      if (!scope.values().containsKey(t.name())) {
        scope.values().put(t.name(), constant(t));
      }
    }
    graph.nodes().forEach(this::node);
    return graph.outputs().stream().map(o -> require(o.name(), "an output")).toList();
  }

  private Value constant(Proto.Tensor t) {
    return constants.computeIfAbsent(t, k -> NodeCall.constant(ctx, k));
  }

  private Value require(String name, String by) {
    Value found = scope.find(name);
    if (found == null) {
      throw new OnnxException(
          ("[onnx] nodes must follow those that compute their inputs; got '%s', which %s reads"
                  + " before any node computes it; export the model again.")
              .formatted(name, by));
    }
    return found;
  }

  private void node(Proto.Node node) {
    long version = scope.opsets().getOrDefault(node.domain(), 0L);
    var inputs = new ArrayList<Value>();
    for (String name : node.inputs()) {
      inputs.add(name.isEmpty() ? null : require(name, NodeCall.place(node, version)));
    }
    var attributes = new HashMap<String, Object>();
    for (Proto.Attribute a : node.attributes()) {
      Object value = a.reference().isEmpty() ? a.value() : scope.attributes().get(a.reference());
      attributes.put(a.name(), value);
    }
    var call = new NodeCall(this, node, version, attributes, inputs);
    List<Value> outputs = outputs(node, call, inputs, attributes);
    Origin origin = OF_SHAPES.contains(node.operator()) ? Origin.NONE : Origin.of(inputs);
    for (int k = 0; k < node.outputs().size(); k++) {
      String name = node.outputs().get(k);
      if (!name.isEmpty()) {
        if (k >= outputs.size()) {
          throw call.refuse(
              "the operator is imported with %s outputs".formatted(outputs.size()),
              "output '%s'".formatted(name),
              "Remove the output from the model");
        }
        Value v = outputs.get(k);
        Origin own = v.origin();
        scope.values().put(name, v.from(own == Origin.NONE ? origin : both(own, origin)));
      }
    }
  }

  private static Origin both(Origin a, Origin b) {
    return b == Origin.NONE || a == b ? a : new Origin(null, List.of(a, b));
  }

  private List<Value> outputs(
      Proto.Node node, NodeCall call, List<Value> inputs, Map<String, Object> attributes) {
    for (Proto.Function f : model.functions()) {
      if (f.domain().equals(node.domain())
          && f.name().equals(node.operator())
          && f.overload().equals(node.overload())) {
        return function(f, call, inputs, attributes);
      }
    }
    Rule rule = node.domain().isEmpty() ? Rules.of(node.operator()) : null;
    if (rule == null) {
      throw call.refuse(
          "operators must be among those that docs/models/onnx.md lists",
          "an unknown one",
          "Export the model without it, for example from an older version of the exporter, or file"
              + " an issue");
    }
    try {
      List<Value> outputs = rule.of(call);
      call.requireAllRead();
      return outputs;
    } catch (OnnxException e) {
      throw e;
    } catch (RistrettoException e) {
      throw new OnnxException(
          "[onnx] the inputs of a node must fit its operator; got %s for %s: %s"
              .formatted(
                  inputs.stream().map(v -> v == null ? "none" : v.label()).toList(),
                  call.place(),
                  e.getMessage()));
    }
  }

  private List<Value> function(
      Proto.Function f, NodeCall call, List<Value> inputs, Map<String, Object> attributes) {
    if (!calling.add(f)) {
      throw call.refuse("functions must not call themselves", "a call", "Export the model again");
    }
    Scope outer = scope;
    try {
      var given = new HashMap<String, Object>();
      f.defaults().forEach(a -> given.put(a.name(), a.value()));
      given.putAll(attributes);
      scope = new Scope(f.opsets(), given);
      for (int k = 0; k < f.inputs().size() && k < inputs.size(); k++) {
        scope.values().put(f.inputs().get(k), inputs.get(k));
      }
      f.nodes().forEach(this::node);
      return f.outputs().stream().map(name -> require(name, "an output")).toList();
    } finally {
      calling.remove(f);
      scope = outer;
    }
  }

  @Override
  public Context context() {
    return ctx;
  }

  @Override
  public List<Value> graph(Proto.Graph graph, List<Value> inputs) {
    Scope outer = scope;
    scope = outer.inner();
    try {
      for (int k = 0; k < graph.inputs().size() && k < inputs.size(); k++) {
        scope.values().put(graph.inputs().get(k).name(), inputs.get(k));
      }
      return body(graph);
    } finally {
      scope = outer;
    }
  }

  @Override
  public long[] longs(NodeCall reader, Value value) {
    note(reader, value);
    return longs
        .computeIfAbsent(value.expr(), e -> ctx.evalNow(e.cast(Ops.I64)).toLongArray())
        .clone();
  }

  @Override
  public double[] doubles(NodeCall reader, Value value) {
    note(reader, value);
    return ctx.evalNow(value.expr().cast(Ops.F64)).toDoubleArray();
  }

  private void note(NodeCall reader, Value value) {
    for (Origin.Leaf leaf : value.origin().leaves()) {
      boolean known = leaf.value().expr() instanceof Tensor<?>;
      if (!reading || !known || leaf.value().shape().size() > MOST_READ) {
        throw reader.refuse(
            "sizes, axes, conditions and trip counts must be constants"
                + (reading
                    ? " or depend on inputs of at most %s elements".formatted(MOST_READ)
                    : ""),
            "one that depends on %s '%s' %s"
                .formatted(leaf.kind(), leaf.name(), leaf.value().label()),
            "Export the model with a constant");
      }
      reads.computeIfAbsent(leaf, k -> ((Tensor<?>) k.value().expr()).toByteArray());
    }
  }
}
