package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.expr.graph.Term;
import ristretto.expr.plan.PlanBuilder;
import ristretto.expr.plan.Step;
import ristretto.expr.recording.Recorded;
import ristretto.expr.recording.Recorder;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.ir.Kernel;

/**
 * Work that planning takes as expressions grow, in expressions looked at and operations of kernels:
 * at most quadratic in the size of the graph, and kernels of linear size.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlanningWorkTest {
  private static final int STEPS = 200;
  private static final int SIZE = ExpressionFamily.Growth.SIZE;

  private final Context ctx = Context.open("cpu");
  private final Tensor<F32> x = ctx.ones(F32, SIZE, SIZE);
  private final Tensor<I32> index = ctx.tensor(new int[] {5, 4, 3, 2, 1, 0});

  @AfterAll
  void close() {
    ctx.close();
  }

  /**
   * @param work expressions and views that were looked at
   * @param operations of all kernels
   */
  private record Cost(long size, long work, long operations) {}

  private interface Planned {
    /** Plans so many steps of a family. */
    Cost of(ExpressionFamily family, int steps);
  }

  private static void isBounded(Planned planned, ExpressionFamily family) {
    Cost half = planned.of(family, STEPS / 2);
    Cost whole = planned.of(family, STEPS);
    assertThat(whole.size).as("size of the graph").isLessThan(3 * half.size);
    assertThat(whole.work)
        .as("work for %d steps is %s, for twice as many %s", STEPS / 2, half, whole)
        .isLessThan(5 * half.work)
        .isLessThan(2 * whole.size * whole.size + 100);
    assertThat(whole.operations)
        .as("operations for %d steps are %s, for twice as many %s", STEPS / 2, half, whole)
        .isLessThan(3 * half.operations + 100)
        .isLessThan(40 * whole.size);
  }

  @ParameterizedTest
  @EnumSource
  void expressions(ExpressionFamily family) {
    isBounded((f, steps) -> explained(f.grow(x, steps, index)), family);
  }

  @ParameterizedTest
  @EnumSource
  void reductionsOverRows(ExpressionFamily family) {
    isBounded((f, steps) -> explained(sum(f.grow(x, steps, index), 1)), family);
  }

  @ParameterizedTest
  @EnumSource
  void softmaxOf(ExpressionFamily family) {
    isBounded((f, steps) -> explained(softmax(f.grow(x, steps, index), 0)), family);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"LAMBDA_REDUCTIONS"})
  void gradients(ExpressionFamily family) {
    isBounded((f, steps) -> explained(gradient(sum(f.grow(x, steps, index)), x)), family);
  }

  @ParameterizedTest
  @EnumSource
  void recordings(ExpressionFamily family) {
    isBounded(
        (f, steps) ->
            recorded(() -> {
              Tensor<F32> t = x;
              for (int k = 0; k < steps; k++) {
                t = ctx.eval(f.step(t, k, index));
              }
              ctx.assign(x, t);
            }),
        family);
  }

  /** Values of two steps are read by each further one. */
  @ParameterizedTest
  @EnumSource
  void recordingsThatReadTwoSteps(ExpressionFamily family) {
    isBounded(
        (f, steps) ->
            recorded(() -> {
              Tensor<F32> before = x;
              Tensor<F32> t = x;
              for (int k = 0; k < steps; k++) {
                Tensor<F32> next = ctx.eval(t.plus(before));
                before = t;
                t = k % 4 == 3 ? ctx.eval(f.step(next, k, index)) : next;
              }
              ctx.assign(x, t);
            }),
        family);
  }

  @ParameterizedTest
  @EnumSource
  void assignmentsInPlace(ExpressionFamily family) {
    isBounded(
        (f, steps) -> {
          Expr<F32> e = f.grow(x, steps, index);
          return cost(e, ctx.explain(x, e));
        },
        family);
  }

  @ParameterizedTest
  @EnumSource
  void textIsShort(ExpressionFamily family) {
    assertThat(family.grow(x, STEPS, index).toString()).hasSizeLessThan(200);
  }

  @Test
  void descriptionsOfWideExpressionsAreShort() {
    Expr<F32> e = x;
    for (int level = 0; level < 4; level++) {
      @SuppressWarnings({"unchecked", "rawtypes"})
      Expr<F32>[] parts = new Expr[60];
      java.util.Arrays.fill(parts, e.times(2));
      e = concat(0, parts).slice(range(0, SIZE));
    }
    assertThat(ctx.explain(e).toString()).hasSizeLessThan(100_000);
  }

  private Cost explained(Expr<?> e) {
    return cost(e, ctx.explain(e));
  }

  private Cost recorded(Runnable body) {
    var recorder = new Recorder(Recorder.Mode.LATER_KEEPING_NOTHING);
    return ctx.session()
        .recording(
            body,
            recorder,
            (session, without) -> {
              PlanBuilder built =
                  Program.plan(session, Recorded.of(recorder), without, java.util.List.of());
              long size = 0;
              for (Recorder.Assigned a : recorder.assigned()) {
                size += size(a.pairs().get(0).expr());
              }
              var plan = new Plan(built);
              return new Cost(size, plan.work(), operations(plan));
            });
  }

  private static Cost cost(Expr<?> e, Plan plan) {
    return new Cost(size(e), plan.work(), operations(plan));
  }

  /** Expressions that an expression is made of. */
  private static long size(Term root) {
    var seen = Collections.newSetFromMap(new IdentityHashMap<Term, Boolean>());
    var open = new ArrayDeque<Term>();
    open.add(root);
    while (!open.isEmpty()) {
      Term e = open.poll();
      if (seen.add(e)) {
        open.addAll(e.operands());
      }
    }
    return seen.size();
  }

  private static long operations(Plan plan) {
    long count = 0;
    for (Step s : plan.steps()) {
      if (s instanceof Step.KernelStep k) {
        count +=
            switch (k.kernel()) {
              case Kernel.Map map -> map.tape().nodes().size();
              case Kernel.Row row -> row.tape().nodes().size();
              case Kernel.Scan scan -> scan.tape().nodes().size();
              case Kernel.Recurrence recurrence -> recurrence.tape().nodes().size();
              case Kernel.Scatter scatter -> scatter.tape().nodes().size();
              default -> 1;
            };
      }
    }
    return count;
  }
}
