package ristretto.symbolic;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.LExpr;
import ristretto.expr.Tensor;

/** Whether an expression is cheap enough to be computed wherever it is read. */
final class Cost {
  /** Operations that are computed again rather than read from memory. */
  private static final int CHEAP = 8;

  private Cost() {}

  static boolean isCheap(Expr<?> root) {
    var seen = Collections.newSetFromMap(new IdentityHashMap<Expr<?>, Boolean>());
    var open = new ArrayDeque<Expr<?>>();
    open.add(root);
    int operations = 0;
    while (!open.isEmpty()) {
      Expr<?> e = open.poll();
      if (Gradients.values(e) instanceof Tensor<?> || !seen.add(e)) {
        continue;
      }
      operations += e.inputs().isEmpty() ? 0 : 1;
      if (e instanceof LExpr<?> || operations > CHEAP) {
        return false;
      }
      open.addAll(e.inputs());
    }
    return true;
  }
}
