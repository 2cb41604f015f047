package ristretto.nnet3.component.dropout;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.coordinate;
import static ristretto.expr.Ops.cumSum;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.floor;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.where;
import static ristretto.nnet3.Property.BACKPROP_IN_PLACE;
import static ristretto.nnet3.Property.PROPAGATE_IN_PLACE;
import static ristretto.nnet3.Property.RANDOM;
import static ristretto.nnet3.Property.USES_MEMO;

import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import ristretto.expr.Expr;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.ForwardStep;

/**
 * Time masking of SpecAugment: zeroes runs of frames of random length in each sequence; in test
 * mode {@code y = x}.
 */
public final class SpecAugmentTimeMaskComponent extends RandomComponent {
  private int dim;
  private float zeroedProportion = 0.25f;
  private int timeMaskMaxFrames = 10;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    dim = line.positive("dim");
    zeroedProportion = line.real("zeroed-proportion", 0.25f);
    timeMaskMaxFrames = line.integer("time-mask-max-frames", 10);
    if (timeMaskMaxFrames < 2) {
      throw line.error("time-mask-max-frames", "time-mask-max-frames must be at least 2");
    }
  }

  @Override
  public void fields(Fields f) {
    dim = f.positive("<Dim>", dim);
    zeroedProportion = f.real("<ZeroedProportion>", zeroedProportion);
    timeMaskMaxFrames = f.integer("<TimeMaskMaxFrames>", timeMaskMaxFrames);
    testMode = f.optional("<TestMode>", testMode);
  }

  @Override
  public int inputDim() {
    return dim;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(RANDOM, PROPAGATE_IN_PLACE, BACKPROP_IN_PLACE, USES_MEMO);
  }

  @Override
  public InfoText infoText() {
    return new InfoText(type())
        .add("dim", dim)
        .add("zeroed-proportion", zeroedProportion)
        .add("time-mask-max-frames", timeMaskMaxFrames);
  }

  @Override
  public boolean readsOnce() {
    return true;
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    if (!isRandomNow()) {
      return f.x();
    }
    return where(kept(f).gt(0), f.x(), 0);
  }

  /**
   * Returns one or zero for each row: in each sequence, runs of kept and zeroed frames alternate,
   * each of a random length.
   */
  private Expr<F32> kept(ForwardStep f) {
    List<Integer> groups = f.nodeRows().stream().map(Index::n).distinct().toList();
    long longest = 0;
    var group = new int[f.nodeRows().size()];
    var frame = new float[group.length];
    for (int g = 0; g < groups.size(); g++) {
      int n = groups.get(g);
      int[] rows =
          IntStream.range(0, group.length)
              .filter(k -> f.nodeRows().get(k).n() == n)
              .boxed()
              .sorted(Comparator.comparing(k -> f.nodeRows().get(k)))
              .mapToInt(k -> k)
              .toArray();
      for (int k = 0; k < rows.length; k++) {
        group[rows[k]] = g;
        frame[rows[k]] = k;
      }
      longest = Math.max(longest, rows.length);
    }
    // Each run has at least one frame, so the number of frames bounds the number of runs.
    long[] dims = {longest, groups.size(), f.sequences()};
    Expr<F32> first =
        where(
            f.with(null).random(1, dims[1], dims[2]).lt(zeroedProportion),
            fill(F32, 1),
            fill(F32, 0));
    Expr<F32> number = coordinate(Shape.of(longest, 1, 1), 0).cast(F32);
    Expr<F32> isKept = where(isEven(number), first, first.neg().plus(1));
    Expr<F32> most =
        isKept.times(longestKept() - (double) timeMaskMaxFrames).plus(timeMaskMaxFrames);
    Expr<F32> ends = cumSum(floor(f.random(dims).times(most)).plus(1), 0);
    Expr<F32> mine = of(f, ends, group);
    Expr<F32> time = f.constant(frame, 1, frame.length, 1);
    Expr<F32> run = sum(where(mine.le(time), fill(F32, 1), fill(F32, 0)), 0);
    Expr<F32> starts = of(f, first, group).reshape(-1, f.sequences());
    Expr<F32> kept = where(isEven(run), starts, starts.neg().plus(1));
    return f.ofSteps(kept.reshape(frame.length, f.sequences(), 1));
  }

  /** Returns the values of each row's group. */
  private static Expr<F32> of(ForwardStep f, Expr<F32> a, int[] group) {
    return a.shape().dim(1) == 1 ? a : f.take(a, group, 1);
  }

  private static Expr<BOOL> isEven(Expr<F32> a) {
    return a.minus(floor(a.times(0.5)).times(2)).lt(0.5);
  }

  private int longestKept() {
    return Math.max(1, (int) (timeMaskMaxFrames * (1 - zeroedProportion) / zeroedProportion));
  }

  @Override
  public float factor() {
    return isRandomNow() ? Float.NaN : 1;
  }

  @Override
  public boolean isRandomNow() {
    return !testMode && zeroedProportion != 0;
  }
}
