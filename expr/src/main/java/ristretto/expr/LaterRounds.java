package ristretto.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.kernels.ShapeException;

/**
 * Adds to the steps of a plan those of rounds that were not recorded: kernels of the last recorded
 * round, with operands further on. It assumes that no kernel is of several rounds, which {@link
 * ProgramPlanner} sees to, and gives up where kernels of rounds differ in more than places.
 */
final class LaterRounds {
  private final PlanBuilder plan;
  private final Recorded recording;
  private final List<Step> planned;
  private final Map<Integer, int[]> lifetimes;
  private final List<Step> steps = new ArrayList<>();
  private int copied;

  private LaterRounds(PlanBuilder plan, Recorded recording) {
    this.plan = plan;
    this.recording = recording;
    this.planned = List.copyOf(plan.steps());
    this.lifetimes = PlanBuilder.lifetimes(planned);
  }

  /**
   * Adds the steps, and numbers assignments as if all rounds were recorded.
   *
   * @return whether it could
   */
  static boolean apply(PlanBuilder plan, Recorded recording) {
    return !recording.isShort() || new LaterRounds(plan, recording).run();
  }

  private boolean run() {
    if (!planned.stream().allMatch(s -> s instanceof Step.KernelStep k && !k.from().isEmpty())) {
      return false;
    }
    for (Rounds r : recording.rounds()) {
      if (r.isShort() && !add(r)) {
        return false;
      }
    }
    copyUpTo(planned.size());
    plan.replaceSteps(steps, recording);
    return true;
  }

  private Step.KernelStep planned(int step) {
    return (Step.KernelStep) planned.get(step);
  }

  /** The first step of an assignment, or of those after it. */
  private int step(int assignment) {
    int step = copied;
    while (step < planned.size() && planned(step).from().get(0) < assignment) {
      step++;
    }
    return step;
  }

  private void copyUpTo(int end) {
    for (; copied < end; copied++) {
      Step.KernelStep step = planned(copied);
      List<Integer> from = step.from().stream().map(recording::number).toList();
      steps.add(
          from.equals(step.from()) ? step : new Step.KernelStep(step.kernel(), step.what(), from));
    }
  }

  private boolean add(Rounds r) {
    int last = r.recorded() - 1;
    for (int round = 1; round <= last; round++) {
      int start = step(r.start(round));
      requireOwn(r.made(round), new Range(start, step(r.start(round + 1))));
    }
    var earlier = new Range(step(r.start(last - 2)), step(r.start(last - 1)));
    var before = new Range(earlier.end, step(r.start(last)));
    var now = new Range(before.end, step(r.end()));
    int count = now.size();
    if (before.size() != count
        || earlier.size() != count
        || !isOf(earlier, r.start(last - 1))
        || !isOf(before, r.start(last))
        || !isOf(now, r.end())) {
      return false;
    }
    var forms = new KernelForm[count];
    long[][] further = new long[count][];
    var own = new HashMap<Integer, Integer>();
    var ownBefore = new HashMap<Integer, Integer>();
    for (int k = 0; k < count; k++) {
      KernelForm other = form(earlier.from + k);
      KernelForm one = form(before.from + k);
      forms[k] = form(now.from + k);
      if (other == null || one == null || forms[k] == null) {
        return false;
      }
      further[k] = distances(one, before, forms[k], now, own);
      long[] same = distances(other, earlier, one, before, ownBefore);
      if (further[k] == null || !Arrays.equals(further[k], same)) {
        return false;
      }
    }
    copyUpTo(now.end);
    var likes = new ArrayList<>(steps.subList(steps.size() - count, steps.size()));
    var shared = new ArrayList<Set<Integer>>();
    for (Step like : likes) {
      var others = new LinkedHashSet<>(((Step.KernelStep) like).buffers());
      others.removeAll(own.keySet());
      shared.add(others);
    }
    for (int by = 1; by <= r.missing(); by++) {
      for (int k = 0; k < count; k++) {
        var like = (Step.KernelStep) likes.get(k);
        var motion = new Step.Motion(like, forms[k], further[k], by, by * r.size(), shared.get(k));
        steps.add(new Step.KernelStep(motion));
      }
    }
    return true;
  }

  /** Steps of a round. */
  private record Range(int from, int end) {
    int size() {
      return end - from;
    }
  }

  private void requireOwn(Set<Storage> made, Range round) {
    for (Storage s : made) {
      int[] life = plan.isNumbered(s) ? lifetimes.get(plan.number(s)) : null;
      if (life != null && (life[0] < round.from || life[1] >= round.end)) {
        throw new ShapeException(
            "[repeat] what a round makes must not be used outside of it, but for the first round's;"
                + " got "
                + ((Storage.Planned) s).dtype()
                + ((Storage.Planned) s).shape()
                + "; make it before the rounds and write to its parts.");
      }
    }
  }

  /** Whether all the steps are of assignments before one. */
  private boolean isOf(Range range, int end) {
    for (int k = range.from; k < range.end; k++) {
      if (planned(k).from().getLast() >= end) {
        return false;
      }
    }
    return true;
  }

  private KernelForm form(int step) {
    return KernelForm.of(planned(step).kernel()).orElse(null);
  }

  /**
   * How many elements further on the operands of {@code b} are; null if it is not the same kernel.
   *
   * @param own temporaries of the second round, with those of the first in their place
   */
  private long[] distances(
      KernelForm a, Range of, KernelForm b, Range in, Map<Integer, Integer> own) {
    if (!a.key().equals(b.key())
        || !Arrays.equals(plan.bits(a.scalars()), plan.bits(b.scalars()))) {
      return null;
    }
    long[] distances = a.distances(b);
    for (int k = 0; k < distances.length; k++) {
      int one = a.arguments()[k];
      int other = b.arguments()[k];
      boolean temporary = isOnlyOf(other, in);
      if (temporary != isOnlyOf(one, of)
          || (temporary
              ? distances[k] != 0 || own.merge(other, one, (x, y) -> x.equals(y) ? x : -1) != one
              : one != other)) {
        return null;
      }
    }
    return distances;
  }

  private boolean isOnlyOf(int argument, Range steps) {
    int[] life = lifetimes.get(argument);
    return plan.isTemporary(argument) && steps.from <= life[0] && life[1] < steps.end;
  }
}
