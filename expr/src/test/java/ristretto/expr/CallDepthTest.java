package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import ristretto.expr.type.F32;

/** Number of our methods between an assignment and generated code. */
class CallDepthTest {
  /** Most calls of a repeated assignment, from {@link Context#assign} to generated code. */
  private static final int WARM = 6;

  /** Most calls of a first assignment, from {@link Context#assign} to the code's definition. */
  private static final int COLD = 14;

  private static final int SAMPLES = 20;
  private static final long SECONDS = 60;

  /** Our methods on a stack, innermost first, up to {@code Context.assign}; empty without it. */
  private static List<StackTraceElement> ours(StackTraceElement[] stack) {
    List<StackTraceElement> all =
        Arrays.stream(stack).filter(f -> f.getClassName().startsWith("ristretto.")).toList();
    for (int k = 0; k < all.size(); k++) {
      StackTraceElement f = all.get(k);
      if (f.getClassName().equals(Context.class.getName()) && f.getMethodName().equals("assign")) {
        return all.subList(0, k + 1);
      }
    }
    return List.of();
  }

  /**
   * Stacks of a thread that repeats a long assignment. Java leaves out the frames of hidden
   * classes, which generated classes are: if a strip is the innermost method, it runs such code.
   */
  @Test
  void aRepeatedAssignmentReachesGeneratedCodeInFewCalls() throws Exception {
    var ends = new AtomicBoolean();
    Thread thread =
        new Thread(() -> {
          try (Context ctx = Context.open()) {
            Tensor<F32> x = ctx.ones(F32, 1 << 18);
            Tensor<F32> y = ctx.empty(F32, 1 << 18);
            Expr<F32> e = map(x, v -> (float) Math.exp(-v) * 2f + 1f);
            while (!ends.get()) {
              ctx.assign(y, e);
            }
          }
        });
    thread.start();
    long end = System.nanoTime() + SECONDS * 1_000_000_000;
    int samples = 0;
    while (samples < SAMPLES && System.nanoTime() < end) {
      List<StackTraceElement> calls = ours(thread.getStackTrace());
      // Until the vector code is compiled, scalar code runs within a strip for arrays.
      if (!calls.isEmpty() && isRun(calls.get(0))) {
        samples++;
        assertThat(calls).hasSizeLessThanOrEqualTo(WARM);
      }
    }
    ends.set(true);
    thread.join();
    assertThat(samples).isEqualTo(SAMPLES);
  }

  private static boolean isRun(StackTraceElement f) {
    return f.getClassName().endsWith(".TieredStrip") && f.getMethodName().equals("run");
  }

  /** Prints the calls that lead to each definition of generated code. */
  static final class Cold {
    static void main() {
      PrintStream terminal = System.out;
      // The line of debug level 4 is printed where the code is defined.
      System.setErr(
          new PrintStream(OutputStream.nullOutputStream()) {
            @Override
            public void println(String line) {
              if (line.startsWith("[code]")) {
                List<StackTraceElement> calls = ours(new Throwable().getStackTrace());
                if (!calls.isEmpty()) {
                  terminal.println(calls.size() - 1);
                }
              }
            }
          });
      try (Context ctx = Context.open()) {
        Tensor<F32> x = ctx.ones(F32, 3, 5);
        Tensor<F32> y = ctx.empty(F32, 3, 5);
        ctx.assign(y, map(x, v -> (float) Math.exp(-v) * 2f + 1f));
      }
    }
  }

  @Test
  void aFirstAssignmentReachesGeneratedCodeInFewCalls() throws Exception {
    ChildJvm child = ChildJvm.run(Cold.class, Map.of("RISTRETTO_DEBUG", "4"));
    assertThat(child.exit()).as(child.err()).isZero();
    assertThat(child.out().lines().map(Integer::valueOf))
        .isNotEmpty()
        .allSatisfy(calls -> assertThat(calls).isBetween(1, COLD));
  }
}
