package ristretto.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.graph.Barrier;
import ristretto.expr.graph.Barrier.ConcatCopies;
import ristretto.expr.graph.Barrier.Convolve;
import ristretto.expr.graph.Barrier.CustomBarrier;
import ristretto.expr.graph.Barrier.Dot;
import ristretto.expr.graph.Barrier.FoldWindows;
import ristretto.expr.graph.Barrier.Fourier;
import ristretto.expr.graph.Barrier.IntegerDot;
import ristretto.expr.graph.Barrier.Reduce;
import ristretto.expr.graph.Barrier.Scan;
import ristretto.expr.graph.Barrier.Scatter;
import ristretto.expr.graph.Barrier.Sort;
import ristretto.expr.graph.Barrier.ViewScatter;
import ristretto.expr.graph.Concat;
import ristretto.expr.graph.Constant;
import ristretto.expr.graph.CustomFormula;
import ristretto.expr.graph.Formula;
import ristretto.expr.graph.Formula.Copy;
import ristretto.expr.graph.Formula.CustomGradient;
import ristretto.expr.graph.Formula.DropAxes;
import ristretto.expr.graph.Formula.Index;
import ristretto.expr.graph.Formula.Sigmoid;
import ristretto.expr.graph.Formula.SigmoidSlope;
import ristretto.expr.graph.Formula.Softplus;
import ristretto.expr.graph.Formula.StopGradient;
import ristretto.expr.graph.Gather;
import ristretto.expr.graph.IntegerPower;
import ristretto.expr.graph.Lifted;
import ristretto.expr.graph.Pad;
import ristretto.expr.graph.Pointwise;
import ristretto.expr.graph.PointwiseGradient;
import ristretto.expr.graph.RandomNumber;
import ristretto.expr.graph.Recurrence;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.View;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.ir.Kernel.Scan.Operator;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.Op;

/**
 * Gradient rules of the built-in operations: for the gradient of a result, those of its operands
 * (vector-Jacobian products). Operations without a rule here derive it from the formula of an
 * element.
 */
final class GradientRules {
  private static final List<Expr<?>> NONE = Collections.singletonList(null);

  private GradientRules() {}

  /** Gradients with respect to the inputs of an expression; null for no gradient. */
  static <T> List<Expr<?>> of(Expr<T> e, Expr<T> dy) {
    return switch (e.operation()) {
      case StorageView _ -> List.of();
      case Barrier b -> ofBarrier(e, b, dy);
      case Formula f -> ofFormula(e, f, dy);
    };
  }

  private static <T> List<Expr<?>> ofFormula(Expr<T> e, Formula f, Expr<T> dy) {
    return switch (f) {
      case Copy _ -> List.of(dy);
      case StopGradient _, RandomNumber _ -> NONE;
      case Sigmoid _ -> List.of(dy.times(slope(e, input(e, 0))));
      case SigmoidSlope _ -> ofSigmoidSlope(e, dy);
      case Softplus _ -> List.of(dy.times(Apply.sigmoid(input(e, 0))));
      case View v -> List.of(ofView(v.op(), input(e, 0).shape(), dy));
      case DropAxes _ -> List.of(dy.reshape(input(e, 0).shape().extents()));
      case Pad p -> ofPad(e, p.op(), dy);
      case Concat c -> parts(dy, c.axis(), e.inputs());
      case Gather g -> {
        Expr<?> indices = e.inputs().get(1);
        var scatter = new Scatter(g.axis(), g.along());
        yield Arrays.asList(GatherScatter.scatter(input(e, 0).shape(), scatter, indices, dy), null);
      }
      case Pointwise _,
          Constant _,
          CustomGradient _,
          Index _,
          IntegerPower _,
          Lifted _,
          PointwiseGradient _ ->
          FormulaGradient.of(e, dy);
      case CustomFormula _ -> ((RExpr<T>) e).gradients(dy);
    };
  }

  private static <T> List<Expr<?>> ofBarrier(Expr<T> e, Barrier b, Expr<T> dy) {
    return switch (b) {
      case ConcatCopies c -> parts(dy, c.axis(), e.inputs());
      case ViewScatter v -> List.of(dy.view(v.view()));
      case FoldWindows f -> List.of(Expr.view(dy, f.windows()));
      case Scatter s -> ofScatter(e, s, dy);
      case Dot _, IntegerDot _ ->
          List.of(
              MatrixProduct.dot(dy, input(e, 1).swapAxes(-1, -2)),
              MatrixProduct.dot(input(e, 0).swapAxes(-1, -2), dy));
      case Convolve c -> Convolutions.transposes(e, c.key(), dy);
      case Fourier f -> Transforms.adjoint(e, f, dy);
      case Reduce r -> ofReduction(e, r, dy);
      case Scan s -> List.of(ofScan(e, s, dy));
      case Recurrence r -> RecurrenceOps.gradients(e, r, dy);
      case Sort s -> ofSort(e, s, dy);
      case CustomBarrier _ -> ((LExpr<T>) e).gradients(dy);
    };
  }

  private static <T> List<Expr<?>> ofScatter(Expr<T> e, Scatter s, Expr<T> dy) {
    Expr<?> indices = e.inputs().get(0);
    Expr<T> values = input(e, 1);
    var gather = new Gather(s.axis(), s.along());
    var sum = new Scatter(s.axis(), s.along());
    Expr<T> zero = Scalars.literal(e.dtype(), 0);
    boolean starts = e.inputs().size() > 2;
    return switch (s.op()) {
      case ADD -> {
        Expr<T> there = GatherScatter.gather(dy, indices, values.shape(), gather);
        yield starts ? Arrays.asList(null, there, dy) : Arrays.asList(null, there);
      }
      case MAX, MIN -> {
        // Equal extremes share the gradient equally.
        Expr<T> found = GatherScatter.gather(e, indices, values.shape(), gather);
        Expr<T> here = values.eq(found).cast(e.dtype());
        Expr<T> winners = GatherScatter.scatter(e.shape(), sum, indices, here);
        if (starts) {
          Expr<T> stays = input(e, 2).eq(e).cast(e.dtype());
          Expr<T> share = dy.div(winners.plus(stays));
          Expr<T> there = GatherScatter.gather(share, indices, values.shape(), gather);
          yield Arrays.asList(
              null, there.times(here), Apply.select(stays.eq(zero), zero, share.times(stays)));
        }
        Expr<T> share = GatherScatter.gather(dy.div(winners), indices, values.shape(), gather);
        yield Arrays.asList(null, share.times(here));
      }
      case LAST -> {
        Expr<I64> number = ArrayManipulation.index(values.shape(), -1);
        Expr<I64> latest = GatherScatter.scatter(e.shape(), s, indices, number);
        Expr<I64> found = GatherScatter.gather(latest, indices, values.shape(), gather);
        Expr<T> there = GatherScatter.gather(dy, indices, values.shape(), gather);
        Expr<T> last = Apply.select(found.eq(number), there, zero);
        yield starts
            ? Arrays.asList(
                null, last, GatherScatter.scatter(e.shape(), s, indices, last.times(0), dy))
            : Arrays.asList(null, last);
      }
    };
  }

  @SuppressWarnings("unchecked")
  private static <T> Expr<T> input(Expr<T> e, int k) {
    return (Expr<T>) e.inputs().get(k);
  }

  /** Derivative of the sigmoid {@code s} of {@code a}. */
  private static <T> Expr<T> slope(Expr<T> s, Expr<T> a) {
    return new Computed<>(new SigmoidSlope(), a.dtype(), a.shape(), s, a);
  }

  /** Gradient with respect to {@code a} only, since the sigmoid is a function of {@code a}. */
  private static <T> List<Expr<?>> ofSigmoidSlope(Expr<T> s, Expr<T> dy) {
    return Arrays.asList(null, dy.times(s).times(Apply.unary(Op.TANH, input(s, 1).times(-0.5))));
  }

  // Views

  /**
   * Gradient with respect to an expression of shape {@code from}, for the gradient {@code dy} of
   * its view.
   */
  static <T> Expr<T> ofView(ViewOp op, Shape from, Expr<T> dy) {
    return switch (op) {
      case ViewOp.Expand _ -> dy;
      case ViewOp.Reshape _ -> dy.reshape(from.extents());
      case ViewOp.Permute p -> {
        int[] back = new int[from.rank()];
        for (int d = 0; d < back.length; d++) {
          back[(int) p.axes().get(d)] = d;
        }
        yield dy.permute(back);
      }
      case ViewOp.Pad p ->
          dy.view(new ViewOp.Step(p.before(), Longs.filled(from.rank(), 1), from.longs()));
      case ViewOp.Step s -> ofStep(s, from, dy);
      case ViewOp.Diagonal _ -> placed(from, op, dy);
      case ViewOp.Windows w -> new Computed<>(new FoldWindows(w), dy.dtype(), from, dy);
    };
  }

  /** Gradient of a slice. With steps of 1 or -1 this is a padding with zeros, which fuses. */
  private static <T> Expr<T> ofStep(ViewOp.Step op, Shape from, Expr<T> dy) {
    if (dy.shape().elements() == 0) {
      return Scalars.filled(dy.dtype(), from, 0);
    }
    long[] before = op.starts().toArray();
    Expr<T> forward = dy;
    for (int d = 0; d < before.length; d++) {
      long n = op.dims().get(d);
      long step = n == 1 ? 1 : op.steps().get(d);
      if (Math.abs(step) != 1) {
        return placed(from, op, dy);
      }
      if (step < 0) {
        forward = forward.flip(d);
        before[d] = UnknownDims.minus(before[d], UnknownDims.minus(n, 1));
      }
    }
    return dy.shape().equals(from) ? forward : ArrayManipulation.padZeros(forward, before, from);
  }

  private static <T> Expr<T> placed(Shape shape, ViewOp view, Expr<T> values) {
    return new Computed<>(new ViewScatter(view), values.dtype(), shape, values);
  }

  private static <T> List<Expr<?>> ofPad(Expr<T> e, ViewOp.Pad op, Expr<T> dy) {
    Expr<T> inside = ofView(op, input(e, 0).shape(), dy);
    Expr<T> fill = Reductions.sum(dy).minus(Reductions.sum(inside));
    return List.of(inside, fill.expand(input(e, 1).shape().extents()));
  }

  /** Slices of {@code dy} that belong to the parts of a concatenation. */
  private static <T> List<Expr<?>> parts(Expr<T> dy, int axis, List<Expr<?>> parts) {
    var all = new ArrayList<Expr<?>>();
    Slice[] slices = new Slice[axis + 1];
    Arrays.fill(slices, Slice.all());
    long start = 0;
    for (Expr<?> part : parts) {
      long end = UnknownDims.plus(start, part.shape().at(axis));
      slices[axis] = Slice.range(start, end);
      all.add(dy.slice(slices));
      start = end;
    }
    return all;
  }

  // Reductions, scans and sorts

  private static <T> List<Expr<?>> ofReduction(Expr<T> e, Reduce r, Expr<T> dy) {
    if (!e.inputs().get(0).dtype().isFloat() || !e.dtype().isFloat()) {
      return NONE;
    }
    Expr<T> x = input(e, 0);
    int[] axes = Arrays.stream(r.axes().toArray()).mapToInt(Math::toIntExact).toArray();
    Expr<T> wide = dy.expand(x.shape().extents());
    return switch (r.kind()) {
      case SUM, ROW_SUM -> List.of(wide);
      case MAX, MIN -> {
        // Equal extremes share the gradient equally.
        Expr<T> here = x.eq(e).cast(e.dtype());
        yield List.of(wide.times(here).div(Reductions.sum(here, axes).keepDims()));
      }
      case PROD -> List.of(wide.times(productOfOthers(x, axes)));
      case ANY, ALL, ARGMAX, ARGMIN -> NONE;
      case LAMBDA -> throw e.noDerivative();
    };
  }

  /** Product of all other elements of the group, for each element; correct for zeros. */
  private static <T> Expr<T> productOfOthers(Expr<T> x, int... axes) {
    Expr<T> zero = Scalars.literal(x.dtype(), 0);
    Expr<T> one = Scalars.literal(x.dtype(), 1);
    Expr<BOOL> isZero = x.eq(zero);
    Expr<T> zeros = Reductions.sum(isZero.cast(x.dtype()), axes).keepDims();
    Expr<T> others = Apply.select(isZero, one, x);
    Expr<T> rest = Reductions.prod(others, axes).keepDims();
    Expr<T> atZero = Apply.select(zeros.eq(one), rest.expand(x.shape().extents()), zero);
    return Apply.select(isZero, atZero, Apply.select(zeros.eq(zero), rest.div(others), zero));
  }

  private static <T> Expr<T> ofScan(Expr<T> e, Scan key, Expr<T> dy) {
    return switch (key.op()) {
      case ADD -> backwards(key, dy);
      // a product contains each earlier element once; NaN for elements of 0
      case MUL -> backwards(key, dy.times(e)).div(input(e, 0));
      case MAX, MIN -> {
        // The gradient of a cumulative extreme goes to the element that attains it.
        if (key.exclusive()) {
          throw e.noDerivative();
        }
        Expr<I64> at = ArrayManipulation.index(e.shape(), key.axis());
        Expr<I64> never =
            Scalars.literal(I64.INSTANCE, key.reverse() ? e.shape().at(key.axis()) - 1 : 0);
        Expr<I64> found = Apply.select(input(e, 0).eq(e), at, never);
        Operator latest = key.reverse() ? Operator.MIN : Operator.MAX;
        Expr<I64> place =
            Reductions.scan(found, new Scan(latest, key.axis(), key.reverse(), false));
        yield GatherScatter.scatter(e.shape(), new Scatter(key.axis(), true), place, dy);
      }
    };
  }

  /** Cumulative sum in the other direction. */
  private static <T> Expr<T> backwards(Scan key, Expr<T> dy) {
    return Reductions.scan(dy, new Scan(Operator.ADD, key.axis(), !key.reverse(), key.exclusive()));
  }

  private static <T> List<Expr<?>> ofSort(Expr<T> e, Sort sort, Expr<T> dy) {
    if (sort.positions()) {
      return NONE;
    }
    Expr<?> from = e.inputs().get(0);
    var positions = new Sort(sort.axis(), sort.descending(), true, sort.from());
    Expr<I64> order = GatherScatter.positions(from, e.shape(), positions);
    var scatter = new Scatter(sort.axis(), true);
    return List.of(GatherScatter.scatter(from.shape(), scatter, order, dy));
  }
}
