package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.relu;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;

/** Profiles that programs write about themselves. */
class TraceTest {
  private static String names(Trace.Access a) {
    return "m" + a.memory();
  }

  @Test
  void assignmentsHaveTheirLabelsAndKernels() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.zeros(F32, 4, 3);
      Tensor<F32> w = ctx.zeros(F32, 3, 5);
      Tensor<F32> y = ctx.empty(F32, 4, 5);
      Program program =
          ctx.recordOnly(() -> {
            ctx.label("product");
            Tensor<F32> xw = ctx.eval(dot(x, w));
            ctx.label("inlined");
            Tensor<F32> twice = ctx.eval(xw.times(2));
            ctx.label("rest");
            ctx.assign(y, relu(twice));
            ctx.assignAdd(y.slice(all(), range(0, 2)), xw.slice(all(), range(1, 3)));
          });
      Trace trace = program.trace();
      assertThat(trace.assigned().stream().map(Trace.Assigned::label))
          .containsExactly("product", "inlined", "rest", "rest");
      assertThat(trace.assigned().stream().map(Trace.Assigned::isInlined))
          .containsExactly(false, true, false, false);
      assertThat(trace.assigned().stream().map(Trace.Assigned::works))
          .containsExactly(List.of(0), List.of(1), List.of(1), List.of(2));
      int xw = trace.assigned().get(0).target().memory();
      assertThat(trace.assigned().stream().map(a -> a.expression().apply(TraceTest::names)))
          .containsExactly(
              String.format(
                  Locale.ROOT,
                  "= dot(m%d, m%d)",
                  trace.memory(x).orElseThrow().number(),
                  trace.memory(w).orElseThrow().number()),
              String.format(Locale.ROOT, "= m%d * 2", xw),
              String.format(
                  Locale.ROOT, "= max(m%d, 0)", trace.assigned().get(1).target().memory()),
              String.format(Locale.ROOT, "+= m%d", xw));
      assertThat(trace.works().stream().map(Trace.Work::kind))
          .containsExactly("gemm", "map", "map");
      assertThat(trace.works().get(0).space()).containsExactly(4L, 5L, 3L);
      assertThat(trace.memories().get(xw).isTemporary()).isTrue();
      assertThat(trace.memories().get(xw).shape()).isEqualTo(Shape.of(4, 5));
      assertThat(trace.memory(y).orElseThrow().isTemporary()).isFalse();
      assertThat(trace).hasToString("Trace[4 assignments, 3 kernels]");
    }
  }

  @Test
  void twoProgramsAreTracedAsOne() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.zeros(F32, 4);
      Tensor<F32> y = ctx.empty(F32, 4);
      Tensor<F32> z = ctx.empty(F32, 4);
      Trace first =
          ctx.recordOnly(() -> ctx.assign(y, Ops.cumSum(ctx.eval(Ops.cumSum(x, 0)), 0))).trace();
      Trace second = ctx.recordOnly(() -> ctx.assign(z, Ops.cumSum(y.times(3), 0))).trace();
      Trace both = first.then(second);
      int middle = both.memory(y).orElseThrow().number();
      assertThat(both.works()).hasSize(3);
      assertThat(both.works().get(1).writes().get(0).memory()).isEqualTo(middle);
      assertThat(both.works().get(2).reads().get(0).memory()).isEqualTo(middle);
      assertThat(both.works().get(2).assignments()).containsExactly(2);
      assertThat(both.assigned().get(2).works()).containsExactly(2);
      assertThat(both.assigned().get(2).expression().apply(TraceTest::names))
          .isEqualTo(String.format(Locale.ROOT, "= cumulative add along 0(m%d * 3)", middle));
      assertThat(both.memories().stream().filter(Trace.Memory::isTemporary)).hasSize(1);
      assertThat(both.memory(z)).isPresent();
    }
  }

  @Test
  void kernelsSayWhichElementsTheyReadAndWrite() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.zeros(F32, 4, 3);
      Tensor<F32> y = ctx.empty(F32, 6, 3);
      Program program =
          ctx.recordOnly(() -> ctx.assign(y, Ops.pad(x.slice(range(1, 3)), 2, 2, 0, 0)));
      Trace trace = program.trace();
      Trace.Work work = trace.works().get(0);
      int from = trace.memory(x).orElseThrow().number();
      int to = trace.memory(y).orElseThrow().number();
      assertThat(work.reads())
          .containsExactly(new Trace.Access(from, 3, List.of(2L, 3L), List.of(3L, 1L), false));
      assertThat(work.writes().stream().map(Trace.Access::memory)).containsExactly(to);
      assertThat(ctx.recordOnly(() -> {}).trace().memory(y)).isEmpty();
    }
  }

  @Test
  void anIndexIsReadWithinItsVectorOnly() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.zeros(F32, 4, 3);
      Tensor<I32> rows = ctx.tensor(new int[] {3, 0}, 2);
      Tensor<F32> y = ctx.empty(F32, 5, 3);
      Trace trace =
          ctx.recordOnly(() -> ctx.assign(y, Ops.pad(Ops.take(x, rows, 0), 2, 1, 0, 0))).trace();
      int vector = trace.memory(rows).orElseThrow().number();
      assertThat(trace.works().get(0).reads())
          .filteredOn(a -> a.memory() == vector)
          .singleElement()
          .satisfies(a -> {
            assertThat(a.offset()).isZero();
            assertThat(a.extents()).contains(2L).doesNotContain(5L);
          });
    }
  }
}
