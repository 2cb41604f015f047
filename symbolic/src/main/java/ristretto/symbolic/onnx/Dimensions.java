package ristretto.symbolic.onnx;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import ristretto.expr.DType;
import ristretto.expr.Ops;

/**
 * Dimensions that are unknown until the model runs, computed in the graph from the shapes of its
 * tensors.
 */
public final class Dimensions {
  /** Largest number of dimensions to try as factors. */
  private static final int FACTORS = 12;

  private final Model model;

  /** Tensors of one I64 element that hold a dimension. */
  private final Map<Extent, String> computed = new LinkedHashMap<>();

  private final Map<Extent, Place> places = new LinkedHashMap<>();

  private record Place(String value, int axis) {}

  /** Product of dimensions. */
  private record Product(List<Extent> factors) {
    Extent extent() {
      return factors.stream().reduce(Extent.known(1), Extent::times);
    }
  }

  /** Creates an instance that knows no tensors yet. */
  public Dimensions(Model model) {
    this.model = model;
  }

  /** Adds a tensor whose shape can be read at run time. */
  public void add(Value value) {
    for (int axis = 0; axis < value.extents().rank(); axis++) {
      Extent e = value.extents().at(axis);
      if (!e.isKnown()) {
        places.putIfAbsent(e, new Place(value.name(), axis));
      }
    }
  }

  /** Returns the name of a tensor with one I64 element that holds a dimension. */
  String one(Extent e) {
    if (e.isKnown()) {
      return model.wholes(e.first());
    }
    String known = computed.get(e);
    if (known == null) {
      known = compute(e);
      computed.put(e, known);
    }
    return known;
  }

  private String compute(Extent e) {
    Place place = places.get(e);
    if (place != null) {
      String shape = model.node("Shape", List.of(place.value));
      return model.node("Gather", List.of(shape, model.wholes(place.axis)));
    }
    for (Product p : products()) {
      long factor = e.over(p.extent());
      long divisor = p.extent().over(e);
      if (factor == 1) {
        return product(p);
      }
      if (factor > 1) {
        return model.node("Mul", List.of(product(p), model.wholes(factor)));
      }
      if (divisor > 1) {
        return model.node("Div", List.of(product(p), model.wholes(divisor)));
      }
    }
    for (Extent s : places.keySet()) {
      if (e.minus(s).isKnown()) {
        return model.node("Add", List.of(one(s), model.wholes(e.minus(s).first())));
      }
    }
    throw new Unsayable("an extent that does not follow from those of the inputs");
  }

  private String product(Product p) {
    String all = one(p.factors.get(0));
    for (Extent factor : p.factors.subList(1, p.factors.size())) {
      all = model.node("Mul", List.of(all, one(factor)));
    }
    return all;
  }

  /** Returns the products of one, two and three dimensions. */
  private List<Product> products() {
    List<Extent> all = places.keySet().stream().limit(FACTORS).toList();
    var products = new ArrayList<Product>();
    all.forEach(a -> products.add(new Product(List.of(a))));
    all.forEach(a -> all.forEach(b -> products.add(new Product(List.of(a, b)))));
    all.forEach(
        a -> all.forEach(b -> all.forEach(c -> products.add(new Product(List.of(a, b, c))))));
    return products;
  }

  /** Returns the name of an I64 tensor with one axis that holds a shape. */
  public String vector(Extents extents) {
    List<Extent> all = extents.all();
    if (all.stream().allMatch(Extent::isKnown)) {
      return model.wholes(all.stream().mapToLong(Extent::first).toArray());
    }
    if (all.size() == 1) {
      return one(all.get(0));
    }
    return model.node(
        "Concat", all.stream().map(this::one).toList(), new Attribute.Whole("axis", 0));
  }

  /**
   * Adds a scalar that depends on unknown dimensions, given its value for each of the three sets.
   */
  String number(DType<?> dtype, double first, double second, double third) {
    for (Product p : products()) {
      Extent q = p.extent();
      Optional<Double> factor = same(first / q.first(), second / q.second(), third / q.third());
      if (factor.isPresent()) {
        return scaled("Mul", dtype, factor.get(), product(p));
      }
      Optional<Double> dividend = same(first * q.first(), second * q.second(), third * q.third());
      if (dividend.isPresent()) {
        return scaled("Div", dtype, dividend.get(), product(p));
      }
    }
    for (Extent s : places.keySet()) {
      Optional<Double> more = same(first - s.first(), second - s.second(), third - s.third());
      if (more.isPresent()) {
        return scaled("Add", dtype, more.get(), one(s));
      }
    }
    throw new Unsayable("a number that does not follow from extents of the inputs");
  }

  private static Optional<Double> same(double a, double b, double c) {
    double middle = (a + b) / 2;
    double error = 1e-6 * Math.abs(middle);
    boolean equal = Math.abs(a - b) <= error && Math.abs(a - c) <= error;
    boolean whole = Math.abs(middle - Math.rint(middle)) <= error;
    return equal ? Optional.of(whole ? Math.rint(middle) : middle) : Optional.empty();
  }

  private String scaled(String how, DType<?> dtype, double by, String product) {
    String scalar = model.node("Squeeze", List.of(product));
    String cast =
        model.node("Cast", List.of(scalar), new Attribute.Whole("to", Model.number(dtype)));
    return model.node(how, List.of(model.number(dtype, by, (long) by), cast));
  }

  /** Adds a tensor of 0, 1, 2, ... along an axis of {@code extents}; the other axes have size 1. */
  String positions(Extents extents, int axis) {
    var shape = new ArrayList<Extent>();
    for (int d = 0; d < extents.rank(); d++) {
      shape.add(d == axis ? extents.at(d) : Extent.known(1));
    }
    return counted(extents.at(axis), Extents.of(shape));
  }

  /** Adds a tensor of the row-major numbers of its elements. */
  String numbers(Extents extents) {
    return counted(extents.all().stream().reduce(Extent.known(1), Extent::times), extents);
  }

  private String counted(Extent count, Extents shape) {
    String limit = model.node("Squeeze", List.of(one(count)));
    String zero = model.number(Ops.I64, 0, 0);
    String range = model.node("Range", List.of(zero, limit, model.number(Ops.I64, 1, 1)));
    return model.node("Reshape", List.of(range, vector(shape)));
  }
}
