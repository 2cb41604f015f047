package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.relu;
import static ristretto.expr.Ops.softmax;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.expr.option.Optimization;
import ristretto.expr.type.F32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ClosedException;
import ristretto.kernels.ShapeException;

/** Recordings whose assignments run later. */
class RecordOnlyTest {
  @Test
  void nothingRunsBeforeTheProgramDoes() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3}, 3);
      Program program = ctx.recordOnly(() -> ctx.assignAdd(x, x));
      assertThat(x.toFloatArray()).containsExactly(1, 2, 3);
      program.run();
      assertThat(x.toFloatArray()).containsExactly(2, 4, 6);
    }
  }

  @Test
  void whatTheBodyKeepsIsThereAfterwards() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3}, 3);
      var kept = new Tensor<?>[1];
      Program program = ctx.recordOnly(() -> kept[0] = ctx.eval(x.times(ctx.eval(x.plus(1)))));
      program.run();
      assertThat(kept[0].as(F32).toFloatArray()).containsExactly(2, 6, 12);
    }
  }

  @Test
  void whatIsOnlyCopiedIsATemporary() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3, 4}, 2, 2);
      Tensor<F32> y = ctx.empty(F32, 4);
      Program program =
          ctx.recordOnly(() -> {
            Tensor<F32> twice = ctx.empty(F32, 2, 2);
            ctx.assign(twice.slice(Ops.range(0, 1)), x.slice(Ops.range(0, 1)).times(2));
            ctx.assign(twice.slice(Ops.range(1, 2)), x.slice(Ops.range(1, 2)).times(2));
            ctx.assign(y, twice.t().reshape(4));
          });
      program.run();
      assertThat(y.toFloatArray()).containsExactly(2, 6, 4, 8);
      assertThat(program.trace().memories().stream().filter(Trace.Memory::isTemporary)).hasSize(1);
    }
  }

  /** A hundred products, one after another, need memory for two. */
  @Test
  void theFirstRunTakesNoMoreMemoryThanLaterOnes() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.zeros(F32, 64, 64);
      long before = ctx.stats().bytesAllocated();
      ctx.recordOnly(
              () -> {
                Tensor<F32> y = x;
                for (int k = 0; k < 100; k++) {
                  y = ctx.eval(dot(y, x));
                }
                ctx.assign(x, y);
              })
          .run();
      assertThat(ctx.stats().peakBytes() - before).isLessThanOrEqualTo(3 * 64 * 64 * 4);
    }
  }

  @Test
  void whatATransientRecordingMakesIsGone() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.full(F32, 2, 3);
      Tensor<F32> y = ctx.zeros(F32, 3);
      Tensor<?>[] made = new Tensor<?>[1];
      Program program =
          ctx.recordTransient(() -> {
            Tensor<F32> square = ctx.eval(x.times(x));
            made[0] = square;
            ctx.assign(y, square.plus(1));
          });
      program.run();
      assertThat(y.toFloatArray()).containsExactly(5, 5, 5);
      assertThat(program.kernelCount()).isEqualTo(1);
      assertThatThrownBy(() -> made[0].toFloatArray())
          .isInstanceOf(ClosedException.class)
          .hasMessage(
              "[tensor] a tensor made inside recordTransient must be read by its program only; got"
                  + " one that is read elsewhere; make it before the recording, or use"
                  + " recordOnly.");
    }
  }

  /** A result's memory is free until it is written, if it is written as a whole and not read. */
  @Test
  void resultsArePlacesBefore() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.eval(Ops.uniform(F32, 1, 64, 64));
      Tensor<F32> y = ctx.zeros(F32, 64, 64);
      Tensor<F32> part = ctx.zeros(F32, 65, 64);
      Program whole = ctx.recordTransient(() -> ctx.assign(y, softmax(dot(x, x), 1)));
      assertThat(whole.temporaryBytes()).isZero();
      whole.run();
      assertThat(y.toFloatArray()).isEqualTo(ctx.eval(softmax(dot(x, x), 1)).toFloatArray());
      Program some =
          ctx.recordTransient(
              () -> ctx.assign(part.slice(Ops.range(0, 64)), softmax(dot(x, x), 1)));
      assertThat(some.temporaryBytes()).isEqualTo(64 * 64 * 4);
      Program adds = ctx.recordTransient(() -> ctx.assignAdd(y, softmax(dot(x, x), 1)));
      assertThat(adds.temporaryBytes()).isEqualTo(64 * 64 * 4);
    }
  }

  /** Small temporaries lie beside one another where a large one was or will be. */
  @Test
  void temporariesLieAtOffsetsOfOnePiece() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.eval(Ops.uniform(F32, 1, 64, 64));
      Tensor<F32> y = ctx.zeros(F32, 65, 64);
      Runnable body =
          () -> {
            Tensor<F32> large = ctx.eval(dot(x, Ops.concat(1, x, x)));
            Tensor<F32> first = ctx.eval(dot(large.t(), x.slice(Ops.all(), Ops.range(0, 16))));
            Tensor<F32> second = ctx.eval(dot(x, first.slice(Ops.range(0, 64))));
            Tensor<F32> third = ctx.eval(dot(first.t(), first));
            Expr<F32> sum = dot(dot(second, third), dot(second, third).t());
            ctx.assign(y.slice(Ops.range(0, 64)), sum);
          };
      Program program = ctx.recordTransient(body);
      // at most the large one, what it is made of, and 128 x 16
      assertThat(program.temporaryBytes()).isEqualTo(4 * (64 * 128 + 64 * 128));
      program.run();
      float[] shared = y.toFloatArray();
      ctx.without(java.util.Set.of(Optimization.SHARE_MEMORY));
      Program apart = ctx.recordTransient(body);
      assertThat(apart.temporaryBytes()).isGreaterThan(program.temporaryBytes());
      apart.run();
      assertThat(y.toFloatArray()).containsExactly(shared);
    }
  }

  /** An element-wise result takes the memory of an operand whose live range ends there. */
  @Test
  void elementsAreReplacedWhereTheyLie() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.eval(Ops.uniform(F32, 1, 64, 64));
      Tensor<F32> y = ctx.zeros(F32, 64, 64);
      Program inPlace =
          ctx.recordTransient(() -> ctx.assign(y, dot(ctx.eval(relu(dot(x, x)).plus(x)), x)));
      assertThat(inPlace.temporaryBytes()).isEqualTo(64 * 64 * 4);
      Program turned =
          ctx.recordTransient(() -> ctx.assign(y, dot(ctx.eval(dot(x, x).t().plus(x)), x)));
      // What is turned lies where the result will be, but not what it becomes.
      assertThat(turned.temporaryBytes()).isEqualTo(64 * 64 * 4);
      assertThat(turned.temporaryCount()).isEqualTo(2);
      inPlace.run();
      float[] first = y.toFloatArray();
      assertThat(first).isEqualTo(ctx.eval(dot(relu(dot(x, x)).plus(x), x)).toFloatArray());
      turned.run();
      assertThat(y.toFloatArray())
          .isEqualTo(ctx.eval(dot(dot(x, x).t().plus(x), x)).toFloatArray());
    }
  }

  /**
   * Assignments between two parts see the first part, and the second part sees them; temporaries
   * last from one part to the next even if other programs run between them.
   */
  @Test
  void partsAreProgramsThatShareTemporaries() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3, 4}, 2, 2);
      Tensor<F32> y = ctx.zeros(F32, 2, 2);
      Tensor<F32> given = ctx.zeros(F32, 2, 2);
      Tensor<?>[] made = new Tensor<?>[2];
      List<Program> parts =
          ctx.recordParts(
              List.of(
                  () -> {
                    made[0] = ctx.eval(x.times(2));
                    ctx.assign(y, ctx.eval(dot(x, x)).plus(1));
                  },
                  () -> {
                    made[1] = ctx.lasting(F32, Shape.of(2, 2));
                    ctx.assign(made[1].as(F32), made[0].as(F32).plus(given));
                  }));
      assertThat(parts).hasSize(2);
      Program other = ctx.recordTransient(() -> ctx.assign(x, ctx.eval(dot(x, x)).minus(7)));
      parts.get(0).run();
      assertThat(y.toFloatArray()).containsExactly(8, 11, 16, 23);
      other.run();
      ctx.assign(given, y);
      parts.get(1).run();
      assertThat(made[1].as(F32).toFloatArray()).containsExactly(10, 15, 22, 31);
      Trace whole = parts.get(0).trace().then(parts.get(1).trace());
      assertThat(whole.works()).hasSize(parts.get(0).kernelCount() + parts.get(1).kernelCount());
      assertThat(parts.get(1).explain().kernelCount()).isEqualTo(1);
      assertThat(whole.assigned().getLast().works()).containsExactly(whole.works().size() - 1);
    }
  }

  /** Sizes that are computed while a program is recorded. */
  @Test
  void valuesThatAreComputedNow() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<I64> sizes = ctx.tensor(new long[] {2, 3});
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3, 4, 5, 6});
      var found =
          new Object() {
            Tensor<F32> kept;
          };
      found.kept = ctx.zeros(F32, 3);
      Program program =
          ctx.recordTransient(() -> {
            long rows = ctx.evalNow(sizes.times(2).minus(2)).toLongArray()[0];
            ctx.assign(found.kept, Ops.sum(x.reshape(rows, -1), 0));
          });
      assertThat(program.kernelCount()).isEqualTo(1);
      program.run();
      assertThat(found.kept.toFloatArray()).containsExactly(5, 7, 9);
      assertThatThrownBy(() ->
              ctx.recordTransient(() -> {
                ctx.assign(found.kept, 1);
                ctx.evalNow(found.kept.plus(1));
              }))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[read] values must be computed before they are read; got f32[3], which this"
                  + " recording assigns only when its program runs; read it after run(), or use"
                  + " record, which runs assignments at once.");
    }
  }

  @Test
  void bodiesReadNoValuesThatAreComputedLater() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3, 4}, 2, 2);
      Tensor<F32> y = ctx.zeros(F32, 2, 2);
      String message =
          "[read] values must be computed before they are read; got f32[], which this recording"
              + " assigns only when its program runs; read it after run(), or use record, which"
              + " runs assignments at once.";
      assertThatThrownBy(() -> ctx.recordOnly(() -> ctx.eval(Ops.sum(x)).item()))
          .isInstanceOf(ShapeException.class)
          .hasMessage(message);
      assertThatThrownBy(() -> ctx.recordTransient(() -> ctx.eval(Ops.sum(x)).print()))
          .hasMessage(message);
      assertThatThrownBy(
              () -> ctx.recordParts(List.of(() -> ctx.eval(Ops.sum(x)).toFloatArray(), () -> {})))
          .hasMessage(message);
      assertThatThrownBy(() ->
              ctx.recordOnly(() -> {
                ctx.assign(y, x);
                assertThat(y.t().toString()).isEmpty();
              }))
          .hasMessageContaining("got f32[2,2], which this recording");
      assertThatThrownBy(() -> ctx.recordOnly(() -> ctx.zeros(F32, 3).toFloatArray()))
          .hasMessageContaining("got f32[3], which this recording");
      assertThatThrownBy(() ->
              ctx.recordOnly(() -> {
                ctx.assign(y, x);
                ctx.copy(MemorySegment.ofArray(new float[4]), y);
              }))
          .hasMessage(
              "[write] a tensor that a recording assigns must not be set from the host during the"
                  + " recording; got f32[2,2], whose recorded assignment would run later; set it"
                  + " before the recording, or after run().");
      Program program = ctx.recordOnly(() -> ctx.assignAdd(y, x));
      assertThatThrownBy(() -> ctx.recordOnly(program::run))
          .hasMessage(
              "[run] a program must not run inside a recording that runs nothing; got one of 1"
                  + " kernels, which would not be recorded; run it afterwards, or repeat its"
                  + " assignments in the recording.");
    }
  }

  /** Values that are there before may be read, and those of a recording that runs at once. */
  @Test
  void bodiesReadValuesThatAreThere() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3, 4}, 2, 2);
      var read = new float[3][];
      ctx.recordOnly(() -> {
        read[0] = x.t().toFloatArray();
        read[1] = ctx.tensor(new float[] {5}, 1).toFloatArray();
      });
      ctx.record(() -> read[2] = ctx.eval(x.times(2)).toFloatArray());
      assertThat(read[0]).containsExactly(1, 3, 2, 4);
      assertThat(read[1]).containsExactly(5);
      assertThat(read[2]).containsExactly(2, 4, 6, 8);
    }
  }
}
