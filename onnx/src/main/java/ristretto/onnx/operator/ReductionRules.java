package ristretto.onnx.operator;

import java.util.Arrays;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.onnx.call.NodeCall;

/** Reductions over axes, and scans. */
final class ReductionRules {
  private ReductionRules() {}

  static void addTo(Rules rules) {
    reduction(rules, "ReduceSum", (a, axes) -> Ops.sum(a, axes).keepDims());
    reduction(rules, "ReduceProd", (a, axes) -> Ops.prod(a, axes).keepDims());
    reduction(rules, "ReduceMean", (a, axes) -> Ops.mean(a, axes).keepDims());
    reduction(rules, "ReduceMax", (a, axes) -> extreme(a, axes, true));
    reduction(rules, "ReduceMin", (a, axes) -> extreme(a, axes, false));
    reduction(rules, "ReduceL1", (a, axes) -> Ops.sum(Ops.abs(a), axes).keepDims());
    reduction(rules, "ReduceL2", (a, axes) -> root(Ops.sum(Ops.square(a), axes).keepDims()));
    reduction(rules, "ReduceSumSquare", (a, axes) -> Ops.sum(Ops.square(a), axes).keepDims());
    reduction(rules, "ReduceLogSum", (a, axes) -> Ops.log(Ops.sum(a, axes).keepDims()));
    reduction(rules, "ReduceLogSumExp", ReductionRules::logSumExp);
    rules.one("ArgMax", n -> arg(n, true));
    rules.one("ArgMin", n -> arg(n, false));
    rules.computes("CumSum", n -> scan(n, false));
    rules.computes("CumProd", n -> scan(n, true));
  }

  private static void reduction(
      Rules rules, String operator, BiFunction<Expr<Object>, int[], Expr<Object>> f) {
    rules.computes(
        operator,
        n -> {
          int rank = n.rank(0);
          long[] given = n.integers("axes", 1);
          boolean keep = n.flag("keepdims", true);
          boolean noop = n.flag("noop_with_empty_axes", false);
          boolean none = given == null || given.length == 0;
          int[] axes = none ? IntStream.range(0, rank).toArray() : n.axes(given, rank);
          Expr<Object> a = n.in(0);
          if (none && noop || rank == 0) {
            // Only the element-wise part of the operator remains.
            Expr<Object> e = a.unsqueeze(rank);
            return f.apply(e, new int[] {rank}).reshape(a.shape().toArray());
          }
          Expr<Object> kept = f.apply(a, axes);
          return keep ? kept : kept.reshape(without(a.shape().toArray(), axes));
        });
  }

  private static long[] without(long[] dims, int... axes) {
    return IntStream.range(0, dims.length)
        .filter(d -> Arrays.stream(axes).noneMatch(x -> x == d))
        .mapToLong(d -> dims[d])
        .toArray();
  }

  private static Expr<Object> root(Expr<Object> sum) {
    return sum.dtype().isFloat()
        ? Ops.sqrt(sum)
        : NodeCall.erase(Ops.sqrt(sum.cast(Ops.F64))).cast(sum.dtype());
  }

  private static Expr<Object> extreme(Expr<Object> a, int[] axes, boolean max) {
    long[] dims = a.shape().toArray();
    if (Arrays.stream(axes).anyMatch(d -> dims[d] == 0)) {
      for (int d : axes) {
        dims[d] = 1;
      }
      if (!a.dtype().isFloat()) {
        return NodeCall.erase(
            Ops.scalar(a.dtype(), max ? a.dtype().least() : a.dtype().most()).expand(dims));
      }
      return Ops.fill(a.dtype(), max ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY, dims);
    }
    if (a.dtype() == (Object) Ops.BOOL) {
      return NodeCall.erase(max ? Ops.any(a, axes).keepDims() : Ops.all(a, axes).keepDims());
    }
    return max ? Ops.max(a, axes).keepDims() : Ops.min(a, axes).keepDims();
  }

  private static Expr<Object> logSumExp(Expr<Object> a, int... axes) {
    boolean empty = a.shape().size() == 0;
    return empty
        ? Ops.log(Ops.sum(Ops.exp(a), axes).keepDims())
        : Ops.logSumExp(a, axes).keepDims();
  }

  private static Expr<?> arg(NodeCall n, boolean max) {
    int axis = n.axis(n.integer("axis", 0), n.rank(0));
    boolean last = n.flag("select_last_index", false);
    Expr<Object> a = ElementwiseRules.ordered(n.value(0));
    Expr<Object> from = last ? a.flip(axis) : a;
    Expr<Object> at =
        NodeCall.erase(max ? Ops.argMax(from, axis).keepDims() : Ops.argMin(from, axis).keepDims());
    if (last) {
      at = at.neg().plus(a.shape().at(axis) - 1);
    }
    return n.flag("keepdims", true) ? at : at.reshape(without(at.shape().toArray(), axis));
  }

  private static Expr<?> scan(NodeCall n, boolean product) {
    Expr<Object> a = n.in(0);
    int axis = n.axis(n.scalar(1, 0), n.rank(0));
    boolean reverse = n.flag("reverse", false);
    boolean exclusive = n.flag("exclusive", false);
    Expr<Object> from = reverse ? a.flip(axis) : a;
    if (exclusive) {
      long size = a.shape().at(axis);
      long[] padding = new long[2 * n.rank(0)];
      padding[2 * axis] = 1;
      Expr<Object> shorter = from.slice(ViewRules.part(n.rank(0), axis, 0, size - 1));
      from = product ? Ops.padWith(shorter, 1, padding) : Ops.pad(shorter, padding);
    }
    Expr<Object> all = product ? Ops.cumProd(from, axis) : Ops.cumSum(from, axis);
    return reverse ? all.flip(axis) : all;
  }
}
