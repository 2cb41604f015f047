package ristretto.spark.slot;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.apache.spark.TaskKilledException;
import ristretto.expr.Context;

/**
 * Context of a task, with a thread of its own and the models that earlier tasks have opened. Models
 * keep the memory of their runs by thread, and tasks come with many threads.
 */
public final class Slot {
  private static final int MOST_MODELS = 4;

  private final Context ctx;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("ristretto-slot-", 0).factory());
  private final Map<String, Object> models =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Object> eldest) {
          return size() > MOST_MODELS;
        }
      };

  Slot(Context ctx) {
    this.ctx = ctx;
  }

  /** Work with the context. */
  public interface Work<R> {
    R run(Context ctx) throws Exception;
  }

  /**
   * Runs work in the slot's thread and waits for it, also if this thread is interrupted: the slot
   * must not be given to another task before.
   */
  public <R> R run(Work<R> work) {
    return await(thread.submit((Callable<R>) () -> work.run(ctx)));
  }

  /** Returns the model with a key, opened if it is not there. */
  @SuppressWarnings("unchecked")
  public <M> M model(String key, Function<Context, M> open) {
    return run(ctx -> {
      Object model = models.get(key);
      if (model == null) {
        model = open.apply(ctx);
        models.put(key, model);
      }
      return (M) model;
    });
  }

  private static <R> R await(Future<R> future) {
    boolean interrupted = false;
    while (true) {
      try {
        R result = future.get();
        if (interrupted) {
          Thread.currentThread().interrupt();
          throw new TaskKilledException("the task was interrupted");
        }
        return result;
      } catch (InterruptedException _) {
        interrupted = true;
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RuntimeException known) {
          throw known;
        }
        if (e.getCause() instanceof Error error) {
          throw error;
        }
        throw new IllegalStateException(e.getCause());
      }
    }
  }
}
