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
 * Translation of expressions to ONNX operators. Each expression is built three times, for three
 * sets of dimensions; see {@link Extents}.
 */
public final class Translation {
  private final Model model;
  private final Dimensions dimensions;
  private final Elementwise elementwise;
  private final Slices slices;
  private final Map<Expr<?>, Value> values = new IdentityHashMap<>();

  /** Creates a translation into a graph. */
  public Translation(Model model, Dimensions dimensions) {
    this.model = model;
    this.dimensions = dimensions;
    this.elementwise = new Elementwise(model);
    this.slices = new Slices(model, dimensions);
  }

  /** Maps an expression to a value that the graph contains already. */
  public void put(Expr<?> first, Value value) {
    values.put(first, value);
  }

  /**
   * Returns the value of an expression, given for each of the three sets of dimensions.
   *
   * @throws Unsayable if ONNX has no operators for the expression
   */
  public Value of(Expr<?> first, Expr<?> second, Expr<?> third) {
    return of(new Alike(first, second, third));
  }

  private Value of(Alike all) {
    Value known = values.get(all.first());
    if (known == null) {
      Extents extents = all.extents();
      known = new Value(name(all, extents), all.first().dtype(), extents);
      dimensions.add(known);
      values.put(all.first(), known);
    }
    return known;
  }

  private List<String> inputs(Alike all) {
    return IntStream.range(0, all.first().inputs().size())
        .mapToObj(k -> of(all.input(k)).name())
        .toList();
  }

  private String name(Alike all, Extents extents) {
    Expr<?> first = all.first();
    Form b = all.second().form();
    Form c = all.third().form();
    return switch (all.form()) {
      case Form.Memory _ -> {
        var t = (Tensor<?>) first;
        yield model.tensor("constant", t.dtype(), t.shape(), t::toByteArray).name();
      }
      case Form.Number n -> {
        var m = (Form.Number) b;
        var o = (Form.Number) c;
        String one =
            number(first.dtype(), n.value(), n.whole(), m.value(), m.whole(), o.value(), o.whole());
        yield extents.rank() == 0 ? one : expand(one, extents);
      }
      case Form.Elements _ -> elements(all, extents);
      case Form.Cast _ -> elementwise.cast(of(all.input(0)).name(), first.dtype());
      case Form.Reshape _ -> slices.reshape(of(all.input(0)), extents);
      case Form.Expand _ -> expand(of(all.input(0)).name(), extents);
      case Form.Permute p ->
          model.node(
              "Transpose",
              inputs(all),
              new Attribute.Wholes("perm", p.axes().stream().map(Integer::longValue).toList()));
      case Form.Step s -> slices.step(of(all.input(0)), s, (Form.Step) b, (Form.Step) c, extents);
      case Form.Pad p ->
          slices.pad(of(all.input(0)), of(all.input(1)), p, (Form.Pad) b, (Form.Pad) c, extents);
      case Form.Concat to ->
          model.node("Concat", inputs(all), new Attribute.Whole("axis", to.axis()));
      case Form.Reduction r -> reduction(r, of(all.input(0)));
      case Form.Product _ -> model.node("MatMul", inputs(all));
      case Form.Take t ->
          model.node(
              t.along() ? "GatherElements" : "Gather",
              inputs(all),
              new Attribute.Whole("axis", t.axis()));
      case Form.Scan s when s.word().equals("add") ->
          model.node(
              "CumSum",
              List.of(of(all.input(0)).name(), model.number(Ops.I64, s.axis(), s.axis())),
              new Attribute.Whole("exclusive", s.exclusive() ? 1 : 0),
              new Attribute.Whole("reverse", s.reverse() ? 1 : 0));
      case Form.Scan _ -> throw new Unsayable(first.toString());
      case Form.Sort s ->
          model
              .node(
                  "TopK",
                  2,
                  List.of(of(all.input(0)).name(), dimensions.one(extents.at(s.axis()))),
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

  private String number(
      DType<?> dtype,
      double first,
      long whole,
      double second,
      long secondWhole,
      double third,
      long thirdWhole) {
    boolean wholes = whole == secondWhole && whole == thirdWhole;
    boolean same = Double.compare(first, second) == 0 && Double.compare(first, third) == 0;
    return wholes && same
        ? model.number(dtype, first, whole)
        : dimensions.number(dtype, first, second, third);
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

  // Element-wise formulas

  /** Computed value of a row. */
  private record Cell(String name, DType<?> dtype, Extents extents) {}

  private String elements(Alike all, Extents extents) {
    var a = (Form.Elements) all.first().form();
    var b = (Form.Elements) all.second().form();
    var c = (Form.Elements) all.third().form();
    var cells = new ArrayList<Cell>();
    if (a.rows().size() != b.rows().size() || a.rows().size() != c.rows().size()) {
      throw new Unsayable("another formula for each shape");
    }
    for (int k = 0; k < a.rows().size(); k++) {
      cells.add(cell(a.rows().get(k), b.rows().get(k), c.rows().get(k), all, extents, cells));
    }
    Cell last = cells.get(a.result());
    String name = last.name;
    if (last.dtype != (Object) all.first().dtype()) {
      name = elementwise.cast(name, all.first().dtype());
    }
    return last.extents.equals(extents) ? name : expand(name, extents);
  }

  private Cell number(Form.Row.Number n, Form.Row second, Form.Row third) {
    if (!(second instanceof Form.Row.Number m && third instanceof Form.Row.Number o)) {
      throw new Unsayable("another formula for each shape");
    }
    String name =
        number(n.dtype(), n.value(), n.whole(), m.value(), m.whole(), o.value(), o.whole());
    return new Cell(name, n.dtype(), Extents.known());
  }

  private Cell cell(
      Form.Row row, Form.Row second, Form.Row third, Alike all, Extents extents, List<Cell> cells) {
    return switch (row) {
      case Form.Row.Input in -> read(all.input(in.input()));
      case Form.Row.Number n -> number(n, second, third);
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
        List<Cell> operands = o.operands().stream().map(cells::get).toList();
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

  /**
   * Reads an input. A broadcast that has no value in the graph yet is skipped, because ONNX
   * operators broadcast too.
   */
  private Cell read(Alike all) {
    boolean wide = all.form() instanceof Form.Expand && values.get(all.first()) == null;
    if (wide) {
      return read(all.input(0));
    }
    Value v = of(all);
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
