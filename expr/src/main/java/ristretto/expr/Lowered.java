package ristretto.expr;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A lowering with its outputs, for which everything that must be computed before is computed.
 *
 * @param outputs rows of the expressions that were read
 */
record Lowered(Lowering lowering, int[] outputs) {
  /**
   * Lowers expressions. Kernels that must come before may compute the same as this one: after each
   * of them the survey is made again, with what is in memory then.
   *
   * @param rows of a row kernel; null for others
   * @param surveyed true if the survey was made and no kernel came since
   * @throws Lowering.NotViewable if a reshape has no index map in these rows
   */
  static Lowered of(PlanBuilder plan, RowSpace rows, List<Survey.Root> roots, boolean surveyed) {
    boolean current = surveyed;
    while (true) {
      if (!current) {
        new Survey(plan, rows).run(roots);
      }
      current = false;
      int steps = plan.steps().size();
      Lowering lowering = rows == null ? Lowering.forMap(plan) : Lowering.forRows(plan, rows);
      int[] outputs = roots.stream().mapToInt(r -> lowering.read(r.expr(), r.chain())).toArray();
      if (plan.steps().size() == steps) {
        return new Lowered(lowering, outputs);
      }
    }
  }

  /** One expression of a map, scan or scatter kernel. */
  static Lowering.Parts of(PlanBuilder plan, Expr<?> e, ViewChain chain) {
    return of(plan, null, List.of(new Survey.Root(e, chain)), false).finish();
  }

  /** True if something is read that a store to {@code map} of {@code buffer} writes elsewhere. */
  boolean conflict(int buffer, IndexMap map, boolean anyOverlap) {
    return lowering.conflict(buffer, map, anyOverlap) != null;
  }

  Lowering.Parts finish() {
    return finish(List.of());
  }

  /** The parts of a kernel with further outputs: results of its reductions. */
  Lowering.Parts finish(List<Reduce<?>> results) {
    IntStream more = results.stream().mapToInt(lowering.results()::get);
    return lowering.finish(IntStream.concat(IntStream.of(outputs), more).toArray());
  }
}
