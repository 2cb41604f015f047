package ristretto.nnet3.component.affine;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.abs;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.where;
import static ristretto.nnet3.Property.BACKPROP_IN_PLACE;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_OUTPUT;
import static ristretto.nnet3.Property.INPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.OUTPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.PROPAGATE_IN_PLACE;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearCombination;
import ristretto.nnet3.component.NaturalGradientSettings;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/**
 * Trainable scale and offset: {@code y = x * s + b}, where s and b may repeat along the columns.
 */
public final class ScaleAndOffsetComponent extends UpdatableComponent {
  private int dim;
  float[] scales;
  float[] offsets;
  private boolean useNaturalGradient = true;
  private int rank = 20;

  /**
   * Update period of the natural gradient; files do not store it, and Kaldi's reader leaves it at
   * 1.
   */
  private int updatePeriod = 1;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    dim = line.positive("dim");
    int blockDim = blockDim(line, dim);
    scales = gaussian(random, blockDim, 1, 0);
    offsets = new float[blockDim];
    useNaturalGradient = line.flag("use-natural-gradient", true);
    rank = line.positive("rank", 20);
    updatePeriod = UPDATE_PERIOD;
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    dim = f.positive("<Dim>", dim);
    scales = f.vector("<Scales>", scales);
    offsets = f.vector("<Offsets>", offsets);
    f.check(
        scales.length > 0 && scales.length == offsets.length && dim % scales.length == 0,
        "<Scales> and <Offsets> must have one length, which divides " + dim,
        scales.length + " and " + offsets.length);
    useNaturalGradient = f.flag("<UseNaturalGradient>", useNaturalGradient);
    rank = f.integer("<Rank>", rank);
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    var other = (ScaleAndOffsetComponent) o;
    scales = blend.of(scales, other.scales);
    offsets = blend.of(offsets, other.offsets);
  }

  @Override
  public void mapParameters(UnaryOperator<float[]> f) {
    scales = f.apply(scales);
    offsets = f.apply(offsets);
  }

  @Override
  public long parameterCount() {
    return 2L * scales.length;
  }

  @Override
  public int inputDim() {
    return dim;
  }

  @Override
  public Set<Property> properties() {
    var all =
        EnumSet.of(SIMPLE, UPDATABLE, BACKPROP_IN_PLACE, PROPAGATE_IN_PLACE, BACKPROP_NEEDS_OUTPUT);
    if (dim != scales.length) {
      all.addAll(EnumSet.of(INPUT_CONTIGUOUS, OUTPUT_CONTIGUOUS));
    }
    return all;
  }

  @Override
  public NaturalGradientSettings rowPreconditioning() {
    return useNaturalGradient
        ? new NaturalGradientSettings(rank, updatePeriod, SAMPLES_HISTORY, ALPHA)
        : null;
  }

  @Override
  public InfoText infoText() {
    return super.infoText()
        .add("rank", rank)
        .unless(dim, "block-size", scales.length)
        .stats("scales", scales)
        .stats("offsets", offsets);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return f.inBlocks(
        f.x(),
        scales.length,
        rows -> rows.times(nonzero(f.vector(scales))).plus(f.vector(offsets)));
  }

  /**
   * Returns the scales with a magnitude of at least the float epsilon, since Kaldi's backward pass
   * divides by them.
   */
  private static Expr<F32> nonzero(Expr<F32> scale) {
    float least = Math.ulp(1f);
    Expr<F32> small = where(scale.ge(0), fill(F32, least), fill(F32, -least));
    return where(abs(scale).ge(least), scale, small);
  }

  /** Computes derivatives; that of the scales ignores the bound on their magnitude. */
  @Override
  public void backward(BackwardStep b) {
    ForwardStep f = b.forward();
    Expr<F32> dy = b.wantsParameters() ? b.dyInMemory() : b.dy();
    if (b.wantsParameters()) {
      b.rows(offsets, dy);
      b.rows(scales, f.x().times(dy));
    }
    if (b.wantsInput()) {
      b.input(f.inBlocks(dy, scales.length, rows -> rows.times(f.vector(scales))));
    }
  }
}
