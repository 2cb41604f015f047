package ristretto.symbolic.onnx.export;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Formula;
import ristretto.symbolic.graph.FormulaOperator;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.TestSizes;
import ristretto.symbolic.graph.Values;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.OnnxException;

/** ONNX graph under construction, to which operators add themselves. */
public final class OnnxGraph {
  public final ModelBuilder model = new ModelBuilder();
  private final DimensionNodes dimensions = new DimensionNodes(model);
  private final Translation translation = new Translation(model, dimensions);
  private final Map<Variable<?>, Value> values = new IdentityHashMap<>();
  private final Trace trace = new Trace(Value::shape);
  private final Context ctx;
  private final Function<Variable<?>, Tensor<?>> parameters;

  /** Values with shapes only, in place of those of a run. */
  private final class Trace implements Values {
    private final Function<Value, Shape> shapes;
    private final Map<Variable<?>, Expr<?>> exprs = new IdentityHashMap<>();

    Trace(Function<Value, Shape> shapes) {
      this.shapes = shapes;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> Expr<T> get(Variable<T> variable) {
      return (Expr<T>) exprs.computeIfAbsent(variable, this::make);
    }

    private Expr<?> make(Variable<?> v) {
      Value value = value(v);
      Expr<?> e = Ops.fill(v.dtype(), 0, shapes.apply(value).extents());
      if (this == trace) {
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
  public Value value(Variable<?> v) {
    Value known = values.get(v);
    if (known == null) {
      if (v.initializer() == null) {
        throw new ShapeException(
            "[get] an operator must declare the variables it reads as inputs; got " + v + ".");
      }
      Tensor<?> t = parameters.apply(v);
      known = model.tensor(v.name(), v.dtype(), t.shape(), t::toByteArray);
      values.put(v, known);
    }
    return known;
  }

  public void put(Variable<?> v, Value value) {
    values.put(v, value);
    dimensions.add(value);
  }

  /**
   * Adds an operator.
   *
   * @throws OnnxException if ONNX has no operators for it
   */
  void add(Operator op) {
    switch (op) {
      case OnnxOperator known -> known.onnx(this);
      case FormulaOperator<?> f when f.crosses() ->
          throw new OnnxException(
              "[onnx] a formula must not take gradients across other operators; got "
                  + op.name()
                  + "; export the variables before it.");
      case FormulaOperator<?> f -> add(f);
      default ->
          throw new OnnxException(
              "[onnx] an operator must be a formula, or built in; got "
                  + op.name()
                  + ", a user-defined class; make it with Layers.apply, or export the variables"
                  + " before it.");
    }
  }

  private <T> void add(FormulaOperator<T> op) {
    formula(op.output(), op.formula());
  }

  /** Adds an output as the ONNX operators of its formula. */
  public <T> void formula(Variable<T> output, Formula<T> formula) {
    UnknownDims unknown = UnknownDims.current();
    unknown.clearRead();
    Expr<T> e = formula.of(trace);
    Value value = translation.of(e);
    if (unknown.wasRead()) {
      requireSame(e, formula, output.owner());
    }
    put(output, value);
  }

  /**
   * Requires that a formula that reads unknown dimensions as numbers is the same for known ones.
   */
  private <T> void requireSame(Expr<T> e, Formula<T> formula, Operator op) {
    for (TestSizes sizes : TestSizes.all(op.inputs())) {
      var same = new SameFormula(s -> sizes.at(s.number()));
      var values = new Trace(v -> same.shape(v.shape()));
      Expr<T> known;
      try {
        known = UnknownDims.callKnown(() -> formula.of(values));
      } catch (RistrettoException | ArithmeticException x) {
        // a formula need not take all sizes
        continue;
      }
      values.exprs.forEach((v, value) -> same.given(trace.get(v), value));
      if (!same.isSame(e, known)) {
        throw new UnsupportedExpression(
            "arithmetic on unknown extents other than sums, products and quotients");
      }
    }
  }

  /** Adds an output as one ONNX operator; the formula determines only its shape. */
  public <T> void node(
      Variable<T> output,
      Formula<T> formula,
      String type,
      List<? extends Variable<?>> inputs,
      Attribute... attributes) {
    String name = model.node(type, inputs.stream().map(v -> value(v).name()).toList(), attributes);
    put(output, name, formula.of(trace).shape());
  }

  public void put(Variable<?> output, String name, Shape shape) {
    put(output, new Value(name, output.dtype(), shape));
  }

  /** Returns the current value of a parameter. */
  @SuppressWarnings("unchecked")
  public <T> Tensor<T> parameter(Variable<T> v) {
    return (Tensor<T>) parameters.apply(v);
  }

  /** Adds a weight, computed from parameters when the file is written. */
  public String weight(String name, Expr<?> value) {
    return model
        .tensor(name, value.dtype(), value.shape(), () -> ctx.eval(value).toByteArray())
        .name();
  }

  /** Adds a constant tensor. */
  public String constant(String name, Expr<?> value) {
    return model.constant(name, value.dtype(), value.shape(), () -> ctx.eval(value).toByteArray());
  }

  public static Attribute wholes(String name, long... values) {
    return new Attribute.Ints(name, Arrays.stream(values).boxed().toList());
  }
}
