package ristretto.symbolic;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.I64;
import ristretto.expr.Ops;
import ristretto.expr.Shape;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.onnx.Attribute;
import ristretto.symbolic.onnx.Dimensions;
import ristretto.symbolic.onnx.Extents;
import ristretto.symbolic.onnx.Model;
import ristretto.symbolic.onnx.Translation;
import ristretto.symbolic.onnx.Value;

/** ONNX graph under construction, to which operators add themselves. */
final class OnnxGraph {
  final Model model = new Model();
  private final Dimensions dimensions = new Dimensions(model);
  private final Translation translation = new Translation(model, dimensions);
  private final Map<Variable<?>, Value> values = new IdentityHashMap<>();
  private final Trace first = new Trace(Extents::first);
  private final Trace second = new Trace(Extents::second);
  private final Trace third = new Trace(Extents::third);
  private final Context ctx;
  private final Function<Variable<?>, Tensor<?>> parameters;

  /** Values with shapes only, in place of those of a run. */
  private final class Trace implements Values {
    private final Function<Extents, Shape> shapes;
    private final Map<Variable<?>, Expr<?>> exprs = new IdentityHashMap<>();

    Trace(Function<Extents, Shape> shapes) {
      this.shapes = shapes;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> Expr<T> get(Variable<T> variable) {
      return (Expr<T>) exprs.computeIfAbsent(variable, this::make);
    }

    private Expr<?> make(Variable<?> v) {
      Value value = value(v);
      Expr<?> e = Ops.fill(v.dtype(), 0, shapes.apply(value.extents()).toArray());
      if (this == first) {
        translation.put(e, value);
      }
      return e;
    }

    @Override
    public boolean training() {
      return false;
    }

    @Override
    public Expr<I64> seed() {
      return Ops.scalar(Ops.I64, 0L);
    }
  }

  /**
   * Creates an empty graph.
   *
   * @param parameters returns the values of parameters and states
   */
  OnnxGraph(Context ctx, Function<Variable<?>, Tensor<?>> parameters) {
    this.ctx = ctx;
    this.parameters = parameters;
  }

  /** Returns the value of a variable; adds it to the graph if it is a parameter or a state. */
  Value value(Variable<?> v) {
    Value known = values.get(v);
    if (known == null) {
      if (v.initializer() == null) {
        throw new ShapeException(
            "[get] an operator must name what it reads as its inputs; got " + v + ".");
      }
      Tensor<?> t = parameters.apply(v);
      known = model.tensor(v.name(), v.dtype(), t.shape(), t::toByteArray);
      values.put(v, known);
    }
    return known;
  }

  void put(Variable<?> v, Value value) {
    values.put(v, value);
    dimensions.add(value);
  }

  /** Adds an output as the ONNX operators of its formula. */
  <T> void formula(Variable<T> output, Formula<T> formula) {
    put(output, translation.of(formula.of(first), formula.of(second), formula.of(third)));
  }

  /** Adds an output as one ONNX operator; the formula determines only its shape. */
  <T> void node(
      Variable<T> output,
      Formula<T> formula,
      String type,
      List<? extends Variable<?>> inputs,
      Attribute... attributes) {
    String name = model.node(type, inputs.stream().map(v -> value(v).name()).toList(), attributes);
    Shape small = formula.of(third).shape();
    put(output, name, Extents.of(formula.of(first).shape(), formula.of(second).shape(), small));
  }

  void put(Variable<?> output, String name, Extents extents) {
    put(output, new Value(name, output.dtype(), extents));
  }

  /** Returns the current value of a parameter. */
  @SuppressWarnings("unchecked")
  <T> Tensor<T> parameter(Variable<T> v) {
    return (Tensor<T>) parameters.apply(v);
  }

  /** Adds a constant tensor, computed from parameters when the file is written. */
  String constant(String name, Expr<?> value) {
    return model
        .tensor(name, value.dtype(), value.shape(), () -> ctx.eval(value).toByteArray())
        .name();
  }

  static Attribute wholes(String name, long... values) {
    return new Attribute.Wholes(name, Arrays.stream(values).boxed().toList());
  }
}
