package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import ristretto.expr.memory.Storage;
import ristretto.expr.option.Optimization;
import ristretto.expr.recording.Recorded;
import ristretto.expr.recording.RecordedLoop;
import ristretto.expr.recording.Recorder;
import ristretto.expr.recording.Update;
import ristretto.kernels.device.Device;

/**
 * Intermediate representation of planning: steps in execution order, from recorded assignments to
 * kernels. Each {@link Pass} takes a schedule and returns another.
 *
 * @param plan tables of arguments, temporaries and notes that the steps refer to
 * @param without disabled optimizations
 * @param recorded assignments as recorded, by number
 * @param steps steps in execution order
 */
public record Schedule(
    PlanBuilder plan, Set<Optimization> without, List<Step.Assign> recorded, List<Step> steps) {
  public Schedule {
    recorded = List.copyOf(recorded);
    steps = List.copyOf(steps);
  }

  /** Schedule of the assignments of a recording; names the temporaries of the recording. */
  public static Schedule of(PlanBuilder plan, Set<Optimization> without, Recorded recording) {
    var all = new ArrayList<Step.Assign>();
    for (Recorder.Assigned a : recording.assigned()) {
      all.add(
          new Step.Assign(a.pairs(), recording.number(all.size()), a.round(), a.fresh(), false));
      for (Update p : a.pairs()) {
        if (p.target().storage() instanceof Storage.Planned planned) {
          plan.nameTemporary(planned);
        }
      }
    }
    var steps = new ArrayList<Step>();
    int done = 0;
    for (RecordedLoop loop : recording.loops()) {
      steps.addAll(nonEmpty(all.subList(done, loop.first())));
      List<Step.Assign> body = nonEmpty(all.subList(loop.first(), loop.end()));
      if (!body.isEmpty()) {
        steps.add(new Step.Loop(List.copyOf(body), loop.times(), loop.size()));
      }
      done = loop.end();
    }
    steps.addAll(nonEmpty(all.subList(done, all.size())));
    return new Schedule(plan, without, all, steps);
  }

  private static List<Step.Assign> nonEmpty(List<Step.Assign> all) {
    return all.stream().filter(a -> a.pairs().get(0).target().shape().size() > 0).toList();
  }

  /** Schedule of a single assignment. */
  public static Schedule of(PlanBuilder plan, List<Update> pairs) {
    var assign = new Step.Assign(pairs, 0, 0, false, false);
    return new Schedule(plan, Set.of(), List.of(assign), List.of(assign));
  }

  /** Device the plan is for. */
  Device device() {
    return plan.context().device();
  }

  /** Steps that are executed, once loops are unrolled. */
  List<Step.Lowered> lowered() {
    return steps.stream()
        .filter(s -> !(s instanceof Step.Materialize))
        .map(s -> (Step.Lowered) s)
        .toList();
  }

  /** Returns this schedule with other steps. */
  Schedule with(List<? extends Step> others) {
    return new Schedule(plan, without, recorded, List.copyOf(others));
  }

  /** Returns true if kernels may share values of two assignments: same part, same iteration. */
  boolean areInOneRegion(Step.Assign one, Step.Assign other) {
    return one.round() == other.round() && plan.part(one.number()) == plan.part(other.number());
  }

  /** Assignments that are not lowered yet, in order; those of loop bodies once. */
  List<Step.Assign> assignments() {
    return steps.stream().flatMap(s -> s.assignments().stream()).toList();
  }

  /** Printable form: one line per step; the bodies of loops are indented. */
  @Override
  public String toString() {
    return text(steps);
  }

  private static String text(List<? extends Step> steps) {
    var text = new StringBuilder();
    for (Step step : steps) {
      text.append(step.kind()).append(' ').append(step.what()).append('\n');
      if (step instanceof Step.Loop loop) {
        text.append(text(loop.body()).indent(2));
      }
    }
    return text.toString();
  }
}
