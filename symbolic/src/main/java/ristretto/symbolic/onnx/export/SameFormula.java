package ristretto.symbolic.onnx.export;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import ristretto.expr.Expr;
import ristretto.expr.dim.Dim;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.form.Form;
import ristretto.expr.type.Shape;

/** Comparison of an expression of unknown dimensions with the one for known dimensions. */
final class SameFormula {
  private final ToLongFunction<Dim.Atom.Symbol> sizes;
  private final UnknownDims scope = UnknownDims.current();
  private final Map<Expr<?>, Expr<?>> same = new IdentityHashMap<>();
  private final Set<Expr<?>> given = Collections.newSetFromMap(new IdentityHashMap<>());

  /**
   * Creates a comparison.
   *
   * @param sizes known sizes of the unknown dimensions
   */
  SameFormula(ToLongFunction<Dim.Atom.Symbol> sizes) {
    this.sizes = sizes;
  }

  /** Adds a value of a variable. */
  void given(Expr<?> unknown, Expr<?> known) {
    same.put(unknown, known);
    given.add(unknown);
  }

  /** Returns a shape for the known sizes; throws ArithmeticException if there is none. */
  Shape shape(Shape unknown) {
    return Shape.of(LongStream.of(unknown.extents()).map(this::at).toArray());
  }

  private long at(long dim) {
    return scope.call(() -> UnknownDims.of(dim)).at(sizes);
  }

  boolean isSame(Expr<?> unknown, Expr<?> known) {
    if (same.get(unknown) == known || given.contains(unknown)) {
      return same.get(unknown) == known;
    }
    List<Expr<?>> inputs = unknown.inputs();
    boolean is =
        inputs.size() == known.inputs().size()
            && shape(unknown.shape()).equals(known.shape())
            && isSame(unknown.form(), known.form(), known);
    for (int k = 0; is && k < inputs.size(); k++) {
      is = isSame(inputs.get(k), known.inputs().get(k));
    }
    same.put(unknown, known);
    return is;
  }

  private boolean isSame(Form unknown, Form known, Expr<?> e) {
    return switch (unknown) {
      case Form.Step u when known instanceof Form.Step k -> {
        boolean is = u.steps().equals(k.steps());
        Shape from = e.inputs().get(0).shape();
        for (int d = 0; is && d < u.starts().size(); d++) {
          long step = u.steps().get(d);
          long start = at(u.starts().get(d));
          long clipped = step > 0 ? Math.max(start, 0) : Math.min(start, from.dim(d) - 1);
          is = e.shape().dim(d) == 0 || clipped == k.starts().get(d);
        }
        yield is;
      }
      case Form.Pad u when known instanceof Form.Pad k ->
          u.before().stream().map(this::at).toList().equals(k.before());
      case Form.Number u when known instanceof Form.Number k ->
          isSame(u.value(), u.whole(), k.value());
      case Form.Elements u when known instanceof Form.Elements k -> {
        boolean is = u.rows().size() == k.rows().size() && u.result() == k.result();
        for (int r = 0; is && r < u.rows().size(); r++) {
          is = isSame(u.rows().get(r), k.rows().get(r));
        }
        yield is;
      }
      default -> unknown.equals(known);
    };
  }

  private boolean isSame(Form.Row unknown, Form.Row known) {
    return unknown instanceof Form.Row.Number u && known instanceof Form.Row.Number k
        ? isSame(u.value(), u.whole(), k.value())
        : unknown.equals(known);
  }

  private boolean isSame(double value, long whole, double known) {
    double expected =
        UnknownDims.find(whole)
            .map(dim -> (double) dim.at(sizes))
            .or(() -> UnknownDims.current().scaled(value).map(s -> s.at(sizes)))
            .orElse(value);
    return Double.compare(expected, known) == 0
        || Math.abs(expected - known) <= 1e-12 * Math.abs(known);
  }
}
