package ristretto.onnx.call;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;
import ristretto.onnx.file.ElementType;
import ristretto.onnx.file.Proto;
import ristretto.symbolic.onnx.OnnxException;

/** Call of an operator. Inputs and attributes that are missing or of another kind are errors. */
public final class NodeCall {
  /** Services of the trace of a graph. */
  public interface Tracer {
    /** Context of constants. */
    Context context();

    /** Returns the elements of a value, which the trace depends on from then on. */
    long[] longs(NodeCall reader, Value value);

    /** Returns the elements of a value, which the trace depends on from then on. */
    double[] doubles(NodeCall reader, Value value);

    /** Evaluates a graph inside the current one. */
    List<Value> graph(Proto.Graph graph, List<Value> inputs);
  }

  private final Tracer tracer;
  private final Proto.Node node;
  private final long version;
  private final Map<String, Object> attributes;
  private final List<Value> inputs;
  private final Set<String> asked = new HashSet<>();

  /**
   * Creates a call.
   *
   * @param version version of the operator's set
   * @param inputs inputs; null for omitted ones
   */
  public NodeCall(
      Tracer tracer,
      Proto.Node node,
      long version,
      Map<String, Object> attributes,
      List<Value> inputs) {
    this.tracer = tracer;
    this.node = node;
    this.version = version;
    this.attributes = attributes;
    this.inputs = inputs;
  }

  /** Returns the context of constants. */
  public Context context() {
    return tracer.context();
  }

  /** Returns the operator's name. */
  public String operator() {
    return node.operator();
  }

  /** Returns the version of the operator set. */
  public long version() {
    return version;
  }

  /** Returns the number of outputs, omitted ones between others included. */
  public int outputs() {
    return node.outputs().size();
  }

  /** Returns true if an output is wanted. */
  public boolean wants(int output) {
    return output < outputs() && !node.outputs().get(output).isEmpty();
  }

  // Inputs

  /** Returns the number of inputs. */
  public int count() {
    return inputs.size();
  }

  /** Returns true if there is an input. */
  public boolean has(int i) {
    return i < inputs.size() && inputs.get(i) != null;
  }

  /** Returns an input. */
  public Value value(int i) {
    if (!has(i)) {
      throw refuse("the operator needs input " + i, "inputs " + node.inputs(), "Give the input");
    }
    return inputs.get(i);
  }

  /** Returns all inputs. */
  public List<Value> values() {
    var all = new ArrayList<Value>();
    for (int i = 0; i < inputs.size(); i++) {
      all.add(value(i));
    }
    return all;
  }

  /** Returns an input. */
  public Expr<Object> in(int i) {
    return value(i).expr();
  }

  /** Returns the shape of an input. */
  public Shape shape(int i) {
    return in(i).shape();
  }

  /** Returns the number of axes of an input. */
  public int rank(int i) {
    return shape(i).rank();
  }

  /** Returns the elements of an input, which must be integers. */
  public long[] longs(int i) {
    return tracer.longs(this, value(i));
  }

  /** Returns the elements of an input. */
  public double[] doubles(int i) {
    return tracer.doubles(this, value(i));
  }

  /** Returns the only element of an input, or another number if the input is omitted. */
  public long scalar(int i, long otherwise) {
    if (!has(i)) {
      return otherwise;
    }
    long[] all = longs(i);
    if (all.length != 1) {
      throw refuse("input " + i + " must have one element", value(i).label(), "Give one number");
    }
    return all[0];
  }

  /** Returns the only element of a value as a truth value. */
  public boolean truth(Value value) {
    return tracer.longs(this, value)[0] != 0;
  }

  /**
   * Checks a number of iterations, which is a number far below zero if it depends on an unknown
   * dimension of a variable.
   */
  public void requireKnown(long iterations) {
    if (iterations < -(1L << 40)) {
      throw refuse(
          "the number of iterations must be known when a model is applied to variables",
          "one that depends on an unknown dimension of an input",
          "Declare the variable with this dimension, or use run, which takes tensors");
    }
  }

  // Attributes

  /** Returns true if an attribute is given. */
  public boolean gives(String name) {
    asked.add(name);
    return attributes.get(name) != null;
  }

  /** Declares attributes that have no effect on this call. */
  public void ignore(String... names) {
    asked.addAll(List.of(names));
  }

  /**
   * Checks that the rule has read all attributes, since one that it does not know might change the
   * outputs.
   */
  public void requireAllRead() {
    for (String name : attributes.keySet()) {
      if (attributes.get(name) != null && !asked.contains(name)) {
        throw refuse(
            "attributes must be among those that the import knows",
            "attribute " + name,
            "Export the model without it, or for another operator set");
      }
    }
  }

  private <T> T attribute(String name, Class<T> kind, T otherwise) {
    Object value = attributes.get(name);
    asked.add(name);
    if (value == null) {
      return otherwise;
    }
    if (!kind.isInstance(value)) {
      throw refuse(
          "attribute " + name + " must be of the operator's type",
          value.getClass().getSimpleName(),
          "Export the model again");
    }
    return kind.cast(value);
  }

  /** Returns an integer. */
  public long integer(String name, long otherwise) {
    return attribute(name, Long.class, otherwise);
  }

  /** Returns an integer that is a truth value. */
  public boolean flag(String name, boolean otherwise) {
    return integer(name, otherwise ? 1 : 0) != 0;
  }

  /** Returns a number. */
  public double number(String name, double otherwise) {
    Float value = attribute(name, Float.class, null);
    return value == null ? otherwise : value;
  }

  /** Returns a text. */
  public String text(String name, String otherwise) {
    return attribute(name, String.class, otherwise);
  }

  /** Returns a tensor, or null. */
  public Proto.Tensor tensor(String name) {
    return attribute(name, Proto.Tensor.class, null);
  }

  /** Returns a list of elements of a kind, or null. */
  public <T> List<T> list(String name, Class<T> kind) {
    List<?> all = attribute(name, List.class, null);
    if (all == null) {
      return null;
    }
    if (!all.stream().allMatch(kind::isInstance)) {
      throw refuse(
          "attribute " + name + " must be of the operator's type",
          all.toString(),
          "Export the model again");
    }
    return all.stream().map(kind::cast).toList();
  }

  /** Returns integers, or null. */
  public long[] integers(String name) {
    List<Long> all = list(name, Long.class);
    return all == null ? null : all.stream().mapToLong(Long::longValue).toArray();
  }

  /** Returns integers, which must be as many as given, or the same number for each. */
  public long[] integers(String name, int count, long otherwise) {
    long[] all = integers(name);
    if (all == null) {
      all = new long[count];
      java.util.Arrays.fill(all, otherwise);
    }
    if (all.length != count) {
      throw refuse(
          "attribute %s must have %s numbers".formatted(name, count),
          java.util.Arrays.toString(all),
          "Export the model again");
    }
    return all;
  }

  /** Returns the numbers of an attribute, or else of an input, or null. */
  public long[] integers(String name, int input) {
    return has(input) ? longs(input) : integers(name);
  }

  /** Evaluates a graph of an attribute. */
  public List<Value> graph(String name, List<Value> values) {
    return tracer.graph(graph(name), values);
  }

  /** Returns a graph. */
  public Proto.Graph graph(String name) {
    Proto.Graph graph = attribute(name, Proto.Graph.class, null);
    if (graph == null) {
      throw refuse("attribute " + name + " must be a graph", "none", "Export the model again");
    }
    return graph;
  }

  /** Evaluates a graph. */
  public List<Value> graph(Proto.Graph graph, List<Value> values) {
    return tracer.graph(graph, values);
  }

  // Helpers

  /** Returns an axis as a number from 0 on. */
  public int axis(long axis, int rank) {
    if (axis < -rank || axis >= rank) {
      throw refuse(
          "an axis must lie within the rank",
          "axis %s of rank %s".formatted(axis, rank),
          "Choose an axis from %s to %s".formatted(-rank, rank - 1));
    }
    return (int) (axis < 0 ? axis + rank : axis);
  }

  /** Returns axes as numbers from 0 on. */
  public int[] axes(long[] axes, int rank) {
    int[] all = new int[axes.length];
    for (int k = 0; k < all.length; k++) {
      all[k] = axis(axes[k], rank);
    }
    return all;
  }

  /** Returns a number in the dtype of an expression. */
  public static Expr<Object> number(Expr<Object> like, double value) {
    return Ops.scalar(like.dtype(), value);
  }

  /** Returns constant integers as a tensor. */
  public Expr<Object> constant(long[] values, long... dims) {
    return erase(context().tensor(values, Shape.of(dims)));
  }

  /** Returns constant numbers as a tensor of an expression's dtype. */
  public Expr<Object> constant(Expr<Object> like, double[] values, long... dims) {
    return erase(context().tensor(values, Shape.of(dims))).cast(like.dtype());
  }

  /** Returns an expression without its static type. */
  @SuppressWarnings("unchecked")
  public static Expr<Object> erase(Expr<?> e) {
    return (Expr<Object>) e;
  }

  /** Returns a constant of the file as a value. */
  public Value constant(Proto.Tensor tensor) {
    return constant(context(), tensor);
  }

  /** Returns a constant of the file as a value. */
  public static Value constant(Context ctx, Proto.Tensor tensor) {
    return Value.of(
        ctx.tensor(tensor.type().dtype(), tensor.data(), tensor.shape()), tensor.type());
  }

  /** Returns the element type of a number of the schema. */
  public ElementType type(long code) {
    return ElementType.of(code);
  }

  /**
   * Returns an error that names the node.
   *
   * @param rule rule that must hold
   * @param got fact that contradicts it
   * @param advice action of the user
   */
  public OnnxException refuse(String rule, String got, String advice) {
    return new OnnxException(
        "[onnx] %s; got %s in %s; %s."
            .formatted(
                rule,
                got,
                place(),
                advice.substring(0, 1).toLowerCase(java.util.Locale.ROOT) + advice.substring(1)));
  }

  /** Returns the node's name, operator and version for messages. */
  public String place() {
    return place(node, version);
  }

  /** Returns a node's name, operator and version for messages. */
  public static String place(Proto.Node node, long version) {
    String name =
        node.name().isEmpty()
            ? node.outputs().stream().collect(Collectors.joining(", ", "the node of '", "'"))
            : "node '" + node.name() + "'";
    return "%s (%s%s, operator set %s)"
        .formatted(
            name, node.domain().isEmpty() ? "" : node.domain() + ".", node.operator(), version);
  }
}
