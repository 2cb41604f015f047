package ristretto.nnet3.component;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.concat;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.windows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Tensor;
import ristretto.nnet3.component.ConvolutionModel.Run;
import ristretto.nnet3.forward.Forward;
import ristretto.nnet3.forward.RowMap;
import ristretto.nnet3.io.Matrix;

/**
 * A convolution over time and height without patches. The heights that an output height reads at
 * one time lie side by side, so each time is a product for each output height, which reads its
 * operand where it lies; the products of heights that read as many are one batch. Heights at the
 * edges read fewer, in products of their own, so nothing is padded.
 */
final class ConvolutionProducts {
  /**
   * Columns from which on a product for each time costs less than copying the rows of all times
   * side by side for one product.
   */
  private static final int WIDE = 64;

  private final Forward f;
  private final ConvolutionModel model;
  private final Tensor<F32> weights;
  private final Tensor<F32> y;

  /** Rows of {@code y}, and the rows they read at one time, which are in memory. */
  private record Operand(long from, long to, Tensor<F32> rows) {}

  /** Output heights that read as many heights of a run, the first of them from {@code column}. */
  private record Group(int from, int to, int column, int width, int weight) {}

  /**
   * Nothing yet.
   *
   * @param weights a row for each element of a patch
   */
  private ConvolutionProducts(Forward f, ConvolutionModel model, Tensor<F32> weights) {
    this.f = f;
    this.model = model;
    this.weights = weights;
    this.y =
        f.context()
            .empty(
                F32, f.outputRows().size() * f.sequences(), model.heightOut(), model.filtersOut());
  }

  /** The result without the bias, in memory. */
  static Tensor<F32> of(Forward f, ConvolutionModel model, Matrix linear) {
    Context context = f.context();
    long places = f.outputRows().size();
    Expr<F32> x = f.x();
    ConvolutionModel spliced = model.spliced();
    if (spliced != null && model.filterDim() / model.times().size() < WIDE) {
      int times = model.times().size();
      int in = model.filtersIn();
      long[] dims = {model.filtersOut(), times, spliced.offsets().size(), in};
      Tensor<F32> w = f.permuted(linear, dims, 2, 1, 3, 0).reshape(-1, model.filtersOut());
      var products = new ConvolutionProducts(f, spliced, w);
      var rows = context.eval(splice(f, model, x)).reshape(places * f.sequences(), -1);
      return products.sum(_ -> new Operand(0, places * f.sequences(), rows));
    }
    boolean there = x instanceof Tensor<F32> t && t.layout().isContiguous();
    Tensor<F32> memory = there ? (Tensor<F32>) x : context.eval(x);
    Tensor<F32> w = f.permuted(linear, new long[] {model.filtersOut(), model.filterDim()}, 1, 0);
    var products = new ConvolutionProducts(f, model, w);
    return products.sum(time -> operand(f, memory, places(f, time)));
  }

  /** At each height the filters of all times. */
  private static Expr<F32> splice(Forward f, ConvolutionModel model, Expr<F32> x) {
    var parts = new ArrayList<Expr<F32>>();
    for (int time : model.times()) {
      parts.add(
          f.rows(x, places(f, time))
              .reshape(f.outputRows().size(), f.sequences(), model.heightIn(), model.filtersIn()));
    }
    return concat(3, parts);
  }

  private static int[] places(Forward f, int time) {
    return f.outputRows().stream()
        .mapToInt(row -> f.place(row.at(row.t() + time, row.x())))
        .toArray();
  }

  /** Null if no row is there. */
  private static Operand operand(Forward f, Tensor<F32> x, int[] places) {
    long n = f.sequences();
    return switch (RowMap.of(places, (int) x.shape().dim(0))) {
      case RowMap.Identity(int size) -> new Operand(0, size * n, flat(x));
      case RowMap.Steps(int start, int step, int count, int before, int _) -> {
        boolean inPlace = step == 1 || step > 0 && n == 1;
        long end = start + (count - 1L) * step + 1;
        Tensor<F32> rows =
            inPlace
                ? x.slice(range(start, end, step))
                : f.context().eval(f.rows(x, Arrays.copyOfRange(places, before, before + count)));
        yield new Operand(before * n, (before + count) * n, flat(rows));
      }
      case RowMap.Places _ ->
          new Operand(0, places.length * n, flat(f.context().eval(f.rows(x, places))));
      case RowMap.Nothing _ -> null;
    };
  }

  private static Tensor<F32> flat(Tensor<F32> x) {
    return x.reshape(x.shape().dim(0) * x.shape().dim(1), x.shape().dim(2));
  }

  private Tensor<F32> sum(IntFunction<Operand> operands) {
    boolean begun = false;
    Operand operand = null;
    int time = 0;
    for (Run run : model.runs()) {
      if (operand == null || run.time() != time) {
        time = run.time();
        operand = operands.apply(time);
      }
      if (operand == null) {
        continue;
      }
      List<Group> groups = groups(run);
      int heights = groups.stream().mapToInt(g -> g.to - g.from).sum();
      boolean whole = operand.to - operand.from == y.shape().dim(0) && heights == model.heightOut();
      if (!begun && !whole) {
        f.context().assign(y, 0);
      }
      for (Group g : groups) {
        product(operand, g, begun || !whole);
      }
      begun = true;
    }
    if (!begun) {
      f.context().assign(y, 0);
    }
    return y.reshape(f.outputRows().size(), f.sequences(), model.outputDim());
  }

  private List<Group> groups(Run run) {
    var groups = new ArrayList<Group>();
    int in = model.filtersIn();
    for (int h = 0; h < model.heightOut(); h++) {
      int at = h * model.heightSubsampleOut();
      int lo = Math.max(run.from(), -at);
      int hi = Math.min(run.to(), model.heightIn() - 1 - at);
      if (lo > hi) {
        continue;
      }
      int weight = (run.offset() + lo - run.from()) * in;
      var group = new Group(h, h + 1, (at + lo) * in, (hi - lo + 1) * in, weight);
      Group before = groups.isEmpty() ? null : groups.get(groups.size() - 1);
      if (before != null
          && before.to == h
          && before.width == group.width
          && before.weight == weight) {
        groups.set(
            groups.size() - 1, new Group(before.from, h + 1, before.column, group.width, weight));
      } else {
        groups.add(group);
      }
    }
    return groups;
  }

  private void product(Operand operand, Group g, boolean adds) {
    int step = model.heightSubsampleOut() * model.filtersIn();
    int count = g.to - g.from;
    long end = g.column + (count - 1L) * step + g.width;
    Expr<F32> x =
        windows(
                operand.rows.slice(all(), range(g.column, end)),
                new long[] {g.width},
                new long[] {step},
                new long[] {1})
            .permute(1, 0, 2);
    Tensor<F32> w = weights.slice(range(g.weight, (long) g.weight + g.width));
    Tensor<F32> to = y.slice(range(operand.from, operand.to), range(g.from, g.to)).permute(1, 0, 2);
    Expr<F32> product = dot(x, w.expand(count, g.width, model.filtersOut()));
    if (adds) {
      f.context().assignAdd(to, product);
    } else {
      f.context().assign(to, product);
    }
  }
}
