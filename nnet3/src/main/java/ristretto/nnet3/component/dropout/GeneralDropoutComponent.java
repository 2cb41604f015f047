package ristretto.nnet3.component.dropout;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.coordinate;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.floor;
import static ristretto.expr.Ops.where;
import static ristretto.nnet3.Property.BACKPROP_IN_PLACE;
import static ristretto.nnet3.Property.INPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.OUTPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.PROPAGATE_IN_PLACE;
import static ristretto.nnet3.Property.RANDOM;
import static ristretto.nnet3.Property.USES_MEMO;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/**
 * Dropout with one mask row per sequence, or one per period of time of each sequence: {@code y = x
 * * mask}, where discrete and continuous masks have mean 1. In test mode {@code y = x}.
 */
public final class GeneralDropoutComponent extends RandomComponent {
  private int dim;
  private int blockDim;
  private int timePeriod;
  private float proportion = 0.5f;
  private float specAugmentMaxProportion;
  private int specAugmentMaxRegions = 1;
  private boolean continuous;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    dim = line.positive("dim");
    blockDim = blockDim(line, dim);
    timePeriod = line.integer("time-period", 0);
    proportion = line.real("dropout-proportion", 0.5f);
    specAugmentMaxProportion = proportion(line, "specaugment-max-proportion", 0);
    specAugmentMaxRegions = line.positive("specaugment-max-regions", 1);
    continuous = line.flag("continuous", false);
    if (continuous && specAugmentMaxProportion != 0) {
      throw line.error(
          "continuous", "continuous and specaugment-max-proportion exclude each other");
    }
    testMode = line.flag("test-mode", false);
  }

  @Override
  public void fields(Fields f) {
    dim = f.positive("<Dim>", dim);
    blockDim = f.positive("<BlockDim>", blockDim);
    f.check(dim % blockDim == 0, "<BlockDim> must divide " + dim, blockDim);
    timePeriod = f.integer("<TimePeriod>", timePeriod);
    proportion = f.real("<DropoutProportion>", proportion);
    if (f.optional("<SpecAugmentMaxProportion>", specAugmentMaxProportion != 0)) {
      specAugmentMaxProportion = f.real(specAugmentMaxProportion);
      if (f.optional("<SpecAugmentMaxRegions>", specAugmentMaxRegions != 1)) {
        specAugmentMaxRegions = f.integer(specAugmentMaxRegions);
      }
    }
    testMode = f.optional("<TestMode>", testMode);
    continuous = f.optional("<Continuous>", continuous);
  }

  @Override
  public boolean setDropoutProportion(float value) {
    proportion = value;
    return true;
  }

  @Override
  public int inputDim() {
    return dim;
  }

  @Override
  public Set<Property> properties() {
    var all = EnumSet.of(RANDOM, PROPAGATE_IN_PLACE, BACKPROP_IN_PLACE, USES_MEMO);
    if (blockDim != dim) {
      all.addAll(EnumSet.of(INPUT_CONTIGUOUS, OUTPUT_CONTIGUOUS));
    }
    return all;
  }

  @Override
  public InfoText infoText() {
    InfoText info =
        new InfoText(type())
            .add("dim", dim)
            .add("block-dim", blockDim)
            .add("dropout-proportion", proportion);
    if (continuous) {
      info.add("continuous", true);
    }
    if (specAugmentMaxProportion != 0) {
      info.add("specaugment-max-proportion", specAugmentMaxProportion)
          .add("specaugment-max-regions", specAugmentMaxRegions);
    }
    return timePeriod > 0 ? info.add("time-period", timePeriod) : info;
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
    return times(f.x(), masks(f));
  }

  @Override
  public void backward(BackwardStep b) {
    b.input(isRandomNow() ? times(b.dy(), masks(b.forward())) : b.dy());
  }

  private Expr<F32> times(Expr<F32> x, Expr<F32> masks) {
    long places = x.shape().dim(0);
    long sequences = x.shape().dim(1);
    return x.reshape(places, sequences, dim / blockDim, blockDim)
        .times(masks.reshape(masks.shape().dim(0), sequences, 1, blockDim))
        .reshape(places, sequences, dim);
  }

  /** Returns the mask of each row, or a single mask row for all. */
  private Expr<F32> masks(ForwardStep f) {
    List<Period> periods = f.nodeRows().stream().map(this::period).distinct().toList();
    // A step of a recurrence does not keep masks: each step would store the masks of all steps.
    Expr<F32> drawn =
        f.nodeRows().size() == f.outputRows().size()
            ? f.keep("masks", () -> mask(f, periods.size()))
            : mask(f, periods.size());
    if (periods.size() == 1) {
      return drawn;
    }
    int[] map = f.outputRows().stream().mapToInt(row -> periods.indexOf(period(row))).toArray();
    return f.rows(drawn, map);
  }

  /** Rows that share one mask: a period of time of a sequence. */
  private record Period(int n, int number) {}

  private Period period(Index row) {
    return new Period(row.n(), timePeriod == 0 ? 0 : Math.floorDiv(row.t(), timePeriod));
  }

  private Expr<F32> mask(ForwardStep f, long periods) {
    if (specAugmentMaxProportion != 0) {
      return bands(f, periods);
    }
    Expr<F32> draw = f.random(periods, f.sequences(), blockDim);
    return continuous
        ? draw.times(4.0 * proportion).plus(1 - 2.0 * proportion)
        : where(draw.lt(proportion), fill(F32, 0), fill(F32, 1 / (1.0 - proportion)));
  }

  /**
   * Returns masks that zero a circular band of columns, of random position and width (SpecAugment).
   * With more than one region, the columns are first permuted: for each further region a random
   * half of the circle is reversed, up to a quarter of the circle from each end.
   */
  private Expr<F32> bands(ForwardStep f, long periods) {
    Expr<F32> column = coordinate(Shape.of(1, 1, blockDim), 2).cast(F32);
    ForwardStep draws = f;
    int half = blockDim / 2;
    int quarter = half / 2;
    for (int region = 1; region < specAugmentMaxRegions; region++) {
      Expr<F32> from = floor(draws.random(periods, f.sequences(), 1).times(blockDim));
      Expr<F32> at = around(column.minus(from));
      Expr<F32> end = from.plus(half).minus(at);
      Expr<F32> turned = where(end.ge(blockDim), end.minus(blockDim), end);
      Expr<F32> far = where(at.gt(half), column, turned);
      column = where(at.lt(quarter), turned, where(at.gt(half - quarter), far, column));
      draws = draws.with(null);
    }
    Expr<F32> start = floor(draws.random(periods, f.sequences(), 1).times(blockDim));
    int most = (int) (blockDim * specAugmentMaxProportion + 0.5);
    Expr<F32> width = floor(draws.with(null).random(periods, f.sequences(), 1).times(most + 1.0));
    return where(around(column.minus(start)).lt(width), fill(F32, 0), fill(F32, 1));
  }

  /** Wraps a column number that is at least -blockDim onto the circle of columns. */
  private Expr<F32> around(Expr<F32> a) {
    return where(a.lt(0), a.plus(blockDim), a);
  }

  @Override
  public float factor() {
    return isRandomNow() ? Float.NaN : 1;
  }

  @Override
  public boolean isRandomNow() {
    return !testMode && (proportion != 0 || specAugmentMaxProportion != 0);
  }
}
