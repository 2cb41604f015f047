package ristretto.expr.linalg;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import ristretto.expr.Assignment;
import ristretto.expr.type.Shape;

/**
 * Runs a routine on each matrix of a batch; refers to no memory.
 *
 * @param op name of the operation for messages
 * @param wide true for F64, false for F32
 * @param batch leading axes that those of the operands broadcast to
 * @param shapes shapes of the operands
 * @param label description of the first operand for messages
 */
record BatchWork(
    String op, Routine routine, boolean wide, Shape batch, List<Shape> shapes, String label)
    implements Assignment.HostCode {
  /** Elements below which a batch is not worth several threads. */
  private static final long FEW_ELEMENTS = 2048;

  /** Number of tasks of a batch; more than threads, because matrices take different times. */
  private static final int MOST_TASKS = 64;

  @Override
  public void run(Assignment.Threads threads, MemorySegment target, List<MemorySegment> operands) {
    int count = Math.toIntExact(batch.size());
    int tasks = count * routine.results() < FEW_ELEMENTS ? 1 : Math.min(count, MOST_TASKS);
    if (tasks == 1) {
      compute(target, operands, 0, count);
      return;
    }
    var failures = new ConcurrentSkipListMap<Integer, LinalgException>();
    threads.run(
        tasks,
        task -> {
          try {
            int first = (int) ((long) task * count / tasks);
            compute(target, operands, first, (int) ((task + 1L) * count / tasks));
          } catch (LinalgException e) {
            failures.put(task, e);
          }
        });
    if (!failures.isEmpty()) {
      // That of the first matrix, for any number of threads.
      throw failures.firstEntry().getValue();
    }
  }

  /** Computes matrices [first, end) of the batch, in order. */
  private void compute(MemorySegment target, List<MemorySegment> operands, int first, int end) {
    long bytes = routine.results() * (wide ? 8 : 4);
    var in = new Reals[operands.size()];
    for (int k = first; k < end; k++) {
      for (int i = 0; i < in.length; i++) {
        in[i] = new Reals(matrix(operands.get(i), shapes.get(i), k), wide);
      }
      Reals out = new Reals(target.asSlice(k * bytes, bytes), wide);
      Routine.Failure failure = routine.run(out, in);
      if (failure != null) {
        throw LinalgException.of(op, batch, label, k, failure);
      }
    }
  }

  /** Memory of the matrix that broadcasts to matrix k of the batch. */
  private MemorySegment matrix(MemorySegment all, Shape shape, int k) {
    int axes = shape.rank() - 2;
    long size = shape.at(axes) * shape.at(axes + 1) * (wide ? 8 : 4);
    long rest = k;
    long at = 0;
    long stride = 1;
    for (int d = 1; d <= axes; d++) {
      long extent = batch.at(batch.rank() - d);
      long own = shape.at(axes - d);
      at += own == 1 ? 0 : rest % extent * stride;
      rest /= extent;
      stride *= own;
    }
    return all.asSlice(at * size, size);
  }
}
