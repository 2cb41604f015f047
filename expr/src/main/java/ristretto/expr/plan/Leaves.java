package ristretto.expr.plan;

import java.util.List;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.graph.Traversal;

/** Queries on the terms of a plan, which replace inlined temporaries by their expressions. */
final class Leaves {
  private Leaves() {}

  /** Tensors that an expression reads, and what inlined temporaries read instead of these. */
  static List<StorageView> read(PlanBuilder plan, Term e) {
    var all = Traversal.leaves(e, x -> inputs(plan, x));
    all.removeIf(t -> plan.substitute(t) != null);
    return all;
  }

  /** Returns true if an expression is element-wise; the expressions of inlined temporaries too. */
  static boolean isElementwise(PlanBuilder plan, Term root) {
    boolean[] result = {true};
    Traversal.visit(root, e -> inputs(plan, e), e -> result[0] &= !e.isBarrier());
    return result[0];
  }

  /** Number of expressions, with those of inlined temporaries. */
  static int count(PlanBuilder plan, Term root) {
    int[] count = new int[1];
    Traversal.visit(root, e -> inputs(plan, e), _ -> count[0]++);
    return count[0];
  }

  /** Inputs of an expression; the expression of an inlined temporary. */
  private static List<Term> inputs(PlanBuilder plan, Term e) {
    plan.visited(1);
    Term substitute = e.memory() == null ? null : plan.substitute(e.memory());
    return substitute == null ? e.operands() : List.of(substitute);
  }
}
