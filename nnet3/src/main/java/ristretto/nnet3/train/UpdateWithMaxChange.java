package ristretto.nnet3.train;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.abs;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.concat;
import static ristretto.expr.Ops.isFinite;
import static ristretto.expr.Ops.scalar;
import static ristretto.expr.Ops.scatterAdd;
import static ristretto.expr.Ops.sqrt;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.take;
import static ristretto.expr.Ops.where;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;

/**
 * Parameter update at the end of a step: l2 decay, then the change, limited by the max-change of
 * each component and of all parameters. Norms stay on the device. {@link #assign} only assigns, so
 * that it can be recorded.
 */
final class UpdateWithMaxChange {
  /** Indexes into {@link #settings}. */
  private static final int SCALE = 0;

  private static final int LIMIT = 1;
  private static final int DECAY = 2;

  private final Context context;
  private final ParameterBuffer buffer;
  private final LearningRates rates;
  private final double maxParamChange;
  private final double momentum;
  private final Tensor<F32> settings;

  /** Number of limited changes of each component, and last of all parameters together. */
  private final Tensor<F32> limited;

  private int steps;

  UpdateWithMaxChange(
      Context context,
      ParameterBuffer buffer,
      LearningRates rates,
      double maxParamChange,
      double momentum) {
    this.context = context;
    this.buffer = buffer;
    this.rates = rates;
    this.maxParamChange = maxParamChange;
    this.momentum = momentum;
    settings = context.tensor(new float[] {1, 1, 1}, 3);
    limited = context.zeros(F32, buffer.components().size() + 1);
  }

  /**
   * Sets the factors of the next step.
   *
   * @param scale factor on the change
   * @param limit factor on the max-change limits
   * @param decay factor on the l2 decay
   */
  void set(double scale, double limit, double decay) {
    float[] values = {(float) scale, (float) limit, (float) decay};
    context.copy(MemorySegment.ofArray(values), settings);
    steps++;
  }

  private Expr<F32> setting(int which) {
    return settings.slice(at(which));
  }

  /** Assigns the parameters, and the change carried over by momentum. */
  void assign() {
    int count = buffer.components().size();
    Tensor<F32> p = buffer.values();
    Tensor<F32> d = buffer.change();
    long blocks = p.shape().dim(0);
    Expr<F32> decay = take(rates.decay(), buffer.componentOfBlock(), 0).times(setting(DECAY));
    Expr<F32> change = d.plus(decay.reshape(blocks, 1).times(p));
    Expr<F32> scale = setting(SCALE).times((float) (1 - momentum));
    Tensor<F32> ofBlocks = context.eval(sum(square(change), 1));
    Tensor<F32> norms =
        context.eval(
            sqrt(scatterAdd(Shape.of(count), 0, buffer.componentOfBlock(), ofBlocks))
                .times(abs(scale)));
    Expr<F32> limits = rates.maxChange().times(setting(LIMIT));
    Expr<F32> factors =
        where(limits.gt(0).and(norms.gt(limits)), limits.div(norms), scalar(F32, 1));
    Tensor<F32> total = context.eval(sqrt(sum(square(norms.times(factors)))));
    Expr<F32> most = setting(LIMIT).times(maxParamChange);
    Expr<F32> ofAll =
        maxParamChange == 0
            ? scalar(F32, 1)
            : where(total.gt(most), most.div(total), scalar(F32, 1));
    Expr<F32> by = where(isFinite(total), ofAll.times(scale), scalar(F32, 0));
    context.assignAdd(
        limited, concat(0, factors.lt(1f).cast(F32), ofAll.lt(1f).cast(F32).reshape(1)));
    Tensor<F32> factor = context.eval(factors.times(by));
    Expr<F32> byBlock = take(factor, buffer.componentOfBlock(), 0).reshape(blocks, 1);
    Expr<F32> next = where(byBlock.eq(0f), p, p.plus(byBlock.times(change)));
    if (momentum == 0) {
      context.assign(p, next);
    } else {
      Expr<F32> kept = where(isFinite(total), change.times((float) momentum), scalar(F32, 0));
      context.assignAll(Pair.of(p, next), Pair.of(d, kept));
    }
  }

  /**
   * Returns the percentage of steps with a limited change: by component, and last for all
   * parameters together.
   */
  double[] limitedPercent() {
    double[] percent = new double[(int) limited.shape().dim(0)];
    float[] counts = limited.toFloatArray();
    Arrays.setAll(percent, k -> steps == 0 ? 0 : 100.0 * counts[k] / steps);
    return percent;
  }
}
