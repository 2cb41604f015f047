package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;

/** One executor in the hands of several threads. */
class ThreadsTest {
  private static final Context CTX = Context.open();
  private static final int THREADS = 4;

  private final Variable<F32> x = Variable.input("x", F32, -1);
  private final Variable<F32> shift = Variable.input("shift", F32);
  private final Variable<F32> y = Layers.tanh(x.times(2)).plus(shift);

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static float[] expected(float value, int n, float shift) {
    float[] all = new float[n];
    java.util.Arrays.fill(all, (float) Math.tanh(2 * value) + shift);
    return all;
  }

  private static <T> List<T> inParallel(List<Callable<T>> tasks) throws Exception {
    try (var pool = Executors.newFixedThreadPool(tasks.size())) {
      var all = new ArrayList<T>();
      for (Future<T> f : pool.invokeAll(tasks)) {
        all.add(f.get());
      }
      return all;
    }
  }

  @Test
  void eachThreadSeesItsOwnInputsAndOutputs() throws Exception {
    var executor = new Executor(CTX, y);
    executor.set(shift, fill(F32, 1));
    var tasks = new ArrayList<Callable<Integer>>();
    for (int thread = 0; thread < THREADS; thread++) {
      int number = thread;
      tasks.add(() -> {
        int wrong = 0;
        for (int k = 0; k < 500; k++) {
          float value = (number * 500 + k) / 2000f;
          int n = 1 + k % 3;
          executor.set(x, fill(F32, value, n));
          executor.forward();
          float[] got = executor.tensor(y).toFloatArray();
          float[] wanted = expected(value, n, 1);
          for (int i = 0; i < n; i++) {
            wrong += got.length == n && Math.abs(got[i] - wanted[i]) < 1e-6 ? 0 : 1;
          }
        }
        return wrong;
      });
    }
    assertThat(inParallel(tasks)).containsOnly(0);
  }

  @Test
  void valuesArePassedOnToAThreadThatHasNone() throws Exception {
    var executor = new Executor(CTX, y);
    executor.set(x, fill(F32, 0.5, 2));
    executor.set(shift, fill(F32, 0));
    Callable<Float> run =
        () -> {
          executor.forward();
          return executor.tensor(y).toFloatArray()[1];
        };
    float wanted = (float) Math.tanh(1);
    assertThat(inParallel(List.of(run))).allMatch(v -> Math.abs(v - wanted) < 1e-6);
    // This one has not run yet.
    assertThat(executor.tensor(y).toFloatArray()[1]).isCloseTo(wanted, byLittle());
  }

  private static org.assertj.core.data.Offset<Float> byLittle() {
    return org.assertj.core.api.Assertions.within(1e-6f);
  }

  private static void inAnother(Runnable task) {
    var thread = Thread.ofPlatform().unstarted(task);
    var failed = new ArrayList<Throwable>();
    thread.setUncaughtExceptionHandler((_, e) -> failed.add(e));
    thread.start();
    boolean ended = false;
    while (!ended) {
      try {
        ended = thread.join(Duration.ofMinutes(1));
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    assertThat(failed).isEmpty();
  }

  private void assertOutdated(Executor executor) {
    assertThatThrownBy(() -> executor.tensor(y))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[tensor] a thread that has set inputs must run them before it reads values of a run,"
                + " if other threads make runs too; got "
                + y
                + ", whose last run for this thread did not read its inputs; call set, forward and"
                + " tensor in one thread.");
  }

  private static final String SET_FIRST =
      "[run] a thread must set inputs before it makes a run, if other threads make runs too; got"
          + " a thread that has set none; call set, forward and tensor in one thread, or make"
          + " another executor with sharing.";

  private static final String READ_OWN =
      "[tensor] values of a run must be read by the thread that set its inputs and made it, if"
          + " several threads make runs; got %s in a thread that has not; call set, forward and"
          + " tensor in one thread.";

  private static final String SET_BEFORE_EACH =
      "[run] an input that several threads set must be set before each run by the thread that makes"
          + " the run; got x f32[?], which another thread has set last; call set, forward and"
          + " tensor in one thread.";

  private static void assertRefused(Runnable call, String message) {
    assertThatThrownBy(call::run).isInstanceOf(ShapeException.class).hasMessage(message);
  }

  private void request(Executor executor, float value, int n) {
    executor.set(x, fill(F32, value, n));
    executor.forward();
  }

  private void assertAnswer(Executor executor, float value, int n) {
    assertThat(executor.tensor(y).toFloatArray())
        .containsExactly(expected(value, n, 0), byLittle());
  }

  private Executor unshifted() {
    var executor = new Executor(CTX, y);
    executor.set(shift, fill(F32, 0));
    return executor;
  }

  @Test
  void aRunInAnotherThreadIsNoneOfThisOne() throws Exception {
    Executor executor = unshifted();
    request(executor, 0.5f, 2);
    executor.set(x, fill(F32, 0.25, 2));
    // One thread may set the next inputs before it reads the last outputs.
    assertAnswer(executor, 0.5f, 2);
    inAnother(() -> {
      assertRefused(executor::forward, SET_FIRST);
      request(executor, 0.75f, 1);
    });
    assertOutdated(executor);
    executor.forward();
    assertAnswer(executor, 0.25f, 2);
  }

  @Test
  void aThreadWithoutRunsReadsThoseOfItsInputsOnly() throws Exception {
    Executor executor = unshifted();
    executor.set(x, fill(F32, 0.5, 2));
    inAnother(() -> request(executor, 0.125f, 2));
    assertOutdated(executor);
    inAnother(() -> assertRefused(executor::forward, SET_BEFORE_EACH));
    request(executor, 0.75f, 2);
    assertAnswer(executor, 0.75f, 2);
  }

  /** Inputs of the first thread, a run of the second one, and a third one that has run before. */
  @Test
  void aRunIsNotHandedOnToAThreadThatHasRunBefore() throws Exception {
    Executor executor = unshifted();
    request(executor, 0.5f, 1);
    inAnother(() -> executor.set(x, fill(F32, 0.25, 1)));
    inAnother(() -> assertRefused(executor::forward, SET_BEFORE_EACH));
    assertAnswer(executor, 0.5f, 1);
    assertRefused(executor::forward, SET_BEFORE_EACH);
    request(executor, 0.25f, 1);
    assertAnswer(executor, 0.25f, 1);
  }

  @Test
  void inputsOfOneThreadAreNotRunByTwoOthers() throws Exception {
    var executor = new Executor(CTX, y);
    var setter = Executors.newSingleThreadExecutor();
    setter.submit(() -> executor.set(shift, fill(F32, 0))).get();
    setter.submit(() -> executor.set(x, fill(F32, 0.5, 1))).get();
    executor.forward();
    assertAnswer(executor, 0.5f, 1);
    setter.submit(() -> executor.set(x, fill(F32, 0.25, 1))).get();
    inAnother(() -> assertRefused(executor::forward, SET_FIRST));
    executor.forward();
    assertAnswer(executor, 0.25f, 1);
    setter.close();
  }

  @Test
  void anotherThreadsOwnRunIsNotTakenForARunOfInputsPassedOn() throws Exception {
    Executor executor = unshifted();
    executor.set(x, fill(F32, 0.5, 1));
    inAnother(() -> {
      executor.forward();
      assertAnswer(executor, 0.5f, 1);
      inAnother(() -> request(executor, 0.25f, 1));
      assertRefused(() -> executor.tensor(y), READ_OWN.formatted(y));
    });
  }

  @Test
  void anOldValueOfThisThreadIsNotRunInPlaceOfALaterOneOfAnother() throws Exception {
    Executor executor = unshifted();
    request(executor, 0.5f, 1);
    executor.forward();
    inAnother(() -> executor.set(x, fill(F32, 0.25, 1)));
    assertRefused(executor::forward, SET_BEFORE_EACH);
    request(executor, 0.25f, 1);
    assertAnswer(executor, 0.25f, 1);
  }

  @Test
  void aThreadWithoutRunsDoesNotReadThoseOfSeveral() throws Exception {
    Executor executor = unshifted();
    inAnother(() -> request(executor, 0.5f, 1));
    inAnother(() -> assertAnswer(executor, 0.5f, 1));
    inAnother(() -> request(executor, 0.25f, 1));
    inAnother(() -> {
      assertRefused(() -> executor.tensor(y), READ_OWN.formatted(y));
      assertRefused(
          () -> executor.tensor(x),
          "[tensor] an input that several threads set must be read by a thread that has set it;"
              + " got x f32[?] in a thread that has not; call set and tensor in one thread.");
    });
  }

  /** Services may start a thread for each task. */
  @Test
  void tasksMayRunInAnotherThreadEachTime() throws Exception {
    Executor executor = unshifted();
    executor.set(x, fill(F32, 0.5, 1));
    for (int k = 0; k < 3; k++) {
      inAnother(() -> {
        executor.forward();
        assertAnswer(executor, 0.5f, 1);
      });
    }
    assertAnswer(executor, 0.5f, 1);
    for (int k = 0; k < 3; k++) {
      float value = 0.1f * k;
      inAnother(() -> {
        request(executor, value, 2);
        assertAnswer(executor, value, 2);
      });
    }
  }

  @Test
  void gradientsAreThoseOfTheThread() throws Exception {
    Variable<F32> w = Variable.parameter("w", F32, Initializer.constant(1));
    Variable<F32> loss = Layers.sum(x.times(w));
    var executor = new Executor(CTX, loss);
    Optimizer optimizer = Optimizer.sgd(1);
    executor.set(x, fill(F32, 2, 1));
    executor.backward(loss);
    inAnother(() -> {
      assertThat(executor.gradientOf(w).item()).isEqualTo(2);
      executor.set(x, fill(F32, 3, 1));
      executor.backward(loss);
      assertThat(executor.gradientOf(w).item()).isEqualTo(3);
    });
    String refused =
        "[%s] gradients must be used by the thread that computed them, if several threads compute"
            + " gradients; got %s, computed by another thread; call backward and %s in one thread.";
    assertRefused(
        () -> executor.gradientOf(w),
        refused.formatted("gradientOf", "the gradient of w f32[]", "gradientOf"));
    assertRefused(
        () -> executor.update(optimizer), refused.formatted("update", "gradients", "update"));
    executor.set(x, fill(F32, 2, 1));
    executor.backward(loss);
    executor.update(optimizer);
    assertThat(executor.tensor(w).item()).isEqualTo(-1);
  }

  @Test
  void gradientsOfInputsAreOfTheRunOfTheirThread() throws Exception {
    Variable<F32> loss = Layers.sum(Layers.tanh(x));
    var executor = new Executor(CTX, loss);
    executor.wantGradients(x);
    executor.set(x, fill(F32, 0.5, 2));
    executor.backward(loss);
    executor.set(x, fill(F32, 0.25, 2));
    inAnother(() -> {
      executor.set(x, fill(F32, 0.125, 2));
      executor.backward(loss);
    });
    assertThatThrownBy(() -> executor.gradientOf(x))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[gradientOf] a thread that has set inputs must run them before it reads values of a"
                + " run, if other threads make runs too; got x f32[?], whose last run for this"
                + " thread did not read its inputs; call set, forward and gradientOf in one"
                + " thread.");
  }

  @Test
  void aNewThreadTakesOverTheMemoryOfOneThatHasEnded() throws Exception {
    var executor = new Executor(CTX, y);
    executor.set(shift, fill(F32, 0));
    var outputs = new ArrayList<Tensor<F32>>();
    for (int k = 0; k < 3; k++) {
      var thread =
          Thread.ofPlatform()
              .start(() -> {
                executor.set(x, fill(F32, 0.5, 2));
                executor.forward();
                outputs.add(executor.tensor(y));
              });
      thread.join();
    }
    assertThat(outputs).hasSize(3);
    assertThat(outputs.get(1)).isSameAs(outputs.get(0));
    assertThat(outputs.get(2)).isSameAs(outputs.get(0));
  }

  /** Recordings of one thread do not disturb steps of another one. */
  @Test
  void othersMayServeWhileOneTrains() throws Exception {
    Variable<F32> w = Variable.parameter("w", F32, Initializer.constant(0), 1);
    Variable<F32> loss = Layers.sum(Layers.tanh(x).times(w).times(w));
    var trainer = new Executor(CTX, y, loss);
    trainer.set(shift, fill(F32, 0));
    Executor server = trainer.sharing(y);
    server.set(shift, fill(F32, 2));
    Optimizer optimizer = Optimizer.adam(0.1);
    Callable<Integer> train =
        () -> {
          for (int k = 0; k < 200; k++) {
            trainer.set(x, fill(F32, 0.1, 1 + k % 5));
            trainer.step(loss, optimizer);
          }
          return 0;
        };
    Callable<Integer> serve =
        () -> {
          int wrong = 0;
          for (int k = 0; k < 200; k++) {
            server.set(x, fill(F32, k / 200.0, 1 + k % 7));
            server.forward();
            float wanted = expected(k / 200f, 1, 2)[0];
            wrong += Math.abs(server.tensor(y).toFloatArray()[0] - wanted) < 1e-6 ? 0 : 1;
          }
          return wrong;
        };
    assertThat(inParallel(List.of(train, serve, serve))).containsOnly(0);
  }
}
