package ristretto.nnet3.fit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Evaluations of the networks of iterations, one after the other. */
final class Evaluations implements AutoCloseable {
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Executor runner;
  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

  /**
   * Starts a thread.
   *
   * @param behind false to run evaluations in the thread that asks for them
   */
  Evaluations(boolean behind) {
    this.runner = behind ? thread : Runnable::run;
  }

  /** Waits for the previous evaluation, and starts one. */
  void next(Runnable evaluation) {
    await();
    last = CompletableFuture.runAsync(evaluation, runner);
    if (last.isDone()) {
      await();
    }
  }

  /** Waits for the last evaluation, and throws what it has thrown. */
  void await() {
    try {
      last.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw e;
    }
  }

  @Override
  public void close() {
    thread.close();
  }
}
