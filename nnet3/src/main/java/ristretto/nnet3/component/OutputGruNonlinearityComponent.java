package ristretto.nnet3.component;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.tanh;
import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_OUTPUT;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Tensor;
import ristretto.nnet3.Component;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.Property;
import ristretto.nnet3.forward.Backward;
import ristretto.nnet3.forward.Forward;

/**
 * The gates of a GRU whose output gate is outside. Reads (z, hpart, c') and makes (h, c) of
 *
 * <pre>{@code
 * h = tanh(hpart + w c')
 * c = (1 - z) h + z c'
 * }</pre>
 */
final class OutputGruNonlinearityComponent extends UpdatableComponent {
  private int cellDim;
  float[] weights;
  private TanhStats stats;
  private float alpha;
  private int rank;
  private int updatePeriod;

  @Override
  void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    cellDim = line.positive("cell-dim");
    stats = TanhStats.init(line, cellDim);
    float mean = line.real("param-mean", 0);
    weights = gaussian(random, cellDim, mean, line.notNegative("param-stddev", 1));
    alpha = line.notNegative("alpha", 4);
    rank = line.positive("rank", 8);
    updatePeriod = line.positive("update-period", 10);
  }

  @Override
  void fields(Fields f) {
    updatableFields(f);
    cellDim = f.positive("<CellDim>", cellDim);
    weights = f.vector("<w_h>", weights);
    f.check(weights.length == cellDim, "<w_h> must have <CellDim> elements", weights.length);
    stats = TanhStats.fields(f, stats, cellDim);
    alpha = f.real("<Alpha>", alpha);
    rank = f.integer("<Rank>", rank);
    updatePeriod = f.integer("<UpdatePeriod>", updatePeriod);
  }

  @Override
  void blend(Blend blend, Component o) {
    var other = (OutputGruNonlinearityComponent) o;
    weights = blend.of(weights, other.weights);
    stats = stats.blend(blend, other.stats);
  }

  @Override
  public void mapParameters(UnaryOperator<float[]> f) {
    weights = f.apply(weights);
  }

  @Override
  public long parameterCount() {
    return weights.length;
  }

  @Override
  public int inputDim() {
    return 3 * cellDim;
  }

  @Override
  public int outputDim() {
    return 2 * cellDim;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(
        SIMPLE, UPDATABLE, BACKPROP_NEEDS_INPUT, BACKPROP_NEEDS_OUTPUT, BACKPROP_ADDS);
  }

  @Override
  public Preconditioning rowPreconditioning() {
    return new Preconditioning(rank, updatePeriod, SAMPLES_HISTORY, alpha);
  }

  @Override
  InfoText infoText() {
    return stats
        .info(super.infoText().add("cell-dim", cellDim).rms("w_h", weights))
        .add("alpha", alpha)
        .add("rank", rank)
        .add("update-period", updatePeriod);
  }

  @Override
  public Expr<F32> forward(Forward f) {
    long cells = cellDim;
    Expr<F32> z = f.x(0, cells);
    Expr<F32> before = f.x(2 * cells, 3 * cells);
    Expr<F32> h = tanh(f.x(cells, 2 * cells).plus(before.times(f.vector(weights))));
    return Forward.append(h, h.minus(z.times(h)).plus(z.times(before)));
  }

  @Override
  public void backward(Backward b) {
    Forward f = b.forward();
    long cells = cellDim;
    Expr<F32> z = f.x(0, cells);
    Expr<F32> before = f.x(2 * cells, 3 * cells);
    Expr<F32> h = b.y(0, cells);
    Expr<F32> dc = b.dy(cells, 2 * cells);
    Expr<F32> dh = b.dy(0, cells).plus(dc.times(fill(F32, 1).minus(z)));
    Tensor<F32> dpart = b.inMemory(dh.times(fill(F32, 1).minus(h.times(h))));
    b.input(0, cells, dc.times(before.minus(h)));
    b.input(cells, 2 * cells, dpart);
    b.input(2 * cells, 3 * cells, dc.times(z).plus(dpart.times(f.vector(weights))));
    if (b.wantsParameters()) {
      Expr<F32> slope = fill(F32, 1).minus(h.times(h));
      b.rows(weights, before.times(stats.repaired(b, dpart, h, slope)));
      b.statistics("values", sum(h, 0, 1));
      b.statistics("derivs", sum(slope, 0, 1));
    }
  }

  @Override
  public Gathered gathered(String name) {
    return stats.gathered(name);
  }

  @Override
  public boolean alwaysGathersStatistics() {
    return true;
  }

  @Override
  public void addStatistics(String name, float[] sum, double rows) {
    stats = stats.plus(name, sum, rows);
  }
}
