package ristretto.symbolic.onnx.export;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import ristretto.expr.Ops;
import ristretto.expr.dim.Dim;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;

/**
 * Dimensions that are unknown until the model runs, computed in the graph from the shapes of its
 * tensors.
 */
public final class DimensionNodes {
  private final ModelBuilder model;

  /** Tensors of one I64 element that hold a dimension. */
  private final Map<Dim, String> computed = new HashMap<>();

  private final Map<Dim, Place> places = new HashMap<>();

  private record Place(String value, int axis) {}

  /** Creates an instance that knows no tensors yet. */
  public DimensionNodes(ModelBuilder model) {
    this.model = model;
  }

  /** Adds a tensor whose shape can be read at run time. */
  public void add(Value value) {
    for (int axis = 0; axis < value.shape().rank(); axis++) {
      long dim = value.shape().at(axis);
      if (!UnknownDims.isKnown(dim)) {
        places.putIfAbsent(UnknownDims.of(dim), new Place(value.name(), axis));
      }
    }
  }

  /** Returns the name of a tensor with one I64 element that holds a dimension. */
  String one(long dim) {
    return one(UnknownDims.of(dim));
  }

  /** Returns the name of a tensor with one I64 element that holds a dimension. */
  String one(Dim dim) {
    String known = computed.get(dim);
    if (known == null) {
      known = compute(dim);
      computed.put(dim, known);
    }
    return known;
  }

  private String compute(Dim dim) {
    if (dim.known().isPresent()) {
      return model.wholes(dim.known().getAsLong());
    }
    Place place = places.get(dim);
    if (place != null) {
      String shape = model.node("Shape", List.of(place.value));
      return model.node("Gather", List.of(shape, model.wholes(place.axis)));
    }
    Dim.Atom first = dim.atoms().iterator().next();
    if (dim.equals(Dim.of(first))) {
      return compute(first);
    }
    Dim.Ratio ratio = dim.ratio();
    String sum = null;
    for (Dim.Term term : ratio.over()) {
      sum = sum == null ? product(term) : model.node("Add", List.of(sum, product(term)));
    }
    return ratio.under().isOne() ? sum : model.node("Div", List.of(sum, product(ratio.under())));
  }

  private String compute(Dim.Atom atom) {
    return switch (atom) {
      case Dim.Atom.Symbol _ ->
          throw new UnsupportedExpression(
              "an extent that does not follow from those of the inputs");
      case Dim.Atom.Positive p -> model.node("Max", List.of(one(p.of()), model.wholes(0)));
      case Dim.Atom.Floor f -> model.node("Div", List.of(one(f.of()), model.wholes(f.by())));
      case Dim.Atom.Quotient q -> model.node("Div", List.of(one(q.of()), one(q.by())));
      case Dim.Atom.Broadcast b -> {
        String isOne = model.node("Equal", List.of(one(b.a()), model.wholes(1)));
        yield model.node("Where", List.of(isOne, one(b.b()), one(b.a())));
      }
    };
  }

  private String product(Dim.Term term) {
    String all = term.factor() == 1 && !term.isOne() ? null : model.wholes(term.factor());
    for (var power : term.powers().entrySet()) {
      String factor = one(Dim.of(power.getKey()));
      for (int k = 0; k < power.getValue(); k++) {
        all = all == null ? factor : model.node("Mul", List.of(all, factor));
      }
    }
    return all;
  }

  /** Returns the name of an I64 tensor with one axis that holds dimensions. */
  String vector(long... dims) {
    if (Arrays.stream(dims).allMatch(UnknownDims::isKnown)) {
      return model.wholes(dims);
    }
    if (dims.length == 1) {
      return one(dims[0]);
    }
    return model.node(
        "Concat", LongStream.of(dims).mapToObj(this::one).toList(), new Attribute.Int("axis", 0));
  }

  /** Returns the name of an I64 tensor with one axis that holds a shape. */
  public String vector(Shape shape) {
    return vector(shape.extents());
  }

  /** Adds a scalar, which may be an unknown dimension, or a multiple or a quotient of one. */
  String number(DType<?> dtype, double value, long whole) {
    Optional<Dim> dim = UnknownDims.find(whole);
    if (dim.isPresent()) {
      return cast(dtype, dim.get());
    }
    return UnknownDims.current()
        .scaled(value)
        .map(scaled ->
            model.node(
                scaled.inverse() ? "Div" : "Mul",
                List.of(
                    model.number(dtype, scaled.factor(), (long) scaled.factor()),
                    cast(dtype, scaled.dim()))))
        .orElseGet(() -> model.number(dtype, value, whole));
  }

  private String cast(DType<?> dtype, Dim dim) {
    return model.node(
        "Cast",
        List.of(model.node("Squeeze", List.of(one(dim)))),
        new Attribute.Int("to", ModelBuilder.number(dtype)));
  }

  /** Adds a tensor of 0, 1, 2, ... along an axis of a shape; the other axes have size 1. */
  String positions(Shape shape, int axis) {
    return counted(shape.at(axis), alone(shape, axis));
  }

  /** Returns a shape in which all axes but one have size 1. */
  static Shape alone(Shape shape, int axis) {
    long[] dims = new long[shape.rank()];
    Arrays.fill(dims, 1);
    dims[axis] = shape.at(axis);
    return Shape.of(dims);
  }

  /** Adds a tensor of the row-major numbers of its elements. */
  String numbers(Shape shape) {
    return counted(shape.elements(), shape);
  }

  private String counted(long count, Shape shape) {
    String limit = model.node("Squeeze", List.of(one(count)));
    String zero = model.number(Ops.I64, 0, 0);
    String range = model.node("Range", List.of(zero, limit, model.number(Ops.I64, 1, 1)));
    return model.node("Reshape", List.of(range, vector(shape)));
  }
}
