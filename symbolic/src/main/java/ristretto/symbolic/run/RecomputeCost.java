package ristretto.symbolic.run;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Tensor;

/**
 * Cost estimate that decides whether each reader recomputes an expression or the value is stored.
 */
final class RecomputeCost {
  /** Largest number of operations that are recomputed rather than stored. */
  private static final int CHEAP = 8;

  private RecomputeCost() {}

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
      if (e.isBarrier() || operations > CHEAP) {
        return false;
      }
      open.addAll(e.inputs());
    }
    return true;
  }
}
