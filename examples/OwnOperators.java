// User-defined operators: one that fuses like the built-in ones, one that has several steps, and
// one that runs Java code on the host. None of them needs a change in the library.
//
//   ./ristretto run examples/OwnOperators.java

import module ristretto.expr;

import static ristretto.expr.Ops.*;

/**
 * An RExpr computes each element from elements of its inputs: the logistic map, applied n times.
 */
static final class Logistic extends RExpr<F32> {
  private final int steps;
  private final double rate;

  Logistic(Expr<F32> x, double rate, int steps) {
    super(x.dtype(), x.shape(), x);
    this.steps = steps;
    this.rate = rate;
  }

  @Override
  protected Object key() { // properties that change the kernel, besides the inputs
    return "logistic " + steps;
  }

  @Override
  protected void scalars(ScalarSink sink) { // numbers that may change without a new kernel
    sink.add(F32, rate);
  }

  @Override
  protected Scalar read(Reads in) {
    Scalar x = in.input(0);
    for (int k = 0; k < steps; k++) {
      x = in.number(0).times(x).times(x.constant(1).minus(x));
    }
    return x;
  }
}

/** An LExpr writes memory, here by two assignments: rows scaled to unit length, times a matrix. */
static final class NormalizedProduct extends LExpr<F32> {
  NormalizedProduct(Expr<F32> rows, Expr<F32> matrix) {
    super(F32, Shape.of(rows.shape().dim(0), matrix.shape().dim(1)), rows, matrix);
  }

  @Override
  @SuppressWarnings("unchecked")
  protected void execute(Assignment assignment, LValue<F32> target) {
    Expr<F32> rows = (Expr<F32>) inputs().get(0);
    Tensor<F32> unit = assignment.temporary(F32, rows.shape());
    assignment.assign(unit, rows.div(norm(rows, 1).keepDims()));
    assignment.assign(target, dot(unit, (Expr<F32>) inputs().get(1)));
  }
}

/** An LExpr that runs on the host: the median of each row. */
static final class RowMedian extends LExpr<F32> {
  RowMedian(Expr<F32> rows) {
    super(F32, Shape.of(rows.shape().dim(0)), rows);
  }

  @Override
  protected void prepare(Assignment assignment) {
    assignment.requireContiguous(inputs().get(0));
  }

  @Override
  @SuppressWarnings("unchecked")
  protected void execute(Assignment assignment, LValue<F32> target) {
    Tensor<F32> rows = assignment.contiguous((Expr<F32>) inputs().get(0));
    int columns = (int) rows.shape().dim(1);
    assignment.host(
        "median of each row",
        () -> {
          float[] all = rows.toFloatArray();
          float[] medians = new float[all.length / columns];
          for (int r = 0; r < medians.length; r++) {
            float[] row = java.util.Arrays.copyOfRange(all, r * columns, (r + 1) * columns);
            java.util.Arrays.sort(row);
            medians[r] = row[columns / 2];
          }
          assignment.write(target, medians);
        });
  }
}

void main() {
  try (Context ctx = Context.open()) {
    Tensor<F32> x = ctx.eval(uniform(F32, 7, 200, 50));

    // The operator fuses with the operations around it: one kernel, also for other rates.
    Expr<F32> chaos = sum(new Logistic(x, 3.9, 20).minus(0.5), 1);
    Plan fused = ctx.explain(chaos);
    System.out.println(fused);
    ctx.eval(chaos);
    long misses = ctx.stats().cacheMisses();
    ctx.eval(sum(new Logistic(x, 3.7, 20).minus(0.5), 1));
    long newKernels = ctx.stats().cacheMisses() - misses;

    // A registered operator is called by its name.
    ExprRegistry.register(
        "normalizedProduct",
        java.util.List.of(F32, F32),
        in -> new NormalizedProduct((Expr<F32>) in.get(0), (Expr<F32>) in.get(1)));
    Tensor<F32> w = ctx.eval(normal(F32, 1, 50, 10));
    Tensor<F32> p = ctx.eval(call(F32, "normalizedProduct", x, w));
    System.out.println("normalized product " + p.shape());

    Tensor<F32> medians = ctx.eval(new RowMedian(x.times(2)).div(2));
    System.out.printf(
        Locale.ROOT,
        "result: fused_kernels=%d new_kernels=%d median=%.4f%n",
        fused.kernelCount(),
        newKernels,
        ctx.eval(mean(medians)).item());
  }
}
