package ristretto.symbolic.onnx.export;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.form.Form;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;

/** Translation of expressions, whose dimensions may be unknown, to ONNX operators. */
public final class Translation {
  private final ModelBuilder model;
  private final DimensionNodes dimensions;
  private final Elementwise elementwise;
  private final Slices slices;
  private final Map<Expr<?>, Value> values = new IdentityHashMap<>();

  /** Creates a translation into a graph. */
  public Translation(ModelBuilder model, DimensionNodes dimensions) {
    this.model = model;
    this.dimensions = dimensions;
    this.elementwise = new Elementwise(model);
    this.slices = new Slices(model, dimensions);
  }

  /** Maps an expression to a value that the graph contains already. */
  public void put(Expr<?> e, Value value) {
    values.put(e, value);
  }

  /**
   * Returns the value of an expression.
   *
   * @throws UnsupportedExpression if ONNX has no operators for the expression
   */
  public Value of(Expr<?> e) {
    Value known = values.get(e);
    if (known == null) {
      known = new Value(name(e), e.dtype(), e.shape());
      dimensions.add(known);
      values.put(e, known);
    }
    return known;
  }

  private List<String> inputs(Expr<?> e) {
    return e.inputs().stream().map(in -> of(in).name()).toList();
  }

  private String name(Expr<?> e) {
    Shape shape = e.shape();
    return switch (e.form()) {
      case Form.Memory _ -> {
        var t = (Tensor<?>) e;
        yield model.constant("constant", t.dtype(), shape, t::toByteArray);
      }
      case Form.Number n -> {
        String one = dimensions.number(e.dtype(), n.value(), n.whole());
        yield shape.rank() == 0 ? one : expand(one, shape);
      }
      case Form.Elements rows -> elements(rows, e);
      case Form.Cast _ -> elementwise.cast(of(e.inputs().get(0)).name(), e.dtype());
      case Form.Reshape _ -> slices.reshape(of(e.inputs().get(0)), shape);
      case Form.Expand _ -> expand(of(e.inputs().get(0)).name(), shape);
      case Form.Permute p ->
          model.node(
              "Transpose",
              inputs(e),
              new Attribute.Ints("perm", p.axes().stream().map(Integer::longValue).toList()));
      case Form.Step s -> slices.step(of(e.inputs().get(0)), s, shape);
      case Form.Pad p -> slices.pad(of(e.inputs().get(0)), of(e.inputs().get(1)), p, shape);
      case Form.Concat to -> model.node("Concat", inputs(e), new Attribute.Int("axis", to.axis()));
      case Form.Reduction r -> reduction(r, of(e.inputs().get(0)));
      case Form.Product _ -> model.node("MatMul", inputs(e));
      case Form.Take t ->
          model.node(
              t.along() ? "GatherElements" : "Gather",
              inputs(e),
              new Attribute.Int("axis", t.axis()));
      case Form.Scan s when s.word().equals("add") ->
          model.node(
              "CumSum",
              List.of(of(e.inputs().get(0)).name(), model.number(Ops.I64, s.axis(), s.axis())),
              new Attribute.Int("exclusive", s.exclusive() ? 1 : 0),
              new Attribute.Int("reverse", s.reverse() ? 1 : 0));
      case Form.Scan _ -> throw new UnsupportedExpression(e.toString());
      case Form.Sort s ->
          model
              .node(
                  "TopK",
                  2,
                  List.of(of(e.inputs().get(0)).name(), dimensions.one(shape.at(s.axis()))),
                  new Attribute.Int("axis", s.axis()),
                  new Attribute.Int("largest", s.descending() ? 1 : 0))
              .get(s.positions() ? 1 : 0);
      case Form.Random _ -> throw new UnsupportedExpression("random numbers");
      case Form.Other o -> throw new UnsupportedExpression(o.what());
    };
  }

  private String expand(String what, Shape to) {
    return model.node("Expand", List.of(what, dimensions.vector(to)));
  }

  private String reduction(Form.Reduction r, Value of) {
    List<Long> axes = r.axes().stream().map(Integer::longValue).toList();
    var keep = new Attribute.Int("keepdims", 1);
    if (axes.isEmpty()) {
      if (r.kind().startsWith("arg")) {
        return model.number(Ops.I64, 0, 0);
      }
      return of.name();
    }
    String where = model.wholes(axes.stream().mapToLong(Long::longValue).toArray());
    return switch (r.kind()) {
      case "sum" -> model.node("ReduceSum", List.of(of.name(), where), keep);
      case "prod" -> model.node("ReduceProd", List.of(of.name(), where), keep);
      case "max" -> model.node("ReduceMax", List.of(of.name(), where), keep);
      case "min" -> model.node("ReduceMin", List.of(of.name(), where), keep);
      case "any", "all" -> {
        String numbers = elementwise.cast(of.name(), Ops.I32);
        String type = r.kind().equals("any") ? "ReduceMax" : "ReduceMin";
        yield elementwise.cast(model.node(type, List.of(numbers, where), keep), Ops.BOOL);
      }
      case "argmax", "argmin" -> {
        if (axes.size() > 1) {
          throw new UnsupportedExpression(r.kind() + " over several axes");
        }
        yield model.node(
            r.kind().equals("argmax") ? "ArgMax" : "ArgMin",
            List.of(of.name()),
            new Attribute.Int("axis", axes.get(0)),
            keep);
      }
      default -> throw new UnsupportedExpression("a reduction by a lambda");
    };
  }

  // Element-wise formulas

  /** Computed value of a row. */
  private record Cell(String name, DType<?> dtype, Shape shape) {}

  private String elements(Form.Elements rows, Expr<?> e) {
    var cells = new ArrayList<Cell>();
    rows.rows().forEach(row -> cells.add(cell(row, e, cells)));
    Cell last = cells.get(rows.result());
    String name = last.name;
    if (last.dtype != (Object) e.dtype()) {
      name = elementwise.cast(name, e.dtype());
    }
    return last.shape.equals(e.shape()) ? name : expand(name, e.shape());
  }

  private Cell cell(Form.Row row, Expr<?> e, List<Cell> cells) {
    return switch (row) {
      case Form.Row.Input in -> read(e.inputs().get(in.input()));
      case Form.Row.Number n ->
          new Cell(dimensions.number(n.dtype(), n.value(), n.whole()), n.dtype(), Shape.SCALAR);
      case Form.Row.Position p when p.axis() < 0 ->
          new Cell(dimensions.numbers(e.shape()), Ops.I64, e.shape());
      case Form.Row.Position p -> {
        Shape along = DimensionNodes.alone(e.shape(), p.axis());
        yield new Cell(dimensions.positions(e.shape(), p.axis()), Ops.I64, along);
      }
      case Form.Row.Operation o -> {
        List<Cell> operands = o.operands().stream().map(cells::get).toList();
        Shape wide = operands.stream().map(Cell::shape).reduce(Shape.SCALAR, Shape::broadcast);
        List<String> names = operands.stream().map(Cell::name).toList();
        yield new Cell(
            elementwise.apply(o.word(), operands.get(0).dtype(), o.dtype(), names),
            o.dtype(),
            wide);
      }
      case Form.Row.Other o -> throw new UnsupportedExpression(o.what());
    };
  }

  /**
   * Reads an input. A broadcast that has no value in the graph yet is skipped, because ONNX
   * operators broadcast too.
   */
  private Cell read(Expr<?> e) {
    if (e.form() instanceof Form.Expand && !values.containsKey(e)) {
      return read(e.inputs().get(0));
    }
    Value v = of(e);
    DType<?> computed = computed(v.dtype());
    String name = computed == (Object) v.dtype() ? v.name() : elementwise.cast(v.name(), computed);
    return new Cell(name, computed, v.shape());
  }

  private static DType<?> computed(DType<?> dtype) {
    return DType.of(dtype.compute());
  }
}
