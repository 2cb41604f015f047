package ristretto.expr.linalg;

import java.util.List;
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
    if (OnDevice.takes(assignment, routine, batch)) {
      new OnDevice<T>(op, routine, batch, inputs(), assignment).run((Tensor<T>) target);
      return;
    }
    Tensor<?>[] operands = inputs().stream().map(assignment::contiguous).toArray(Tensor<?>[]::new);
    var work =
        new BatchWork(
            op,
            routine,
            dtype() == (Object) F64.INSTANCE,
            batch,
            inputs().stream().map(Expr::shape).toList(),
            inputs().get(0).label());
    if (target.layout().isContiguous()) {
      assignment.compute(op, work, (Tensor<T>) target, operands);
    } else {
      Tensor<T> rows = assignment.temporary(dtype(), shape());
      assignment.compute(op, work, rows, operands);
      assignment.assign(target, rows);
    }
  }

  @Override
  public String toString() {
    return op + " " + label();
  }
}
