package ristretto.nnet3.component.convolution;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.concat;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.sum;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.component.convolution.ConvolutionModel.Run;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.ForwardStep;

/**
 * Convolution over time and height, and its derivatives, as matrix products without im2col patches.
 * The heights that an output height reads at one time are contiguous, so each time offset is one
 * product per output height, which reads its operand in place; products of heights with equally
 * many inputs form one batched product. Heights at the edges read fewer inputs and have products of
 * their own, so nothing is padded. The input derivative is itself a convolution of the output
 * derivative.
 */
final class ConvolutionProducts {
  /**
   * Number of columns per time from which one product per time offset is faster than one product on
   * the concatenated rows of all times.
   */
  private static final int WIDE = 64;

  private final ForwardStep f;
  private final ConvolutionModel model;
  private final boolean spliced;

  /** Model as computed: the spliced model with one time, or the model itself. */
  private final ConvolutionModel computed;

  private Tensor<F32> memory;

  ConvolutionProducts(ForwardStep f, ConvolutionModel model) {
    this.f = f;
    this.model = model;
    ConvolutionModel one = model.spliced();
    this.spliced = one != null && model.filterDim() / model.times().size() < WIDE;
    this.computed = spliced ? one : model;
  }

  /** Returns the convolution without bias, in memory: {@code y[position, sequence, column]}. */
  Tensor<F32> forward(Matrix linear) {
    int in = model.filtersIn();
    int out = model.filtersOut();
    Tensor<F32> w =
        spliced
            ? f.permuted(linear, new long[] {out, times(), heights(), in}, 2, 1, 3, 0)
                .reshape(-1, out)
            : f.permuted(linear, new long[] {out, model.filterDim()}, 1, 0);
    long rows = f.outputRows().size() * f.sequences();
    Tensor<F32> y = f.context().empty(F32, rows, model.heightOut(), out);
    assign(computed, w, this::operand, y);
    return y.reshape(f.outputRows().size(), f.sequences(), model.outputDim());
  }

  private int times() {
    return model.times().size();
  }

  /** Returns the number of height offsets per time, if all times have equally many. */
  private int heights() {
    return model.offsets().size() / times();
  }

  /** Returns the input rows that the output reads at a time offset. */
  private ConvolutionOperand operand(int time) {
    Context context = f.context();
    if (spliced) {
      memory = memory != null ? memory : context.eval(splice());
      int places = f.outputRows().size();
      return new ConvolutionOperand(0, places, memory.reshape(places * f.sequences(), -1));
    }
    if (memory == null) {
      Expr<F32> x = f.x();
      boolean there = x instanceof Tensor<F32> t && t.layout().isContiguous();
      memory = there ? (Tensor<F32>) x : context.eval(x);
    }
    return ConvolutionOperand.of(f, memory, places(time));
  }

  /** Concatenates, at each height, the filters of all times. */
  private Expr<F32> splice() {
    var parts = new ArrayList<Expr<F32>>();
    for (int time : model.times()) {
      parts.add(
          f.rows(f.x(), places(time))
              .reshape(f.outputRows().size(), f.sequences(), model.heightIn(), model.filtersIn()));
    }
    return concat(3, parts);
  }

  /** Returns the input position that each output position reads at a time offset, or -1. */
  private int[] places(int time) {
    return f.outputRows().stream()
        .mapToInt(row -> f.place(row.at(row.t() + time, row.x())))
        .toArray();
  }

  /** Returns the output position that reads each input position at a time offset, or -1. */
  private int[] readers(int time) {
    var readers = new int[f.inputRows().size()];
    Arrays.fill(readers, -1);
    int[] places = places(time);
    for (int k = 0; k < places.length; k++) {
      if (places[k] >= 0) {
        readers[places[k]] = k;
      }
    }
    return readers;
  }

  /**
   * Returns the derivative of the input, in memory.
   *
   * @param dy derivative of the output
   */
  Tensor<F32> input(Matrix linear, Tensor<F32> dy) {
    int places = f.inputRows().size();
    Tensor<F32> dx = f.context().empty(F32, places, f.sequences(), model.inputDim());
    Tensor<F32> heights = dx.reshape(places * f.sequences(), model.heightIn(), model.filtersIn());
    int step = model.heightSubsampleOut();
    for (int first = 0; first < Math.min(step, model.heightIn()); first++) {
      Tensor<F32> some = heights.slice(all(), range(first, model.heightIn(), step));
      ConvolutionModel.Transposed transposed = model.transposed(first);
      if (transposed == null) {
        f.context().assign(some, 0);
      } else {
        assign(
            transposed.model(),
            turned(linear, transposed.offsets()),
            time -> ConvolutionOperand.of(f, dy, readers(time)),
            some);
      }
    }
    return dx;
  }

  /**
   * Returns the transposed weights of some offsets: one row per offset and output filter, one
   * column per input filter.
   */
  private Tensor<F32> turned(Matrix linear, int[] offsets) {
    Expr<F32> w =
        f.matrix(linear).reshape(model.filtersOut(), model.offsets().size(), model.filtersIn());
    return f.context()
        .eval(f.take(w, offsets, 1).permute(1, 0, 2))
        .reshape((long) offsets.length * model.filtersOut(), model.filtersIn());
  }

  /**
   * Assigns a convolution to {@code y[rows, heights, filters]}.
   *
   * @param w weights, one row per element of a patch
   * @param operands by time offset
   */
  private void assign(
      ConvolutionModel m, Tensor<F32> w, IntFunction<ConvolutionOperand> operands, Tensor<F32> y) {
    int n = Math.toIntExact(f.sequences());
    var set = new boolean[(int) (y.shape().dim(0) / n)];
    List<Run> runs = m.runs();
    if (!runs.stream().allMatch(run -> readsAtAll(m, run))) {
      f.context().assign(y, 0);
      Arrays.fill(set, true);
    }
    ConvolutionOperand operand = null;
    for (int k = 0; k < runs.size(); k++) {
      Run run = runs.get(k);
      if (k == 0 || run.time() != runs.get(k - 1).time()) {
        operand = operands.apply(run.time());
      }
      for (int at = operand == null ? 0 : operand.from(); operand != null && at < operand.to(); ) {
        int end = runEnd(set, at, operand.to());
        for (HeightGroup g : HeightGroup.of(m, run)) {
          product(m, w, operand.part(at, end), g, y, set[at]);
        }
        Arrays.fill(set, at, end, true);
        at = end;
      }
    }
    for (int at = 0; at < set.length; at = runEnd(set, at, set.length)) {
      if (!set[at]) {
        f.context()
            .assign(y.slice(range((long) at * n, (long) runEnd(set, at, set.length) * n)), 0);
      }
    }
  }

  /** Returns true if each output height reads at least one height of a run. */
  private static boolean readsAtAll(ConvolutionModel m, Run run) {
    return HeightGroup.of(m, run).stream().mapToInt(HeightGroup::count).sum() == m.heightOut();
  }

  /** Returns the end of the run of positions from {@code at} on that have equal flags. */
  private static int runEnd(boolean[] set, int at, int end) {
    int next = at;
    while (next < end && set[next] == set[at]) {
      next++;
    }
    return next;
  }

  private void product(
      ConvolutionModel m,
      Tensor<F32> w,
      ConvolutionOperand x,
      HeightGroup g,
      Tensor<F32> y,
      boolean adds) {
    Tensor<F32> some = w.slice(range(g.weight(), (long) g.weight() + g.width()));
    Expr<F32> product =
        dot(x.windows(m, g), some.expand(g.count(), g.width(), some.shape().dim(1)));
    Tensor<F32> to = rows(y, x, g).permute(1, 0, 2);
    if (adds) {
      f.context().assignAdd(to, product);
    } else {
      f.context().assign(to, product);
    }
  }

  /** Returns the rows and heights of {@code y} that an operand contributes to. */
  private Tensor<F32> rows(Tensor<F32> y, ConvolutionOperand x, HeightGroup g) {
    long n = f.sequences();
    return y.slice(range(x.from() * n, x.to() * n), range(g.from(), g.to()));
  }

  /**
   * Returns the derivative of the parameters, in the layout of the parameter matrix.
   *
   * @param dy derivative of the output
   */
  Expr<F32> gradient(Tensor<F32> dy) {
    int out = model.filtersOut();
    Tensor<F32> heights = dy.reshape(f.outputRows().size() * f.sequences(), model.heightOut(), out);
    Tensor<F32> dw = f.context().empty(F32, out, model.filterDim());
    ConvolutionOperand operand = null;
    List<Run> runs = computed.runs();
    for (int k = 0; k < runs.size(); k++) {
      Run run = runs.get(k);
      if (k == 0 || run.time() != runs.get(k - 1).time()) {
        operand = operand(run.time());
      }
      gradient(run, operand, heights, dw);
    }
    return spliced
        ? dw.reshape(out, heights(), times(), model.filtersIn()).permute(0, 2, 1, 3)
        : dw;
  }

  private void gradient(Run run, ConvolutionOperand x, Tensor<F32> dy, Tensor<F32> dw) {
    int in = computed.filtersIn();
    int from = run.offset() * in;
    int to = (run.offset() + run.to() - run.from() + 1) * in;
    var groups = new ArrayList<>(x == null ? List.of() : HeightGroup.of(computed, run));
    groups.sort((a, b) -> Integer.compare(b.width(), a.width()));
    boolean begun = !groups.isEmpty() && groups.get(0).width() == to - from;
    if (!begun) {
      f.context().assign(dw.slice(all(), range(from, to)), 0);
    }
    for (int k = 0; k < groups.size(); k++) {
      HeightGroup g = groups.get(k);
      Tensor<F32> part = dw.slice(all(), range(g.weight(), (long) g.weight() + g.width()));
      Tensor<F32> some = rows(dy, x, g);
      Expr<F32> sum =
          g.count() == 1
              ? dot(some.squeeze(1).t(), x.window(g))
              : sum(dot(some.permute(1, 2, 0), x.windows(computed, g)), 0);
      if (k > 0 || !begun) {
        f.context().assignAdd(part, sum);
      } else {
        f.context().assign(part, sum);
      }
    }
  }
}
