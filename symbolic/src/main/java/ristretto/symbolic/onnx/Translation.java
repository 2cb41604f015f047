package ristretto.symbolic.onnx;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import ristretto.expr.DType;
import ristretto.expr.Expr;
import ristretto.expr.Form;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;

/**
 * Expressions in terms of ONNX operators. Each comes twice, as it is made for two sets of extents;
 * see {@link Extents}.
 */
public final class Translation {
  private final Model model;
  private final Dimensions dimensions;
  private final Elementwise elementwise;
  private final Slices slices;
  private final Map<Expr<?>, Value> values = new IdentityHashMap<>();

  /** Into a graph. */
  public Translation(Model model, Dimensions dimensions) {
    this.model = model;
    this.dimensions = dimensions;
    this.elementwise = new Elementwise(model);
    this.slices = new Slices(model, dimensions);
  }

  /** What an expression is in the graph already. */
  public void put(Expr<?> first, Value value) {
    values.put(first, value);
  }

  /**
   * The value of an expression.
   *
   * @throws Unsayable if ONNX has no operators for it
   */
  public Value of(Expr<?> first, Expr<?> second) {
    Value known = values.get(first);
    if (known == null) {
      Form a = first.form();
      Form b = second.form();
      if (a.getClass() != b.getClass() || first.inputs().size() != second.inputs().size()) {
        throw new Unsayable("another formula for each shape");
      }
      var extents = Extents.of(first.shape(), second.shape());
      String name = name(a, b, first, second, extents);
      known = new Value(name, first.dtype(), extents);
      dimensions.add(known);
      values.put(first, known);
    }
    return known;
  }

  private Value input(Expr<?> first, Expr<?> second, int k) {
    return of(first.inputs().get(k), second.inputs().get(k));
  }

  private List<String> inputs(Expr<?> first, Expr<?> second) {
    return IntStream.range(0, first.inputs().size())
        .mapToObj(k -> input(first, second, k).name())
        .toList();
  }

  private String name(Form a, Form b, Expr<?> first, Expr<?> second, Extents extents) {
    return switch (a) {
      case Form.Memory _ -> {
        var t = (Tensor<?>) first;
        yield model.tensor("constant", t.dtype(), t.shape(), t::toByteArray).name();
      }
      case Form.Number n -> {
        var m = (Form.Number) b;
        String one = number(first.dtype(), n.value(), n.whole(), m.value(), m.whole());
        yield extents.rank() == 0 ? one : expand(one, extents);
      }
      case Form.Elements e -> elements(e, (Form.Elements) b, first, second, extents);
      case Form.Cast _ -> elementwise.cast(input(first, second, 0).name(), first.dtype());
      case Form.Reshape _ -> slices.reshape(input(first, second, 0), extents);
      case Form.Expand _ -> expand(input(first, second, 0).name(), extents);
      case Form.Permute p ->
          model.node(
              "Transpose",
              inputs(first, second),
              new Attribute.Wholes("perm", p.axes().stream().map(Integer::longValue).toList()));
      case Form.Step s -> slices.step(input(first, second, 0), s, (Form.Step) b, extents);
      case Form.Pad p ->
          slices.pad(input(first, second, 0), input(first, second, 1), p, (Form.Pad) b, extents);
      case Form.Concat c ->
          model.node("Concat", inputs(first, second), new Attribute.Whole("axis", c.axis()));
      case Form.Reduction r -> reduction(r, input(first, second, 0));
      case Form.Product _ -> model.node("MatMul", inputs(first, second));
      case Form.Take t ->
          model.node(
              t.along() ? "GatherElements" : "Gather",
              inputs(first, second),
              new Attribute.Whole("axis", t.axis()));
      case Form.Scan s when s.word().equals("add") ->
          model.node(
              "CumSum",
              List.of(input(first, second, 0).name(), model.number(Ops.I64, s.axis(), s.axis())),
              new Attribute.Whole("exclusive", s.exclusive() ? 1 : 0),
              new Attribute.Whole("reverse", s.reverse() ? 1 : 0));
      case Form.Scan _ -> throw new Unsayable(first.toString());
      case Form.Sort s ->
          model
              .node(
                  "TopK",
                  2,
                  List.of(input(first, second, 0).name(), dimensions.one(extents.at(s.axis()))),
                  new Attribute.Whole("axis", s.axis()),
                  new Attribute.Whole("largest", s.descending() ? 1 : 0))
              .get(s.positions() ? 1 : 0);
      case Form.Random _ -> throw new Unsayable("random numbers");
      case Form.Other o -> throw new Unsayable(o.what());
    };
  }

  private String expand(String what, Extents to) {
    return model.node("Expand", List.of(what, dimensions.vector(to)));
  }

  private String number(DType<?> dtype, double first, long whole, double second, long secondWhole) {
    if (whole == secondWhole && Double.compare(first, second) == 0) {
      return model.number(dtype, first, whole);
    }
    return dimensions.number(dtype, first, second);
  }

  private String reduction(Form.Reduction r, Value of) {
    List<Long> axes = r.axes().stream().map(Integer::longValue).toList();
    var keep = new Attribute.Whole("keepdims", 1);
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
          throw new Unsayable(r.kind() + " over several axes");
        }
        yield model.node(
            r.kind().equals("argmax") ? "ArgMax" : "ArgMin",
            List.of(of.name()),
            new Attribute.Whole("axis", axes.get(0)),
            keep);
      }
      default -> throw new Unsayable("a reduction by a lambda");
    };
  }

  // Element by element

  /** The computed value of a row. */
  private record Cell(String name, DType<?> dtype, Extents extents) {}

  private String elements(
      Form.Elements a, Form.Elements b, Expr<?> first, Expr<?> second, Extents extents) {
    var cells = new ArrayList<Cell>();
    if (a.rows().size() != b.rows().size()) {
      throw new Unsayable("another formula for each shape");
    }
    for (int k = 0; k < a.rows().size(); k++) {
      cells.add(cell(a.rows().get(k), b.rows().get(k), first, second, extents, cells));
    }
    Cell last = cells.get(a.result());
    String name = last.name;
    if (last.dtype != (Object) first.dtype()) {
      name = elementwise.cast(name, first.dtype());
    }
    return last.extents.equals(extents) ? name : expand(name, extents);
  }

  private Cell cell(
      Form.Row row,
      Form.Row other,
      Expr<?> first,
      Expr<?> second,
      Extents extents,
      List<Cell> all) {
    return switch (row) {
      case Form.Row.Input in ->
          read(first.inputs().get(in.input()), second.inputs().get(in.input()));
      case Form.Row.Number n -> {
        var m = (Form.Row.Number) other;
        yield new Cell(
            number(n.dtype(), n.value(), n.whole(), m.value(), m.whole()),
            n.dtype(),
            Extents.known());
      }
      case Form.Row.Position p -> {
        if (p.axis() < 0) {
          yield new Cell(dimensions.numbers(extents), Ops.I64, extents);
        }
        var alone = new ArrayList<Extent>();
        for (int d = 0; d < extents.rank(); d++) {
          alone.add(d == p.axis() ? extents.at(d) : Extent.known(1));
        }
        yield new Cell(dimensions.positions(extents, p.axis()), Ops.I64, Extents.of(alone));
      }
      case Form.Row.Operation o -> {
        List<Cell> operands = o.operands().stream().map(all::get).toList();
        Extents wide =
            operands.stream().map(Cell::extents).reduce(Extents.known(), Extents::broadcast);
        List<String> names = operands.stream().map(Cell::name).toList();
        yield new Cell(
            elementwise.apply(o.word(), operands.get(0).dtype(), o.dtype(), names),
            o.dtype(),
            wide);
      }
      case Form.Row.Other o -> throw new Unsayable(o.what());
    };
  }

  /** An input; what is only broadcast is read as it was before, for operators broadcast too. */
  private Cell read(Expr<?> first, Expr<?> second) {
    boolean wide = first.form() instanceof Form.Expand && values.get(first) == null;
    if (wide) {
      return read(first.inputs().get(0), second.inputs().get(0));
    }
    Value v = of(first, second);
    DType<?> computed = computed(v.dtype());
    String name = computed == (Object) v.dtype() ? v.name() : elementwise.cast(v.name(), computed);
    return new Cell(name, computed, v.extents());
  }

  private static DType<?> computed(DType<?> dtype) {
    if (dtype == (Object) Ops.F16 || dtype == (Object) Ops.BF16) {
      return Ops.F32;
    }
    return dtype == (Object) Ops.I8 || dtype == (Object) Ops.U8 ? Ops.I32 : dtype;
  }
}
