package ristretto.nnet3.component.recurrent;

import static ristretto.expr.Ops.tanh;

import java.util.List;
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
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/**
 * GRU nonlinearity. Maps (z, r, hpart, c', s') to (h, c). s' and r have {@code recurrentDim}
 * columns, the others {@code cellDim}; if both dimensions are equal, the input has no s', and s' is
 * c':
 *
 * <pre>{@code
 * h = tanh(hpart + W (s' r))
 * c = (1 - z) h + z c'
 * }</pre>
 */
public final class GruNonlinearityComponent extends GruGates {
  private int recurrentDim;
  Matrix weights;
  private float alpha;
  private int rankIn;
  private int rankOut;
  private int updatePeriod;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    cellDim = line.positive("cell-dim");
    recurrentDim = line.integer("recurrent-dim", -1);
    if (recurrentDim == 0 || recurrentDim > cellDim) {
      throw line.error("recurrent-dim", "recurrent-dim must be between 1 and cell-dim");
    }
    recurrentDim = recurrentDim < 0 ? cellDim : recurrentDim;
    stats = TanhStats.init(line, cellDim);
    float stddev = line.notNegative("param-stddev", inverseRoot(cellDim));
    weights = gaussianMatrix(random, cellDim, recurrentDim, stddev);
    alpha = line.notNegative("alpha", 4);
    rankIn = line.positive("rank-in", 20);
    rankOut = line.positive("rank-out", 80);
    updatePeriod = line.positive("update-period", 4);
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    cellDim = f.positive("<CellDim>", cellDim);
    recurrentDim = f.positive("<RecurrentDim>", recurrentDim);
    weights = f.matrix("<w_h>", weights);
    f.check(
        weights.rows() == cellDim && weights.cols() == recurrentDim && recurrentDim <= cellDim,
        "<w_h> must have <CellDim> rows and <RecurrentDim> columns",
        weights);
    stats = TanhStats.fields(f, stats, cellDim);
    alpha = f.real("<Alpha>", alpha);
    rankIn = f.integer("<RankInOut>", rankIn);
    rankOut = f.integer(rankOut);
    updatePeriod = f.integer("<UpdatePeriod>", updatePeriod);
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    var other = (GruNonlinearityComponent) o;
    weights = blend.of(weights, other.weights);
    stats = stats.blend(blend, other.stats);
  }

  @Override
  public void mapParameters(UnaryOperator<float[]> f) {
    weights = map(f, weights);
  }

  @Override
  public long parameterCount() {
    return weights.data().length;
  }

  @Override
  public int inputDim() {
    return Math.toIntExact(
        recurrentDim == cellDim ? 4L * cellDim : 3L * cellDim + 2L * recurrentDim);
  }

  @Override
  public NaturalGradientSettings inputPreconditioning() {
    return new NaturalGradientSettings(rankIn, updatePeriod, SAMPLES_HISTORY, alpha);
  }

  @Override
  public NaturalGradientSettings outputPreconditioning() {
    return new NaturalGradientSettings(rankOut, updatePeriod, SAMPLES_HISTORY, alpha);
  }

  @Override
  public InfoText infoText() {
    return stats
        .info(
            super.infoText()
                .add("cell-dim", cellDim)
                .add("recurrent-dim", recurrentDim)
                .rms("w_h", weights.data()))
        .add("alpha", alpha)
        .add("rank-in", rankIn)
        .add("rank-out", rankOut)
        .add("update-period", updatePeriod);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    long cells = cellDim;
    long from = cells + recurrentDim;
    Expr<F32> z = f.x(0, cells);
    Expr<F32> r = f.x(cells, from);
    Expr<F32> before = f.x(from + cells, from + 2 * cells);
    Expr<F32> s = recurrentDim == cellDim ? before : f.x(from + 2 * cells, inputDim());
    Expr<F32> h = tanh(f.x(from, from + cells).plus(f.product(s.times(r), f.matrix(weights))));
    return output(h, z, before);
  }

  /** Computes derivatives; h is read from the stored output, so its product is not recomputed. */
  @Override
  public void backward(BackwardStep b) {
    ForwardStep f = b.forward();
    long cells = cellDim;
    long from = cells + recurrentDim;
    Expr<F32> z = f.x(0, cells);
    Expr<F32> r = f.x(cells, from);
    Expr<F32> before = f.x(from + cells, from + 2 * cells);
    boolean shared = recurrentDim == cellDim;
    Expr<F32> s = shared ? before : f.x(from + 2 * cells, inputDim());
    Expr<F32> h = b.y(0, cells);
    Expr<F32> dc = b.dy(cells, 2 * cells);
    Tensor<F32> dpart = beforeTanh(b, z, from);
    b.input(0, cells, dc.times(before.minus(h)));
    b.input(from, from + cells, dpart);
    Expr<F32> dbefore = dc.times(z);
    if (b.wantsSome(cells, from) || b.wantsSome(from + cells, inputDim())) {
      Tensor<F32> dproduct = b.inMemory(BackwardStep.times(dpart, f.matrix(weights)));
      Expr<F32> ds = dproduct.times(r);
      b.input(cells, from, dproduct.times(s));
      b.input(from + cells, from + 2 * cells, shared ? dbefore.plus(ds) : dbefore);
      if (!shared) {
        b.input(from + 2 * cells, inputDim(), ds);
      }
    }
    if (b.wantsParameters()) {
      var x = new ForwardStep.Columns(recurrentDim, b.inMemory(s.times(r)), 1);
      b.product(weights, new float[0], List.of(x), repaired(b, dpart));
    }
  }
}
