package ristretto.expr.linalg;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import ristretto.expr.Assignment;
import ristretto.expr.Expr;
import ristretto.expr.LExpr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F64;
import ristretto.expr.type.LValue;
import ristretto.expr.type.Shape;

/**
 * Operator that runs a routine on each matrix of a batch, on the host. The leading axes of its
 * operands broadcast; the two last ones are the matrix.
 */
final class MatrixOperator<T> extends LExpr<T> {
  /** Elements below which a batch is not worth several threads. */
  private static final long FEW_ELEMENTS = 2048;

  /** Number of tasks of a batch; more than threads, because matrices take different times. */
  private static final int MOST_TASKS = 64;

  private final String op;
  private final Routine routine;
  private final Shape batch;
  private Rule<T> rule;

  /** Gradients of an operator that has one result. */
  @FunctionalInterface
  interface Rule<T> {
    /** Returns the gradients of the operands, for the result and its gradient. */
    List<Expr<?>> gradients(Expr<T> y, Expr<T> dy);
  }

  /** Creates an operator whose results are the batch's axes and one axis of packed results. */
  @SafeVarargs
  MatrixOperator(String op, Routine routine, Shape batch, Expr<T>... operands) {
    this(op, routine, batch, Shapes.with(batch, routine.results()), operands);
  }

  /** Creates an operator with a shape that begins with the batch's axes. */
  @SafeVarargs
  MatrixOperator(String op, Routine routine, Shape batch, Shape shape, Expr<T>... operands) {
    super(operands[0].dtype(), shape, operands);
    this.op = op;
    this.routine = routine;
    this.batch = batch;
  }

  /** Sets the gradients. */
  MatrixOperator<T> differentiate(Rule<T> gradients) {
    rule = gradients;
    return this;
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return rule == null ? super.gradients(dy) : rule.gradients(this, dy);
  }

  @Override
  protected Object key() {
    return routine;
  }

  @Override
  protected void prepare(Assignment assignment) {
    inputs().forEach(assignment::requireContiguous);
  }

  @Override
  protected void execute(Assignment assignment, LValue<T> target) {
    Tensor<?>[] operands = inputs().stream().map(assignment::contiguous).toArray(Tensor<?>[]::new);
    if (target.layout().isContiguous()) {
      assignment.compute(op, this::compute, (Tensor<T>) target, operands);
    } else {
      Tensor<T> rows = assignment.temporary(dtype(), shape());
      assignment.compute(op, this::compute, rows, operands);
      assignment.assign(target, rows);
    }
  }

  private void compute(
      Assignment.Threads threads, MemorySegment target, List<MemorySegment> operands) {
    boolean wide = dtype() == (Object) F64.INSTANCE;
    long bytes = routine.results() * (wide ? 8 : 4);
    int count = Math.toIntExact(batch.size());
    int tasks = shape().size() < FEW_ELEMENTS ? 1 : Math.min(count, MOST_TASKS);
    var failures = new ConcurrentSkipListMap<Integer, Routine.Failure>();
    threads.run(
        tasks,
        task -> {
          int end = (int) ((task + 1L) * count / tasks);
          for (int k = (int) ((long) task * count / tasks); k < end; k++) {
            var in = new Reals[operands.size()];
            for (int i = 0; i < in.length; i++) {
              in[i] = new Reals(matrix(operands.get(i), inputs().get(i).shape(), k, wide), wide);
            }
            Reals out = new Reals(target.asSlice(k * bytes, bytes), wide);
            Routine.Failure failure = routine.run(out, in);
            if (failure != null) {
              failures.put(k, failure);
            }
          }
        });
    if (!failures.isEmpty()) {
      throw failure(failures.firstEntry());
    }
  }

  /** Memory of the matrix that broadcasts to matrix k of the batch. */
  private MemorySegment matrix(MemorySegment all, Shape shape, int k, boolean wide) {
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

  private LinalgException failure(Map.Entry<Integer, Routine.Failure> first) {
    Routine.Failure f = first.getValue();
    var place = new StringBuilder();
    long rest = first.getKey();
    for (int d = batch.rank() - 1; d >= 0; d--) {
      place.insert(0, rest % batch.at(d) + (place.isEmpty() ? "" : ","));
      rest /= batch.at(d);
    }
    String which = place.isEmpty() ? "" : ", matrix [" + place + "],";
    return new LinalgException(
        "[%s] %s; got %s%s %s; %s."
            .formatted(op, f.rule(), inputs().get(0).label(), which, f.found(), f.remedy()));
  }

  @Override
  public String toString() {
    return op + " " + label();
  }
}
