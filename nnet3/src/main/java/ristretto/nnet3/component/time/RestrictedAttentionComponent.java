package ristretto.nnet3.component.time;

import static ristretto.expr.Ops.softmax;
import static ristretto.expr.Ops.sum;
import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.PROPAGATE_ADDS;
import static ristretto.nnet3.Property.REORDERS_INDEXES;
import static ristretto.nnet3.Property.STORES_STATS;
import static ristretto.nnet3.Property.USES_MEMO;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearCombination;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/**
 * Attention over a restricted window of time offsets. For each head, the input row holds key, value
 * and query, and then one bias per position of the window. {@code c = softmax over positions i of
 * (keyScale * query . key(t + i * stride) + bias_i)}; the output is the sum of {@code c_i * value(t
 * + i * stride)}, optionally followed by c.
 */
public final class RestrictedAttentionComponent extends ComponentBase {
  /** Maximum span of the window, which keeps times within the range of int. */
  private static final int MOST_FRAMES = 1 << 30;

  private int heads = 1;
  private int keyDim;
  private int valueDim;
  private int left;
  private int right;
  private int timeStride = 1;
  private int leftRequired;
  private int rightRequired;
  private boolean outputContext = true;
  private float keyScale;
  private double statsCount;
  private double[] entropyStats = {};
  private DoubleMatrix posteriorStats = new DoubleMatrix(0, 0, new double[0]);

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    keyDim = line.positive("key-dim");
    valueDim = line.positive("value-dim");
    left = notNegative(line, "num-left-inputs");
    right = notNegative(line, "num-right-inputs");
    heads = line.positive("num-heads", 1);
    timeStride = line.positive("time-stride", 1);
    leftRequired = required(line, "num-left-inputs-required", left);
    rightRequired = required(line, "num-right-inputs-required", right);
    outputContext = line.flag("output-context", true);
    keyScale = line.real("key-scale", -1);
    keyScale = keyScale < 0 ? UpdatableComponent.inverseRoot(keyDim) : keyScale;
    if (!(keyScale > 0 && keyScale <= 1)) {
      throw line.error("key-scale", "key-scale must be above 0, at most 1");
    }
    if (left == 0 && right == 0) {
      throw line.error("num-right-inputs", "there must be inputs to the left or right");
    }
    if (span() > MOST_FRAMES) {
      throw line.error(
          "time-stride", "time-stride times the number of inputs must be at most " + MOST_FRAMES);
    }
  }

  private static int notNegative(ConfigLine line, String key) {
    int value = line.integer(key);
    if (value < 0) {
      throw line.error(key, key + " must not be negative");
    }
    return value;
  }

  private static int required(ConfigLine line, String key, int all) {
    int value = line.integer(key, -1);
    if (value > all) {
      throw line.error(key, key + " must be at most " + all);
    }
    return value < 0 ? all : value;
  }

  @Override
  public void fields(Fields f) {
    heads = f.positive("<NumHeads>", heads);
    keyDim = f.positive("<KeyDim>", keyDim);
    valueDim = f.positive("<ValueDim>", valueDim);
    left = f.integer("<NumLeftInputs>", left);
    right = f.integer("<NumRightInputs>", right);
    timeStride = f.positive("<TimeStride>", timeStride);
    leftRequired = f.integer("<NumLeftInputsRequired>", leftRequired);
    rightRequired = f.integer("<NumRightInputsRequired>", rightRequired);
    f.check(
        leftRequired >= 0 && leftRequired <= left && rightRequired >= 0 && rightRequired <= right,
        "the required inputs must be among all inputs",
        leftRequired + " and " + rightRequired);
    f.check(
        left >= 0 && right >= 0 && span() <= MOST_FRAMES,
        "time-stride times the number of inputs must be at most " + MOST_FRAMES,
        timeStride + " times " + ((long) left + right));
    outputContext = f.flag("<OutputContext>", outputContext);
    keyScale = f.real("<KeyScale>", keyScale);
    statsCount = f.longReal("<StatsCount>", statsCount);
    f.token("<EntropyStats>");
    entropyStats = f.doubles(entropyStats);
    f.token("<PosteriorStats>");
    posteriorStats = f.doubleMatrix(posteriorStats);
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    var other = (RestrictedAttentionComponent) o;
    entropyStats = blend.of(entropyStats, other.entropyStats);
    posteriorStats = blend.of(posteriorStats, other.posteriorStats);
    statsCount = blend.of(statsCount, other.statsCount);
  }

  /** Returns the number of frames from the first to the last input. */
  private long span() {
    return timeStride * ((long) left + right);
  }

  private int contextDim() {
    return left + 1 + right;
  }

  @Override
  public int inputDim() {
    return product(heads, 2L * keyDim + valueDim + contextDim());
  }

  @Override
  public int outputDim() {
    return product(heads, (long) valueDim + (outputContext ? contextDim() : 0));
  }

  private static int product(int a, long b) {
    return Math.toIntExact(Math.multiplyExact(a, b));
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(
        REORDERS_INDEXES,
        BACKPROP_NEEDS_INPUT,
        PROPAGATE_ADDS,
        BACKPROP_ADDS,
        STORES_STATS,
        USES_MEMO);
  }

  @Override
  public long reads() {
    return (long) left + right + 1;
  }

  @Override
  public List<Index> inputIndexes(Index output) {
    int t = output.t();
    return TimeRange.indexes(output, t - timeStride * left, t + timeStride * right, timeStride);
  }

  @Override
  public boolean isComputable(Index output, Predicate<Index> available, Consumer<Index> used) {
    int t = output.t();
    List<Index> required =
        TimeRange.indexes(
            output, t - timeStride * leftRequired, t + timeStride * rightRequired, timeStride);
    if (!required.stream().allMatch(available)) {
      return false;
    }
    inputIndexes(output).stream().filter(available).forEach(used);
    return true;
  }

  @Override
  public InfoText infoText() {
    InfoText info =
        super.infoText()
            .add("num-heads", heads)
            .add("time-stride", timeStride)
            .add("key-dim", keyDim)
            .add("value-dim", valueDim)
            .add("num-left-inputs", left)
            .add("num-right-inputs", right)
            .add("context-dim", contextDim())
            .add("num-left-inputs-required", leftRequired)
            .add("num-right-inputs-required", rightRequired)
            .add("output-context", outputContext)
            .add("key-scale", keyScale);
    if (statsCount != 0) {
      info.add("entropy", "").raw(averages(entropyStats, 0, entropyStats.length));
      int places = posteriorStats.cols();
      for (int i = 0; i < Math.min(5, posteriorStats.rows()); i++) {
        info.raw(" posterior-stats[" + i + "]=");
        info.raw(averages(posteriorStats.data(), i * places, (i + 1) * places));
      }
      info.raw(" stats-count=" + InfoText.number(statsCount));
    }
    return info;
  }

  private String averages(double[] sums, int from, int to) {
    var all = new StringBuilder();
    for (int i = from; i < to; i++) {
      all.append(InfoText.number(sums[i] / statsCount)).append(',');
    }
    return all.toString();
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    long perHead = inputDim() / heads;
    var out = new ArrayList<Expr<F32>>();
    for (int head = 0; head < heads; head++) {
      head(f, head * perHead, out);
    }
    return ForwardStep.append(out);
  }

  private void head(ForwardStep f, long from, List<Expr<F32>> out) {
    Expr<F32> c = weights(f, from);
    Expr<F32> y = null;
    for (int k = 0; k < contextDim(); k++) {
      y = plus(y, ForwardStep.columns(c, k, k + 1L).times(values(f, from, k)));
    }
    out.add(y);
    if (outputContext) {
      out.add(c);
    }
  }

  /** Returns the attention weights c: one column per position of the window. */
  private Expr<F32> weights(ForwardStep f, long from) {
    long query = from + keyDim + valueDim;
    Expr<F32> here = f.at(row -> row);
    Expr<F32> q = ForwardStep.columns(here, query, query + keyDim);
    var logits = new ArrayList<Expr<F32>>();
    for (int k = 0; k < contextDim(); k++) {
      logits.add(sum(q.times(keys(f, from, k)), 2).keepDims());
    }
    Expr<F32> context = ForwardStep.columns(here, query + keyDim, query + keyDim + contextDim());
    return softmax(ForwardStep.append(logits).times(keyScale).plus(context), 2);
  }

  /** Returns the function that maps a row to the row at position k of its window. */
  private UnaryOperator<Index> there(int k) {
    int time = (k - left) * timeStride;
    return row -> row.at(row.t() + time, row.x());
  }

  private Expr<F32> keys(ForwardStep f, long from, int k) {
    return ForwardStep.columns(f.at(there(k)), from, from + keyDim);
  }

  private Expr<F32> values(ForwardStep f, long from, int k) {
    return ForwardStep.columns(f.at(there(k)), from + keyDim, from + keyDim + valueDim);
  }

  private static Expr<F32> plus(Expr<F32> sum, Expr<F32> more) {
    return sum == null ? more : sum.plus(more);
  }

  @Override
  public void backward(BackwardStep b) {
    if (b.wantsInput()) {
      for (int head = 0; head < heads; head++) {
        backward(b, head * (long) (inputDim() / heads), head * (long) (outputDim() / heads));
      }
    }
  }

  /**
   * Computes the derivatives of one head; those of a key and a value are sums over the output rows
   * that read them.
   *
   * @param from first input column of the head
   * @param to first output column of the head
   */
  private void backward(BackwardStep b, long from, long to) {
    ForwardStep f = b.forward();
    long value = from + keyDim;
    long query = value + valueDim;
    long context = query + keyDim;
    Expr<F32> q = ForwardStep.columns(f.at(row -> row), query, context);
    Tensor<F32> dy = b.inMemory(b.dy(to, to + valueDim));
    long end = to + valueDim + contextDim();
    Tensor<F32> c = b.inMemory(outputContext ? b.y(to + valueDim, end) : weights(f, from));
    var products = new ArrayList<Expr<F32>>();
    for (int k = 0; k < contextDim(); k++) {
      products.add(sum(dy.times(values(f, from, k)), 2).keepDims());
    }
    Expr<F32> ofWeights = ForwardStep.append(products);
    Tensor<F32> dc =
        b.inMemory(outputContext ? ofWeights.plus(b.dy(to + valueDim, end)) : ofWeights);
    Tensor<F32> ds = b.inMemory(c.times(dc.minus(sum(c.times(dc), 2).keepDims())));
    Expr<F32> dkey = null;
    Expr<F32> dvalue = null;
    Expr<F32> dquery = null;
    for (int k = 0; k < contextDim(); k++) {
      Expr<F32> s = ForwardStep.columns(ds, k, k + 1L);
      dkey = plus(dkey, f.spread(s.times(q), there(k)));
      dvalue = plus(dvalue, f.spread(ForwardStep.columns(c, k, k + 1L).times(dy), there(k)));
      dquery = plus(dquery, s.times(keys(f, from, k)));
    }
    b.input(from, value, dkey.times(keyScale));
    b.input(value, query, dvalue);
    b.input(query, context, f.spread(dquery.times(keyScale), row -> row));
    b.input(context, context + contextDim(), f.spread(ds, row -> row));
  }
}
