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
import ristretto.expr.F32;
import ristretto.expr.Tensor;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.ComponentBase;

/**
 * Statistics that components gather in training, in memory: sums over rows. After each step those
 * of some components fade.
 */
final class StepStatistics {
  private final Context context;
  private final double batchnormScale;
  private final Map<Component, Map<String, Sum>> sums = new IdentityHashMap<>();
  private final List<Addition> additions = new ArrayList<>();

  /** Its count on the device is for averages there. */
  private static final class Sum {
    private final Tensor<F32> memory;
    private final Tensor<F32> countThere;
    private double count;

    Sum(Context context, long dim) {
      // not of zeros, which would be recorded
      this.memory = context.tensor(new float[(int) dim], dim);
      this.countThere = context.tensor(new float[1], 1).reshape();
    }
  }

  private record Addition(Sum sum, double rows, double scale) {}

  /**
   * What is to be done after each run of a recorded step.
   *
   * @param additions rows that were added
   */
  record Finish(List<Addition> additions) {
    Finish {
      additions = List.copyOf(additions);
    }

    /** Counts rows. */
    void run() {
      additions.forEach(a -> a.sum.count = (a.sum.count + a.rows) * a.scale);
    }
  }

  StepStatistics(Context context, double batchnormScale) {
    this.context = context;
    this.batchnormScale = batchnormScale;
  }

  /** Adds a sum over rows; only assigns. */
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

  /** The average so far, including what has been added in this step. */
  Expr<F32> average(Component component, String name, long dim) {
    Sum sum = of(component, name, dim);
    return sum.memory.div(sum.countThere);
  }

  private Sum of(Component component, String name, long dim) {
    return sums.computeIfAbsent(component, _ -> new HashMap<>())
        .computeIfAbsent(name, _ -> new Sum(context, dim));
  }

  /** After a step was made: what is to be done whenever it has run. */
  Finish finish() {
    var finish = new Finish(additions);
    additions.clear();
    return finish;
  }

  /** Gives components what was gathered of them since the last time. */
  void store() {
    sums.forEach((component, byName) ->
        byName.forEach((name, sum) -> {
          if (sum.count != 0) {
            ((ComponentBase) component).addStatistics(name, sum.memory.toFloatArray(), sum.count);
            sum.count = 0;
            context.assign(sum.memory, 0);
            context.assign(sum.countThere, 0);
          }
        }));
  }
}
