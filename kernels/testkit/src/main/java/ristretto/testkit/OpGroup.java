package ristretto.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.kernels.KernelException;

/**
 * Group of element-wise operations on the same operands, evaluated by one kernel, since most of a
 * compilation's time does not depend on the kernel's length. {@link #check} runs them on every
 * dtype, layout and shape.
 *
 * @param cases cases of equal arity, domain and dtypes
 */
record OpGroup(List<OpCase> cases) {
  private static final List<long[]> SHAPES =
      List.of(
          new long[] {},
          new long[] {1},
          new long[] {17},
          new long[] {5, 5},
          new long[] {2, 3, 4},
          new long[] {2, 1, 3, 5},
          new long[] {0},
          new long[] {3, 0, 2},
          new long[] {1, 4},
          new long[] {1027});

  /** Groups the cases, at most {@code most} per group, in their order. */
  static List<OpGroup> of(List<OpCase> all, int most) {
    var open = new ArrayList<List<OpCase>>();
    var groups = new ArrayList<OpGroup>();
    for (OpCase op : all) {
      List<OpCase> fitting =
          open.stream().filter(g -> fits(g.getFirst(), op)).findFirst().orElse(null);
      if (fitting == null) {
        fitting = new ArrayList<>();
        open.add(fitting);
      }
      fitting.add(op);
      if (fitting.size() == most) {
        open.remove(fitting);
        groups.add(new OpGroup(fitting));
      }
    }
    open.forEach(rest -> groups.add(new OpGroup(rest)));
    return groups;
  }

  private static boolean fits(OpCase a, OpCase b) {
    return a.arity() == b.arity() && a.domain() == b.domain() && a.dtypes().equals(b.dtypes());
  }

  @Override
  public String toString() {
    return cases.stream().map(OpCase::name).collect(Collectors.joining(", "));
  }

  /** Checks every dtype with every shape, and every layout of a square matrix. */
  void check(Context ctx, Portion portion) {
    for (DType<?> dtype : cases.getFirst().dtypes()) {
      for (long[] shape : SHAPES) {
        check(ctx, dtype, shape, List.of(TensorLayout.CONTIGUOUS));
      }
    }
    for (DType<?> dtype : portion.of(cases.getFirst().dtypes(), 1)) {
      checkLayouts(ctx, dtype, portion);
    }
  }

  /** Checks one dtype in every layout. */
  void checkLayouts(Context ctx, DType<?> dtype, Portion portion) {
    for (TensorLayout layout : portion.of(List.of(TensorLayout.values()), 2)) {
      check(ctx, dtype, new long[] {6, 6}, List.of(layout));
      check(
          ctx,
          dtype,
          new long[] {3, 4, 5},
          List.of(layout, TensorLayout.TRANSPOSED, TensorLayout.FLIPPED));
    }
  }

  private void check(Context ctx, DType<?> dtype, long[] shape, List<TensorLayout> layouts) {
    check(ctx, dtype, layouts, Collections.nCopies(cases.getFirst().arity(), shape));
  }

  /**
   * Checks operands of given shapes.
   *
   * @param layouts layouts of the operands, repeated as needed
   * @param shapes shapes of the operands
   * @return the case with the largest error in ulp
   */
  Worst check(Context ctx, DType<?> dtype, List<TensorLayout> layouts, List<long[]> shapes) {
    var values = new ArrayList<Nd>();
    List<Expr<F32>> operands = cases.getFirst().operands(ctx, dtype, layouts, shapes, values);
    List<Expr<?>> exprs = new ArrayList<>();
    cases.forEach(op -> exprs.add(op.ours().apply(operands)));
    List<Tensor<?>> results = evaluate(ctx, exprs);
    var worst = new Worst(0, "");
    for (int k = 0; k < cases.size(); k++) {
      OpCase op = cases.get(k);
      double ulps =
          op.tolerance()
              .check(
                  exprs.get(k).dtype(),
                  op.oracle().apply(values),
                  NdTensors.read(results.get(k)),
                  () ->
                      "%s of %s%s %s on %s%s"
                          .formatted(
                              op.name(),
                              dtype,
                              shapes.stream().map(Arrays::toString).toList(),
                              layouts,
                              ctx.device(),
                              inputs(values)));
      worst = worst.or(new Worst(ulps, op.name() + " of " + dtype));
    }
    return worst;
  }

  /** Evaluates all expressions, by one kernel if there are several. */
  private List<Tensor<?>> evaluate(Context ctx, List<Expr<?>> exprs) {
    if (exprs.size() == 1) {
      return List.of(ctx.eval(exprs.getFirst()));
    }
    var pairs = new ArrayList<Pair<?>>();
    exprs.forEach(e -> pairs.add(pair(ctx, e)));
    try {
      ctx.assignAll(pairs.toArray(Pair[]::new));
    } catch (KernelException e) {
      throw new AssertionError(this + ": " + e.getMessage(), e);
    }
    return pairs.stream().<Tensor<?>>map(Pair::target).toList();
  }

  private static <T> Pair<T> pair(Context ctx, Expr<T> expr) {
    return Pair.of(ctx.empty(expr.dtype(), expr.shape()), expr);
  }

  private static String inputs(List<Nd> values) {
    String text = values.toString();
    return "\noperands: " + (text.length() > 800 ? text.substring(0, 800) + " ..." : text);
  }
}
