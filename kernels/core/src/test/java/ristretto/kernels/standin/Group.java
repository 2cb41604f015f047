package ristretto.kernels.standin;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A work group: a thread for each of its work items. */
final class Group {
  private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();

  private final CyclicBarrier barrier;
  private final List<Object> memory = new ArrayList<>();

  private Group(int items) {
    barrier = new CyclicBarrier(items);
  }

  /** Runs a group to its end. */
  static void run(int[] number, int[] size, Consumer<KernelContext> kernel) {
    int items = size[0] * size[1] * size[2];
    var group = new Group(items);
    var running = new ArrayList<Future<?>>();
    for (int item = 0; item < items; item++) {
      int[] lane = {item % size[0], item / size[0] % size[1], item / size[0] / size[1]};
      var context = new KernelContext(group, number, size, lane);
      if (items == 1) {
        kernel.accept(context);
      } else {
        running.add(THREADS.submit(() -> group.runItem(context, kernel)));
      }
    }
    for (Future<?> item : running) {
      try {
        item.get();
      } catch (InterruptedException | ExecutionException e) {
        throw new AssertionError(e);
      }
    }
  }

  private void runItem(KernelContext context, Consumer<KernelContext> kernel) {
    try {
      kernel.accept(context);
    } catch (RuntimeException | Error e) {
      barrier.reset();
      throw e;
    }
  }

  void barrier() {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new AssertionError("a work item did not come to the barrier", e);
    }
  }

  /** Returns the object that all work items share for one allocation in program order. */
  synchronized Object shared(int number, Supplier<Object> made) {
    if (number == memory.size()) {
      memory.add(made.get());
    }
    return memory.get(number);
  }
}
