package ristretto.nnet3.component.recurrent;

import static ristretto.expr.Ops.tanh;

import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearCombination;
import ristretto.nnet3.component.NaturalGradientSettings;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/**
 * Output-gated GRU nonlinearity, whose output gate is a separate component. Maps (z, hpart, c') to
 * (h, c):
 *
 * <pre>{@code
 * h = tanh(hpart + w c')
 * c = (1 - z) h + z c'
 * }</pre>
 */
public final class OutputGruNonlinearityComponent extends GruGates {
  float[] weights;
  private float alpha;
  private int rank;
  private int updatePeriod;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
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
  public void fields(Fields f) {
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
  public void blend(LinearCombination blend, Component o) {
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
    return Math.multiplyExact(3, cellDim);
  }

  @Override
  public NaturalGradientSettings rowPreconditioning() {
    return new NaturalGradientSettings(rank, updatePeriod, SAMPLES_HISTORY, alpha);
  }

  @Override
  public InfoText infoText() {
    return stats
        .info(super.infoText().add("cell-dim", cellDim).rms("w_h", weights))
        .add("alpha", alpha)
        .add("rank", rank)
        .add("update-period", updatePeriod);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    long cells = cellDim;
    Expr<F32> z = f.x(0, cells);
    Expr<F32> before = f.x(2 * cells, 3 * cells);
    Expr<F32> h = tanh(f.x(cells, 2 * cells).plus(before.times(f.vector(weights))));
    return output(h, z, before);
  }

  @Override
  public void backward(BackwardStep b) {
    ForwardStep f = b.forward();
    long cells = cellDim;
    Expr<F32> z = f.x(0, cells);
    Expr<F32> before = f.x(2 * cells, 3 * cells);
    Expr<F32> h = b.y(0, cells);
    Expr<F32> dc = b.dy(cells, 2 * cells);
    Tensor<F32> dpart = beforeTanh(b, z, cells);
    b.input(0, cells, dc.times(before.minus(h)));
    b.input(cells, 2 * cells, dpart);
    b.input(2 * cells, 3 * cells, dc.times(z).plus(dpart.times(f.vector(weights))));
    if (b.wantsParameters()) {
      b.rows(weights, before.times(repaired(b, dpart)));
    }
  }
}
