package ristretto.expr.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.sum;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.recording.Recorded;
import ristretto.expr.recording.Recorder;
import ristretto.expr.recording.Update;
import ristretto.expr.type.F32;

class VerifyScheduleTest {
  private Context context;
  private Tensor<F32> x;
  private Tensor<F32> y;
  private Tensor<F32> w;

  @BeforeEach
  void open() {
    context = Context.open("cpu");
    x = context.ones(F32, 2, 3);
    y = context.empty(F32, 2, 3);
    w = context.ones(F32, 3, 3);
  }

  @AfterEach
  void close() {
    context.close();
  }

  private Schedule schedule(List<Pair<?>> pairs) {
    var key = new ExprKey();
    var assigned = new ArrayList<Recorder.Assigned>();
    for (Pair<?> pair : pairs) {
      var p = new Update(pair.target().memory(), pair.expr());
      key.target(p.target());
      key.add(p.expr());
      assigned.add(new Recorder.Assigned(List.of(p), false, null, true, 0));
    }
    var plan = new PlanBuilder(x.memory().storage().owner(), key);
    return Schedule.of(plan, Set.of(), new Recorded(assigned, List.of(), List.of()));
  }

  @Test
  void everyTargetIsStillAssigned() {
    Schedule before = schedule(List.of(Pair.of(x, y.plus(1)), Pair.of(y, x.times(2))));
    Schedule after = before.with(before.steps().subList(1, 2));
    assertThatThrownBy(() -> VerifySchedule.check("Forgetful", before, after))
        .isInstanceOf(AssertionError.class)
        .hasMessageMatching(
            "\\[plan] after Forgetful, each target that is not inlined must be assigned; got assign"
                + " f32\\[2,3] = add in\\R  assign f32\\[2,3] = mul\\R; this is an error of"
                + " Ristretto: please report it\\.");
  }

  @Test
  void temporariesAreWrittenBeforeTheyAreRead() {
    Schedule before = schedule(List.of(Pair.of(y, dot(x, w).plus(dot(x.times(2), w)))));
    Schedule lowered = new LowerAssignments().apply(before);
    assertThat(lowered.steps().get(1)).isInstanceOf(Step.Materialize.class);
    List<Step> kernels =
        lowered.steps().stream().filter(s -> s instanceof Step.KernelStep).toList();
    assertThat(kernels).hasSize(4);
    assertThat(VerifySchedule.check("LowerAssignments", before, lowered)).isTrue();
    Schedule swapped = lowered.with(kernels.reversed());
    assertThatThrownBy(() -> VerifySchedule.check("Reversing", lowered, swapped))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith(
            "[plan] after Reversing, a temporary must be written before it is read; got map_");
  }

  @Test
  void allStepsAreLoweredOrNone() {
    Schedule before = schedule(List.of(Pair.of(x, y.plus(1)), Pair.of(y, sum(x).plus(y))));
    var steps = new ArrayList<Step>(new LowerAssignments().apply(before).steps());
    steps.addAll(before.steps());
    assertThatThrownBy(() -> VerifySchedule.check("Half", before, before.with(steps)))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("[plan] after Half, either all steps or none must be lowered; got");
  }

  @Test
  void aLoopAloneIsLoweredToo() {
    Schedule before = schedule(List.of(Pair.of(x, y.plus(1))));
    Schedule loop = before.with(List.of(new Step.Loop(before.steps(), 3, 1)));
    Schedule lowered = new LowerAssignments().apply(loop);
    assertThat(lowered.steps()).hasOnlyElementsOfType(Step.Loop.class);
    assertThat(VerifySchedule.check("LowerAssignments", loop, lowered)).isTrue();
    assertThat(new UnrollLoops().apply(lowered).steps()).hasSize(3);
  }
}
