package ristretto.testkit;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterContainer;
import ristretto.expr.Context;

/**
 * Random expression graphs, shrunk to the smallest that fails: fused, step by step and by the
 * oracle they give the same numbers.
 */
@AddLifecycleHook(DeviceHook.class)
@OnCpu("other devices run the graphs of RandomGraphTest: shrinking one takes many compilations")
class GraphPropertyTest {
  private static final Context CPU = Context.open("cpu");

  @AfterContainer
  static void close() {
    CPU.close();
  }

  @Property(tries = 300)
  void fusedIsWhatTheOracleSays(
      @ForAll @Size(max = 80) List<@IntRange(min = 0, max = 5039) Integer> numbers) {
    new GraphCheck(CPU, numbers).fused();
  }

  /** The interpreter checks every access that the planned kernels make. */
  @Property(tries = 150)
  void plannedKernelsKeepTheRules(
      @ForAll @Size(max = 80) List<@IntRange(min = 0, max = 5039) Integer> numbers) {
    try (var ctx = Context.open("oracle")) {
      new GraphCheck(ctx, numbers).fused();
    }
  }

  @Property(tries = 100)
  void stepByStepIsWhatTheOracleSays(
      @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 5039) Integer> numbers) {
    new GraphCheck(CPU, numbers).stepByStep();
  }

  @Property(tries = 100)
  void assignmentIntoAViewTouchesNothingElse(
      @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 5039) Integer> numbers,
      @ForAll @IntRange(min = 0, max = 3) int step) {
    new GraphCheck(CPU, numbers).intoAView(step);
  }

  @Property(tries = 200)
  void assignmentToAnOperandReadsFirst(
      @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 5039) Integer> numbers,
      @ForAll boolean interpreted) {
    try (var ctx = Context.open(interpreted ? "oracle" : "cpu")) {
      new GraphCheck(ctx, numbers).ontoAnOperand();
    }
  }
}
