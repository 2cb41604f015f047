package ristretto.symbolic.onnx;

import ristretto.expr.Expr;
import ristretto.expr.Form;

/** Expression of a formula, built for each of the three sets of {@link Extents}. */
record Alike(Expr<?> first, Expr<?> second, Expr<?> third) {
  Alike {
    int inputs = first.inputs().size();
    Class<?> kind = first.form().getClass();
    if (kind != second.form().getClass()
        || kind != third.form().getClass()
        || inputs != second.inputs().size()
        || inputs != third.inputs().size()) {
      throw new Unsayable("another formula for each shape");
    }
  }

  Alike input(int k) {
    return new Alike(first.inputs().get(k), second.inputs().get(k), third.inputs().get(k));
  }

  Extents extents() {
    return Extents.of(first.shape(), second.shape(), third.shape());
  }

  Form form() {
    return first.form();
  }
}
