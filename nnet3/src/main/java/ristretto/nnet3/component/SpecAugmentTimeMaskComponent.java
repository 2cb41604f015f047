package ristretto.nnet3.component;

import static ristretto.expr.Ops.where;
import static ristretto.nnet3.Property.BACKPROP_IN_PLACE;
import static ristretto.nnet3.Property.PROPAGATE_IN_PLACE;
import static ristretto.nnet3.Property.RANDOM;
import static ristretto.nnet3.Property.USES_MEMO;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.Property;
import ristretto.nnet3.forward.Forward;

/** Zeroes runs of time of random lengths in each sequence; in test mode {@code y = x}. */
final class SpecAugmentTimeMaskComponent extends RandomComponent {
  private int dim;
  private float zeroedProportion = 0.25f;
  private int timeMaskMaxFrames = 10;

  @Override
  void init(ConfigLine line, RandomGenerator random) {
    dim = line.positive("dim");
    zeroedProportion = line.real("zeroed-proportion", 0.25f);
    timeMaskMaxFrames = line.integer("time-mask-max-frames", 10);
    if (timeMaskMaxFrames < 2) {
      throw line.error("time-mask-max-frames", "time-mask-max-frames must be at least 2");
    }
  }

  @Override
  void fields(Fields f) {
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
  public int outputDim() {
    return dim;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(RANDOM, PROPAGATE_IN_PLACE, BACKPROP_IN_PLACE, USES_MEMO);
  }

  @Override
  InfoText infoText() {
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
  public Expr<F32> forward(Forward f) {
    if (testMode || zeroedProportion == 0) {
      return f.x();
    }
    // Runs of frames, all of one random length for a sequence, are dropped at random.
    long places = f.outputRows().size();
    Expr<F32> draw = f.random(places, f.sequences(), 1);
    return where(f.rows(draw, runs(f)).lt(zeroedProportion), 0, f.x());
  }

  /** For each row the row whose draw decides for its run. */
  private int[] runs(Forward f) {
    return f.outputRows().stream()
        .mapToInt(row -> {
          int first = row.t() - Math.floorMod(row.t(), timeMaskMaxFrames);
          int at = f.place(row);
          while (at > 0
              && f.inputRows().get(at - 1).n() == row.n()
              && f.inputRows().get(at - 1).t() >= first) {
            at--;
          }
          return at;
        })
        .toArray();
  }

  @Override
  public float factor() {
    return testMode || zeroedProportion == 0 ? 1 : Float.NaN;
  }
}
