package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Pair;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/**
 * Random sequences of assignments over a few tensors, their views, in-place updates and
 * temporaries: a recorded program must do what the assignments do one by one, bit for bit.
 */
class RandomProgramTest {
  private static final int ROWS = 4;
  private static final int COLUMNS = 6;
  private static final long FIRST = 800;
  private static final int PROGRAMS = TestDevice.isCpu() ? 60 : 15;

  /** The tensors a program works on. */
  private record State(Context ctx, List<Tensor<F32>> kept) {
    static State of(Context ctx, long seed) {
      var kept = new ArrayList<Tensor<F32>>();
      for (int k = 0; k < 4; k++) {
        kept.add(ctx.eval(uniform(F32, seed + k, ROWS, COLUMNS)));
      }
      return new State(ctx, kept);
    }
  }

  /** One run of the program that {@code seed} stands for. */
  private static void body(State s, long seed) {
    var random = new Random(seed);
    var temporaries = new ArrayList<Tensor<F32>>();
    int steps = 3 + random.nextInt(8);
    for (int k = 0; k < steps; k++) {
      step(s, temporaries, random);
    }
  }

  /** Compares programs with separate assignments that read the same barriers. */
  private static void sharing(State s, long seed) {
    var random = new Random(seed);
    var temporaries = new ArrayList<Tensor<F32>>();
    var barriers = new ArrayList<Expr<F32>>();
    int steps = 4 + random.nextInt(10);
    for (int k = 0; k < steps; k++) {
      if (barriers.isEmpty() || random.nextInt(4) == 0) {
        barriers.add(barrier(any(s, temporaries, random), any(s, temporaries, random), random));
      } else if (random.nextInt(3) == 0) {
        step(s, temporaries, random);
      } else {
        share(s, temporaries, barriers.get(random.nextInt(barriers.size())), random);
      }
    }
  }

  /** A barrier of ROWS x COLUMNS elements, or one that broadcasts to these. */
  private static Expr<F32> barrier(Tensor<F32> a, Tensor<F32> b, Random random) {
    int from = random.nextInt(COLUMNS - ROWS + 1);
    return switch (random.nextInt(8)) {
      case 0 -> dot(a.slice(all(), range(from, from + ROWS)), b);
      case 1 -> sum(exp(a.times(0.125)), 1).keepDims();
      case 2 -> cumSum(a.times(0.5), random.nextInt(2));
      case 3 -> max(a.plus(b), 0).keepDims();
      case 4 -> mean(a.minus(b)).keepDims();
      case 5 -> sort(a, random.nextInt(2));
      case 6 -> sum(a.slice(range(0, 2)), 0);
      default -> concat(0, a.slice(at(0)).unsqueeze(0), b.flip(0).slice(from(1)));
    };
  }

  private static void share(
      State s, List<Tensor<F32>> temporaries, Expr<F32> barrier, Random random) {
    Tensor<F32> to = s.kept.get(random.nextInt(s.kept.size()));
    Tensor<F32> a = any(s, temporaries, random);
    int from = random.nextInt(ROWS - 1);
    boolean whole = barrier.shape().equals(to.shape());
    switch (random.nextInt(8)) {
      case 0 -> s.ctx.assign(to, whole ? barrier : barrier.plus(a));
      case 1 -> s.ctx.assign(to, to.times(0.5).plus(barrier));
      case 2 -> s.ctx.assign(to, a.minus(barrier).times(0.25));
      case 3 -> s.ctx.assign(to, softmax(a.times(barrier), 1));
      case 4 -> s.ctx.assign(to.slice(range(from, from + 1)), barrier.slice(range(0, 1)));
      case 5 -> temporaries.add(s.ctx.eval(max(a, barrier)));
      case 6 -> {
        Tensor<F32> second = s.kept.get(random.nextInt(s.kept.size()));
        if (second != to) {
          s.ctx.assignAll(
              Pair.of(to, second.minus(barrier)), Pair.of(second, to.plus(barrier).times(0.5)));
        }
      }
      default -> s.ctx.assignSub(to, dot(barrier.expand(ROWS, COLUMNS).t(), a).slice(range(0, 4)));
    }
  }

  private static Tensor<F32> any(State s, List<Tensor<F32>> temporaries, Random random) {
    boolean temporary = !temporaries.isEmpty() && random.nextBoolean();
    List<Tensor<F32>> from = temporary ? temporaries : s.kept;
    return from.get(random.nextInt(from.size()));
  }

  private static void step(State s, List<Tensor<F32>> temporaries, Random random) {
    Tensor<F32> to = s.kept.get(random.nextInt(s.kept.size()));
    Tensor<F32> a = any(s, temporaries, random);
    Tensor<F32> b = any(s, temporaries, random);
    float c = random.nextInt(9) / 8f;
    int from = random.nextInt(ROWS - 1);
    int other = random.nextInt(ROWS - 1);
    switch (random.nextInt(14)) {
      case 0 -> s.ctx.assign(to, a.times(c).plus(b));
      case 1, 2 -> temporaries.add(s.ctx.eval(a.minus(b).times(c)));
      case 3 -> temporaries.add(s.ctx.eval(max(a, b)));
      case 4 ->
          s.ctx.assign(to.slice(range(from, from + 2)), a.slice(range(other, other + 2)).times(c));
      case 5 -> s.ctx.assign(to, a.flip(0).plus(b));
      case 6 -> s.ctx.assignAdd(to, sum(a, 0));
      case 7 -> s.ctx.assignMul(a, b.plus(c));
      case 8 -> s.ctx.assign(to, softmax(a, 1));
      case 9 -> s.ctx.assign(to, roll(a, 1, 0).times(0.5).plus(b));
      case 10 -> {
        Tensor<F32> second = s.kept.get(random.nextInt(s.kept.size()));
        if (second != to) {
          s.ctx.assignAll(Pair.of(to, second.plus(a)), Pair.of(second, to.minus(b)));
        }
      }
      case 11 -> temporaries.add(s.ctx.eval(a.reshape(COLUMNS, ROWS)).reshape(ROWS, COLUMNS));
      case 12 -> temporaries.add(s.ctx.eval(sum(a, 1).keepDims().times(b)));
      default -> s.ctx.assign(to.slice(at(from)), a.slice(at(other)).plus(b.slice(at(0))));
    }
  }

  private interface Body {
    void run(State s, long seed);
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void recordedProgramsDoWhatTheirAssignmentsDo(String device) {
    compareAll(device, PROGRAMS, RandomProgramTest::body);
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void programsThatShareBarriersDoWhatTheirAssignmentsDo(String device) {
    compareAll(device, 3 * PROGRAMS, RandomProgramTest::sharing);
  }

  private static void compareAll(String device, int programs, Body body) {
    for (long seed = FIRST; seed < FIRST + programs; seed++) {
      try (Context direct = Context.open(device);
          Context recorded = Context.open(device)) {
        State expected = State.of(direct, seed);
        State actual = State.of(recorded, seed);
        long program = seed;
        Program p = recorded.record(() -> body.run(actual, program));
        body.run(expected, seed);
        compare(seed, expected, actual, p);
        for (int run = 0; run < 2; run++) {
          p.run();
          body.run(expected, seed);
          compare(seed, expected, actual, p);
        }
      }
    }
  }

  private static void compare(long seed, State expected, State actual, Program p) {
    for (int k = 0; k < expected.kept.size(); k++) {
      assertThat(actual.kept.get(k).toFloatArray())
          .as("tensor %d of program %d\n%s", k, seed, p.explain())
          .containsExactly(expected.kept.get(k).toFloatArray());
    }
  }
}
