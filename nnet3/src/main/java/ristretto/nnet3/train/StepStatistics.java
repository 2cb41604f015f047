package ristretto.nnet3.train;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.step.StatisticsSink;

/**
 * Statistics that components gather in training, in device memory: sums over rows, starting with
 * the component's own. The statistics of some components decay after each step.
 */
final class StepStatistics {
  private final Context context;
  private final double batchnormScale;
  private final Map<Component, Map<String, Sum>> sums = new IdentityHashMap<>();
  private final List<Addition> additions = new ArrayList<>();

  /** Sum and count of rows; the count is also on the device, for averages there. */
  private static final class Sum {
    private final Tensor<F32> memory;
    private final Tensor<F32> countThere;
    private double count;

    /** Sum and count before the current step; null until they are needed. */
    private Tensor<F32> before;

    private Tensor<F32> countBefore;

    /** Sum and count that the component has already received. */
    private float[] told;

    private double toldCount;

    Sum(Context context, ComponentBase.Gathered initial, int dim) {
      told = new float[dim];
      if (initial.sums().length == dim) {
        for (int k = 0; k < dim; k++) {
          told[k] = (float) initial.sums()[k];
        }
        count = toldCount = initial.rows();
      }
      // not context.zeros, which would be recorded
      memory = context.tensor(told, dim);
      countThere = context.tensor(new float[] {(float) count}, 1).reshape();
    }
  }

  private record Addition(Sum sum, double rows, double scale) {}

  /**
   * Host work after each run of a recorded step.
   *
   * @param additions numbers of rows that were added
   */
  record Finish(List<Addition> additions) {
    Finish {
      additions = List.copyOf(additions);
    }

    /** Updates the counts of rows. */
    void run() {
      additions.forEach(a -> a.sum.count = (a.sum.count + a.rows) * a.scale);
    }
  }

  StepStatistics(Context context, double batchnormScale) {
    this.context = context;
    this.batchnormScale = batchnormScale;
  }

  /** Adds a sum over rows; only assigns, so that it can be recorded. */
  void add(Component component, String name, Expr<F32> sum, double rows) {
    long dim = sum.shape().size();
    Sum to = of(component, name, dim);
    double scale = ((ComponentBase) component).fadingStatistics() ? batchnormScale : 1;
    if (scale == 1) {
      context.assignAdd(to.memory, sum.reshape(dim));
      context.assignAdd(to.countThere, fill(F32, rows));
    } else {
      context.assign(to.memory, to.memory.plus(sum.reshape(dim)).times((float) scale));
    }
    additions.add(new Addition(to, rows, scale));
  }

  /** Returns the totals so far, with or without the additions of this step. */
  StatisticsSink.Totals totals(Component component, String name, long dim, boolean withThisStep) {
    Sum sum = of(component, name, dim);
    if (withThisStep) {
      return new StatisticsSink.Totals(sum.memory, sum.countThere);
    }
    if (sum.before == null) {
      sum.before = context.tensor(sum.memory.toFloatArray(), dim);
      sum.countBefore = context.tensor(new float[] {(float) sum.count}, 1).reshape();
    }
    return new StatisticsSink.Totals(sum.before, sum.countBefore);
  }

  private Sum of(Component component, String name, long dim) {
    return sums.computeIfAbsent(component, _ -> new HashMap<>())
        .computeIfAbsent(
            name, _ -> new Sum(context, ((ComponentBase) component).gathered(name), (int) dim));
  }

  /**
   * Saves the totals for the next step, after all additions; only assigns, so that it can be
   * recorded.
   */
  void endStep() {
    for (Addition addition : additions) {
      Sum sum = addition.sum;
      if (sum.before != null) {
        context.assign(sum.before, sum.memory);
        context.assign(sum.countBefore, sum.countThere);
      }
    }
  }

  /** Returns the host work after each run of the step just built, and starts a new step. */
  Finish finish() {
    var finish = new Finish(additions);
    additions.clear();
    return finish;
  }

  /** Adds the statistics since the last call to the components. */
  void store() {
    sums.forEach((component, byName) ->
        byName.forEach((name, sum) -> {
          if (sum.count != sum.toldCount) {
            float[] now = sum.memory.toFloatArray();
            float[] more = new float[now.length];
            for (int k = 0; k < now.length; k++) {
              more[k] = now[k] - sum.told[k];
            }
            ((ComponentBase) component).addStatistics(name, more, sum.count - sum.toldCount);
            sum.told = now;
            sum.toldCount = sum.count;
          }
        }));
  }
}
