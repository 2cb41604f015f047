package ristretto.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Reduced;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.kernels.ShapeException;
import ristretto.testkit.OpCase.Domain;

/**
 * Test case of an operation along one or several axes, with its oracle and tolerance. {@link
 * #check(Context, Portion)} runs it on every dtype, on lengths around those of vectors and strips,
 * on every set of axes and every layout.
 *
 * @param rule number of axes that the operation takes
 */
record AxesCase(
    String name,
    Rule rule,
    List<DType<?>> dtypes,
    Domain domain,
    Tolerance tolerance,
    BiFunction<Expr<F32>, int[], Expr<?>> ours,
    BiFunction<Nd, int[], Nd> oracle) {

  enum Rule {
    /** Exactly one axis. */
    ONE,
    /** Exactly one axis, with extent greater than 0. */
    ONE_WITH_ELEMENTS,
    /** Any number of axes; none means all. */
    SEVERAL,
    /** Any number of axes, with extents greater than 0; none means all. */
    SEVERAL_WITH_ELEMENTS
  }

  private static final long[] LENGTHS = {0, 1, 2, 15, 16, 17, 31, 33, 257, 1023, 1031};

  private static final long[] FEW_LENGTHS = {0, 1, 17, 1031};

  private static final List<long[]> FEW_SHAPES =
      List.of(new long[] {5, 5}, new long[] {2, 3, 4}, new long[] {3, 0, 2});

  private static final List<long[]> SHAPES =
      List.of(
          new long[] {},
          new long[] {5, 5},
          new long[] {2, 3, 4},
          new long[] {2, 1, 3, 5},
          new long[] {3, 0, 2},
          new long[] {37, 3},
          new long[] {3, 37});

  @Override
  public String toString() {
    return name;
  }

  /** Checks all lengths and shapes for the first dtype, and fewer for the others. */
  void check(Context ctx, Portion portion) {
    for (DType<?> dtype : portion.firstAnd(dtypes, 1)) {
      boolean first = dtype == dtypes.getFirst();
      for (long n : first ? LENGTHS : FEW_LENGTHS) {
        check(ctx, dtype, new long[] {n}, TensorLayout.CONTIGUOUS, 0);
      }
      for (long[] shape : portion.of(first ? SHAPES : FEW_SHAPES, first ? 2 : 1)) {
        portion
            .of(axes(shape.length), 1)
            .forEach(axes -> check(ctx, dtype, shape, TensorLayout.CONTIGUOUS, axes));
      }
    }
    checkLayouts(ctx, portion);
    check(ctx, dtypes.getFirst(), new long[] {1031, 17}, TensorLayout.CONTIGUOUS, 0);
    check(ctx, dtypes.getFirst(), new long[] {17, 1031}, TensorLayout.TRANSPOSED, 1);
  }

  /** Checks the first dtype in every layout. */
  void checkLayouts(Context ctx, Portion portion) {
    for (TensorLayout layout : portion.of(List.of(TensorLayout.values()), 1)) {
      check(ctx, dtypes.getFirst(), new long[] {19}, layout, 0);
      for (long[] shape : List.of(new long[] {6, 6}, new long[] {3, 4, 5})) {
        portion
            .of(axes(shape.length), 1)
            .forEach(axes -> check(ctx, dtypes.getFirst(), shape, layout, axes));
      }
    }
  }

  /** Returns the case of the operation along given axes. */
  OpCase along(int... axes) {
    return new OpCase(
        name + " along " + Arrays.toString(axes),
        dtypes,
        domain,
        tolerance,
        1,
        in -> ours.apply(in.get(0), axes),
        in -> oracle.apply(in.get(0), axes));
  }

  Worst check(Context ctx, DType<?> dtype, long[] shape, TensorLayout layout, int... axes) {
    OpCase op = along(axes);
    if (needsElements()
        && IntStream.of(axes.length == 0 ? all(shape.length) : axes)
            .anyMatch(d -> shape[Math.floorMod(d, shape.length)] == 0)) {
      refused(() -> op.check(ctx, dtype, shape, List.of(layout)));
      return Worst.NONE;
    }
    Worst worst = op.check(ctx, dtype, shape, List.of(layout));
    OpCase kept =
        new OpCase(
            op + ", kept",
            dtypes,
            domain,
            tolerance,
            1,
            in -> ((Reduced<?>) ours.apply(in.get(0), axes)).keepDims(),
            in -> oracle.apply(in.get(0), axes).reshape(in.get(0).kept(axes)));
    if (takesSeveral() && dtype == dtypes.getFirst()) {
      kept.check(ctx, dtype, shape, List.of(layout));
    }
    return worst;
  }

  private void refused(Runnable check) {
    try {
      check.run();
    } catch (ShapeException e) {
      if (e.getMessage().contains("must not be empty")) {
        return;
      }
      throw e;
    }
    throw new AssertionError(name + " of nothing must be refused");
  }

  boolean takesSeveral() {
    return rule == Rule.SEVERAL || rule == Rule.SEVERAL_WITH_ELEMENTS;
  }

  private boolean needsElements() {
    return rule == Rule.ONE_WITH_ELEMENTS || rule == Rule.SEVERAL_WITH_ELEMENTS;
  }

  private static int[] all(int rank) {
    return IntStream.range(0, rank).toArray();
  }

  /**
   * Lists sets of axes: each single axis, -1, and sets of several where the operation takes them.
   */
  private List<int[]> axes(int rank) {
    var sets = new ArrayList<int[]>();
    for (int d = 0; d < rank; d++) {
      sets.add(new int[] {d});
    }
    if (rank > 0) {
      sets.add(new int[] {-1});
    }
    if (takesSeveral()) {
      sets.add(new int[0]);
    }
    if (takesSeveral() && rank > 1) {
      sets.add(new int[] {0, rank - 1});
      sets.add(new int[] {-1, -2});
      if (rank > 2) {
        sets.add(new int[] {0, 1});
        sets.add(all(rank));
      }
    }
    return sets;
  }
}
