package ristretto.onnx;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Origin;
import ristretto.onnx.call.Value;
import ristretto.onnx.file.Proto;
import ristretto.onnx.trace.Trace;
import ristretto.symbolic.graph.FormulaOperator;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.OnnxException;

/**
 * Model of an ONNX file: runs on tensors, and yields expressions or variables for training. A
 * program is recorded for each combination of input shapes, and replayed afterwards; the 64 most
 * recently used ones are kept. If sizes, axes or conditions depend on the elements of small inputs,
 * other elements make another program. Safe for use by several threads, whose runs are serialized.
 *
 * <p>Elements of unsigned 16-bit, signed 16-bit and unsigned 32-bit integers are those of I32, I32
 * and I64; unsigned 64-bit integers wrap to I64.
 */
public final class Model {
  private static final int MOST_PROGRAMS = 64;

  private final Context ctx;
  private final Proto.Model model;
  private final Signature signature;
  private final Map<String, Tensor<?>> parameters = new LinkedHashMap<>();
  private final Map<String, Value> weights = new LinkedHashMap<>();
  private final Map<List<String>, List<Prepared>> programs =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<String>, List<Prepared>> eldest) {
          return size() > MOST_PROGRAMS;
        }
      };

  Model(Context ctx, Proto.Model model) {
    this.ctx = ctx;
    this.model = model;
    Set<String> statistics = statistics(model.graph());
    for (Proto.Tensor t : model.graph().initializers()) {
      Value value = NodeCall.constant(ctx, t);
      if (t.type().dtype().isFloat() && !statistics.contains(t.name())) {
        weights.put(t.name(), leaf("weight", t.name(), value));
        parameters.put(t.name(), (Tensor<?>) value.expr());
      } else {
        weights.put(t.name(), value);
      }
    }
    this.signature = new Signature(model.graph(), weights.keySet());
  }

  /** Returns the names of the means and variances of batch normalizations. */
  private static Set<String> statistics(Proto.Graph graph) {
    return graph.nodes().stream()
        .filter(node -> node.operator().equals("BatchNormalization"))
        .flatMap(node -> node.inputs().stream().skip(3))
        .collect(Collectors.toSet());
  }

  private static Value leaf(String kind, String name, Value value) {
    return value.from(new Origin(new Origin.Leaf(kind, name, value), List.of()));
  }

  /** Returns the names of the inputs that must be given, in order. */
  public List<String> inputs() {
    return signature.names();
  }

  /** Returns the names of the outputs, in order. */
  public List<String> outputs() {
    return model.graph().outputs().stream().map(Proto.Declaration::name).toList();
  }

  /**
   * Returns the declared type of an input or output.
   *
   * @throws OnnxException if the model has no input or output of this name, or it is no tensor
   */
  public ValueType typeOf(String name) {
    Proto.Declaration d =
        Stream.concat(model.graph().inputs().stream(), model.graph().outputs().stream())
            .filter(one -> one.name().equals(name))
            .findFirst()
            .orElseThrow(() ->
                new OnnxException(
                    "[typeOf] the name must be that of an input, %s, or output, %s; got '%s'; choose one of these."
                        .formatted(inputs(), outputs(), name)));
    Signature.requireTensor(d);
    return ValueType.of(d);
  }

  /**
   * Returns the floating-point weights by name, without the means and variances of batch
   * normalizations. Assigning to them changes the model, except the variables that {@link #apply}
   * has made already.
   */
  public Map<String, Tensor<?>> parameters() {
    return Collections.unmodifiableMap(parameters);
  }

  /**
   * Computes the outputs.
   *
   * @param inputs inputs by name, of the declared dtypes and shapes
   * @return new tensors by name, in the order of the outputs
   * @throws OnnxException if the inputs are not those of the model, or an operator is not supported
   */
  public synchronized Map<String, Tensor<?>> run(Map<String, ? extends Expr<?>> inputs) {
    Map<String, Expr<Object>> given = checked(inputs);
    List<String> key =
        given.entrySet().stream()
            .map(e -> e.getKey() + " " + e.getValue().shape())
            .sorted()
            .collect(Collectors.toList());
    List<Prepared> all = programs.computeIfAbsent(key, _ -> new ArrayList<>());
    for (Prepared p : all) {
      if (p.fits(given)) {
        return p.run(given);
      }
    }
    Prepared p = prepare(given);
    if (all.size() == MOST_PROGRAMS) {
      all.remove(0);
    }
    all.add(p);
    return p.run(given);
  }

  private Prepared prepare(Map<String, Expr<Object>> given) {
    var tensors = new LinkedHashMap<String, Tensor<Object>>();
    given.forEach((name, e) -> tensors.put(name, ctx.eval(e)));
    var trace = new Trace(ctx, model, true);
    return new Prepared(ctx, tensors, expressions(trace, tensors), trace.reads());
  }

  private Map<String, Expr<Object>> checked(Map<String, ? extends Expr<?>> inputs) {
    signature.requireNames(inputs.keySet());
    var given = new LinkedHashMap<String, Expr<Object>>();
    inputs.forEach((name, e) -> {
      signature.require(name, e.dtype(), e.shape());
      given.put(name, NodeCall.erase(e));
    });
    return given;
  }

  /**
   * Returns the outputs as expressions of inputs and {@linkplain #parameters weights}, from which
   * {@link Ops#gradient} derives gradients. Sizes, axes and conditions must not depend on elements
   * of inputs or weights.
   *
   * @param inputs inputs by name, of the declared dtypes and shapes
   * @throws OnnxException if the inputs are not those of the model, or an operator is not supported
   */
  public Map<String, Expr<?>> of(Map<String, ? extends Expr<?>> inputs) {
    var trace = new Trace(ctx, model, false);
    return Collections.unmodifiableMap(expressions(trace, checked(inputs)));
  }

  private Map<String, Expr<Object>> expressions(
      Trace trace, Map<String, ? extends Expr<Object>> inputs) {
    var values = new LinkedHashMap<>(weights);
    inputs.forEach(
        (name, e) -> values.put(name, leaf("input", name, Value.of(e, signature.of(name).type()))));
    return outputs(trace, values);
  }

  private Map<String, Expr<Object>> outputs(Trace trace, Map<String, Value> values) {
    List<Value> results = trace.run(values);
    var all = new LinkedHashMap<String, Expr<Object>>();
    List<String> names = outputs();
    for (int k = 0; k < names.size(); k++) {
      all.put(names.get(k), results.get(k).expr());
    }
    return all;
  }

  /**
   * Returns an output as a variable of a symbolic model, to be trained by an executor: the
   * floating-point weights become parameters with the names and values that they have in the file.
   * Normalizations keep the statistics of the file, and dropout is off.
   *
   * @param output name of the output
   * @param dtype dtype of the output
   * @param inputs inputs by name
   * @throws OnnxException if the inputs are not those of the model, an operator is not supported,
   *     or a weight is F64
   */
  public <T> Variable<T> apply(
      String output, ristretto.expr.type.DType<T> dtype, Map<String, Variable<?>> inputs) {
    signature.requireNames(inputs.keySet());
    if (!outputs().contains(output)) {
      throw new OnnxException(
          "[apply] the output must be one of the model's, %s; got '%s'; choose one of these."
              .formatted(outputs(), output));
    }
    var variables = new LinkedHashMap<String, Variable<?>>();
    parameters.forEach((name, t) -> variables.put(name, parameter(name, t)));
    variables.putAll(inputs);
    return FormulaOperator.apply(
        output,
        dtype,
        x -> output(output, dtype, variables, v -> NodeCall.erase(x.get(v))),
        variables.values().toArray(Variable<?>[]::new));
  }

  private <T> Expr<T> output(
      String output,
      ristretto.expr.type.DType<T> dtype,
      Map<String, Variable<?>> variables,
      Function<Variable<?>, Expr<Object>> values) {
    var given = new LinkedHashMap<>(weights);
    variables.forEach((name, v) -> {
      Expr<Object> e = values.apply(v);
      boolean input = signature.of(name) != null;
      given.put(
          name,
          leaf(
              input ? "input" : "weight",
              name,
              input ? Value.of(e, signature.of(name).type()) : Value.of(e)));
    });
    Expr<Object> e = outputs(new Trace(ctx, model, false), given).get(output);
    if (e.dtype() != (Object) dtype) {
      throw new OnnxException(
          "[apply] the dtype must be that of output '%s', %s; got %s; ask for that dtype."
              .formatted(output, e.dtype(), dtype));
    }
    return typed(e);
  }

  @SuppressWarnings("unchecked")
  private static <T> Expr<T> typed(Expr<Object> e) {
    return (Expr<T>) (Expr<?>) e;
  }

  private static <T> Variable<T> parameter(String name, Tensor<T> t) {
    if (t.dtype() == (Object) Ops.F64) {
      throw new OnnxException(
          "[apply] weights must be F32 or narrower to be trained; got '%s' f64%s; export the model in F32, or train with of(inputs)."
              .formatted(name, t.shape()));
    }
    return Variable.parameter(name, t.dtype(), (_, _) -> t.cast(Ops.F32), t.shape().toArray());
  }

  /** Returns text like {@code model of [x] to [y]}. */
  @Override
  public String toString() {
    return "model of " + inputs() + " to " + outputs();
  }
}
