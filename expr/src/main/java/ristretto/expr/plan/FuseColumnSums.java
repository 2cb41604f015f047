package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import ristretto.expr.graph.Barrier.Reduce;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.graph.Traversal;
import ristretto.expr.recording.Update;
import ristretto.expr.type.Shape;
import ristretto.kernels.ir.Kernel;

/**
 * Fuses column sums (reductions over all outer axes) with the kernel that writes their operand, or
 * with one another, so that the operand is read once or stays in registers. A sum may move forward
 * past other assignments.
 *
 * <p>Assumes joined element-wise kernels. Guarantees the effect of executing the assignments in
 * order. Leaves the schedule as it is on devices without such kernels.
 */
final class FuseColumnSums implements Pass {
  /**
   * Maximal number of assignments that an element-wise one moves past: their results take memory.
   */
  private static final int NEAR = 4;

  @Override
  public Schedule apply(Schedule schedule) {
    if (schedule.steps().size() < 2 || !schedule.device().supportsFusedColumnSums()) {
      return schedule;
    }
    Schedule result = new Run(schedule).result();
    schedule.plan().forgetAll();
    return result;
  }

  private static final class Run {
    private final Schedule schedule;
    private final PlanBuilder plan;

    /** Assignments in execution order, those of joined kernels among them. */
    private final List<Step.Assign> assigned = new ArrayList<>();

    private final Map<Step.Assign, Integer> positions = new IdentityHashMap<>();

    /** Positions of fused assignments. */
    private final BitSet done = new BitSet();

    /** Accesses of the assignments; null until a column sum is found. */
    private Dependences dependences;

    private final Map<Integer, Optional<Term>> sums = new HashMap<>();
    private List<Step> steps = new ArrayList<>();
    private Step.Assign last;

    Run(Schedule schedule) {
      this.schedule = schedule;
      this.plan = schedule.plan();
      for (Step.Assign a : schedule.assignments()) {
        positions.put(a, assigned.size());
        assigned.add(a);
      }
    }

    Schedule result() {
      if (IntStream.range(0, assigned.size()).noneMatch(this::isColumnSum)) {
        return schedule;
      }
      dependences = new Dependences(plan, assigned, done);
      return schedule.with(fused(schedule.steps()));
    }

    private List<Step> fused(List<Step> all) {
      List<Step> outer = steps;
      steps = new ArrayList<>();
      all.forEach(this::fuse);
      List<Step> result = steps;
      steps = outer;
      return result;
    }

    private void fuse(Step step) {
      if (step instanceof Step.Loop loop) {
        steps.add(loop.with(fused(loop.body())));
        return;
      }
      List<Step.Assign> rest =
          step.assignments().stream().filter(a -> !done.get(positions.get(a))).toList();
      if (rest.isEmpty()) {
        return;
      }
      if (last != null && !schedule.areInOneRegion(last, rest.get(0))) {
        plan.forgetAll();
      }
      last = rest.get(0);
      if (step instanceof Step.Elementwise) {
        elementwise(rest.size() == step.assignments().size() ? List.of(step) : joined(rest));
      } else {
        Step.Columns fused = fuse(positions.get(rest.get(0)));
        append(fused == null ? step : fused);
      }
    }

    /** Joins what is left of a kernel, after sums have taken some of its assignments. */
    private List<Step> joined(List<Step.Assign> rest) {
      var joined = new JoinElementwise.Joined(schedule);
      rest.forEach(joined::add);
      return joined.finish();
    }

    private void elementwise(List<Step> kernels) {
      for (Step kernel : kernels) {
        Step.Columns fused =
            kernel instanceof Step.Elementwise e && e.kernel().isWhole() ? fuse(e.kernel()) : null;
        append(fused == null ? kernel : fused);
      }
    }

    private void append(Step step) {
      steps.add(step);
      plan.assigned(step);
    }

    /** Fuses sums with an element-wise kernel; null if there are none. */
    private Step.Columns fuse(ElementwiseKernel kernel) {
      List<Integer> members = kernel.members().stream().map(positions::get).toList();
      for (Step.Assign a : kernel.members()) {
        for (int reader : dependences.readers(a.pairs().get(0).target().storage())) {
          long columns = reader > members.getLast() ? columns(reader, kernel.shape().size()) : 0;
          ColumnKernel fused = columns == 0 ? null : ColumnKernel.of(plan, kernel.shape(), columns);
          if (fused != null) {
            return new Search(fused, members).run();
          }
        }
      }
      return null;
    }

    /** Fuses an assignment of sums with others; null if it is none, or there are no others. */
    private Step.Columns fuse(int assignment) {
      Term r = sum(assignment);
      if (r == null) {
        return null;
      }
      Shape shape = r.operand(0).shape();
      long columns = ColumnKernel.columns(r, shape.size());
      if (columns == 0) {
        return null;
      }
      ColumnKernel kernel = ColumnKernel.of(plan, elements(assignment, shape), columns);
      return kernel == null ? null : new Search(kernel, List.of(assignment)).run();
    }

    /** Shape of the elements that sums of an assignment are fused with. */
    private Shape elements(int assignment, Shape shape) {
      for (Update p : assigned.get(assignment).pairs()) {
        for (int reader : dependences.readers(p.target().storage())) {
          Shape other = assigned.get(reader).pairs().get(0).target().shape();
          if (reader > assignment && other.size() == shape.size()) {
            return other;
          }
        }
      }
      return shape;
    }

    private boolean isColumnSum(int assignment) {
      Term r = sum(assignment);
      return r != null && ColumnKernel.columns(r, r.operand(0).shape().size()) > 0;
    }

    private long columns(int assignment, long elements) {
      Term r = sum(assignment);
      return r == null ? 0 : ColumnKernel.columns(r, elements);
    }

    /** First reduction of an assignment; null if there is none. */
    private Term sum(int assignment) {
      return sums.computeIfAbsent(assignment, this::find).orElse(null);
    }

    private Optional<Term> find(int assignment) {
      for (Update p : assigned.get(assignment).pairs()) {
        var found = new ArrayList<Term>(1);
        Traversal.visit(
            p.expr(),
            e -> e.isBarrier() ? List.of() : e.operands(),
            e -> {
              if (e.operation() instanceof Reduce) {
                found.add(e);
              }
            });
        if (!found.isEmpty()) {
          return Optional.of(found.get(0));
        }
      }
      return Optional.empty();
    }

    /** Search for assignments that fit a kernel which begins with some. */
    private final class Search {
      private final ColumnKernel kernel;
      private final List<Integer> members;
      private final Set<Integer> taken;
      private final TreeSet<Integer> open = new TreeSet<>();
      private Kernel.Row fused;

      Search(ColumnKernel kernel, List<Integer> first) {
        this.kernel = kernel;
        this.members = new ArrayList<>(first);
        this.taken = new HashSet<>(first);
        for (int member : first) {
          openReaders(member, first.getLast());
          openBeside(member, first.getLast());
        }
      }

      private void openReaders(int member, int after) {
        for (Update p : assigned.get(member).pairs()) {
          dependences.readers(p.target().storage()).stream()
              .filter(k -> k > after)
              .forEach(open::add);
        }
      }

      /** Opens sums that read the same elements as a member. */
      private void openBeside(int member, int after) {
        for (Update p : assigned.get(member).pairs()) {
          for (StorageView t : Traversal.leaves(p.expr())) {
            if (kernel.isOfElements(t.shape())) {
              dependences.readers(t.storage()).stream()
                  .filter(k -> k > after && sum(k) != null)
                  .forEach(open::add);
            }
          }
        }
      }

      Step.Columns run() {
        int first = members.get(0);
        int begun = members.size();
        while (!open.isEmpty()) {
          int next = open.pollFirst();
          if (!taken.contains(next)
              && !assigned.get(next).isPart()
              && schedule.areInOneRegion(assigned.get(first), assigned.get(next))
              && isNear(first, next)) {
            tryFuse(next, first);
          }
        }
        plan.forgetRecomputed();
        if (members.size() == begun || fused == null) {
          return null;
        }
        members.forEach(done::set);
        return new Step.Columns(members.stream().map(assigned::get).toList(), fused);
      }

      private boolean isNear(int first, int next) {
        return sum(next) != null || dependences.between(first, next) - taken.size() <= NEAR;
      }

      private void tryFuse(int next, int first) {
        if (!dependences.canRunAfter(next, first, taken)) {
          return;
        }
        members.add(next);
        Kernel.Row with = kernel.draft(members.stream().map(k -> assigned.get(k).pairs()).toList());
        if (with == null) {
          members.removeLast();
          return;
        }
        fused = with;
        taken.add(next);
        openReaders(next, next);
      }
    }
  }
}
