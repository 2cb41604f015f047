package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.graph.Concat;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.recording.Update;
import ristretto.expr.type.Slice;

/**
 * Splits the assignment of a concatenation into one assignment per part, if the parts have one
 * shape. The parts become stores of one kernel, which computes their common subexpressions once;
 * unsplit, each element would compute all parts and select one by its position.
 *
 * <p>Assumes inlined temporaries. Guarantees that no part reads what another part writes. Runs
 * before {@link JoinElementwise}, which joins the parts.
 */
final class SplitConcats implements Pass {
  @Override
  public Schedule apply(Schedule schedule) {
    List<Step> all = split(schedule.plan(), schedule.steps());
    return all.equals(schedule.steps()) ? schedule : schedule.with(all);
  }

  private static List<Step> split(PlanBuilder plan, List<Step> steps) {
    var all = new ArrayList<Step>();
    for (Step step : steps) {
      switch (step) {
        case Step.Assign a -> {
          List<Update> parts = a.pairs().size() == 1 ? parts(plan, a.pairs().get(0)) : List.of();
          if (parts.isEmpty()) {
            all.add(a);
          }
          parts.forEach(
              p -> all.add(new Step.Assign(List.of(p), a.number(), a.round(), false, true)));
        }
        case Step.Loop loop -> all.add(loop.with(split(plan, loop.body())));
        case Step.Elementwise _, Step.Columns _, Step.Materialize _, Step.Lowered _ ->
            all.add(step);
      }
    }
    return all;
  }

  /** Returns the assignment of each part; none if the assignment must not be split. */
  static List<Update> parts(PlanBuilder plan, Update p) {
    Term concat = p.expr();
    if (!(concat.operation() instanceof Concat c)
        || concat.shape().size() == 0
        || !p.target().shape().equals(concat.shape())
        || !JoinElementwise.isJoinable(plan, p)
        || reads(plan, concat, p.target())) {
      return List.of();
    }
    var parts = new ArrayList<Update>();
    Slice[] slices = new Slice[c.axis() + 1];
    Arrays.fill(slices, Slice.all());
    long extent = concat.operand(0).shape().at(c.axis());
    for (Term part : concat.operands()) {
      if (part.shape().at(c.axis()) != extent) {
        return List.of();
      }
      slices[c.axis()] = Slice.range(parts.size() * extent, (parts.size() + 1) * extent);
      parts.add(new Update(p.target().slice(slices), part));
    }
    return parts;
  }

  /** Returns true if an expression reads memory that the target covers. */
  private static boolean reads(PlanBuilder plan, Term e, StorageView target) {
    return Leaves.read(plan, e).stream().anyMatch(t -> t.mayOverlap(target));
  }
}
