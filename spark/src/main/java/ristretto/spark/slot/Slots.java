package ristretto.spark.slot;

import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import ristretto.expr.Context;

/** Slots of this process. */
public final class Slots {
  private static final String THREADS = "ristretto.cpu.threads";

  private static final Deque<Slot> FREE = new ArrayDeque<>();

  private Slots() {}

  /** Returns a slot for the running task, which it keeps to its end. */
  public static Slot ofTask() {
    TaskContext task = TaskContext.get();
    Slot slot = take(task.cpus());
    task.addTaskCompletionListener((TaskCompletionListener) _ -> give(slot));
    return slot;
  }

  private static synchronized Slot take(int threads) {
    Slot free = FREE.poll();
    return free != null ? free : new Slot(open(threads));
  }

  private static synchronized void give(Slot slot) {
    FREE.push(slot);
  }

  /** Opens a context for the running task, which closes it. */
  public static Context openForTask() {
    return open(TaskContext.get().cpus());
  }

  /**
   * Opens the device that the properties name. Kernels of the cpu device run on the processors of
   * the task, if the properties do not say otherwise: other tasks have the others.
   */
  private static synchronized Context open(int threads) {
    if (System.getProperty(THREADS) != null || System.getenv("RISTRETTO_THREADS") != null) {
      return Context.open();
    }
    System.setProperty(THREADS, Integer.toString(threads));
    try {
      return Context.open();
    } finally {
      System.clearProperty(THREADS);
    }
  }
}
