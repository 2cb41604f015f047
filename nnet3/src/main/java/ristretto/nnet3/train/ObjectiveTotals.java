package ristretto.nnet3.train;

import static ristretto.expr.Ops.concat;
import static ristretto.expr.Ops.sum;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.io.FloatText;

/**
 * Objectives by output, in total and since the last report. They are accumulated on the device, and
 * fetched for reports.
 */
public final class ObjectiveTotals {
  private final int interval;
  private final Map<String, Total> totals = new TreeMap<>();
  private int phase;

  /**
   * Objective of an output.
   *
   * @param weight total weight of the rows
   * @param objective sum over the rows
   * @param penalty sum over the rows of a term that is maximized too but no part of the objective
   */
  public record Value(double weight, double objective, double penalty) implements Serializable {
    /** Average objective per unit of weight. */
    public double average() {
      return objective / weight;
    }

    Value plus(Value other) {
      return new Value(weight + other.weight, objective + other.objective, penalty + other.penalty);
    }

    /** Average objective as text, with the penalty and the sum if there is a penalty. */
    String text() {
      String average = number(average());
      return penalty == 0
          ? average
          : "%s + %s = %s"
              .formatted(average, number(penalty / weight), number((objective + penalty) / weight));
    }
  }

  private static final Value NOTHING = new Value(0, 0, 0);

  private static final class Total {
    /** Objective and weight since the last fetch; null if the host adds them. */
    private final Tensor<F32> open;

    private Value here = NOTHING;
    private Value all = NOTHING;

    /** Minibatches since the last report. */
    private int minibatches;

    Total(Tensor<F32> open) {
      this.open = open;
    }
  }

  ObjectiveTotals(int interval) {
    this.interval = interval;
  }

  /** Adds an output's objective; only assigns, so that it can be recorded. */
  void add(Context context, String name, Objective objective, Expr<F32> output, Expr<F32> target) {
    Tensor<F32> open =
        // not context.zeros, which would be recorded
        totals.computeIfAbsent(name, _ -> new Total(context.tensor(new float[2], 2))).open;
    Expr<F32> value = sum(objective.value(output, target)).reshape(1);
    Expr<F32> weight = objective.weight(target).reshape(1);
    context.assignAdd(open, concat(0, value, weight));
  }

  /** Adds an output's objective, which the host has computed. */
  void add(String name, Value value) {
    Total total = totals.computeIfAbsent(name, _ -> new Total(null));
    total.here = total.here.plus(value);
  }

  /**
   * Counts the start of a minibatch; returns lines about the previous interval if it has ended.
   *
   * @param minibatch number of the minibatch
   */
  List<String> begin(int minibatch) {
    List<String> lines = new ArrayList<>();
    int now = minibatch / interval;
    if (now != phase) {
      int first = phase * interval;
      int last = now * interval - 1;
      totals.forEach((name, total) -> {
        int count = total.minibatches;
        if (count > 0) {
          Value value = fetch(total);
          String which =
              count == interval
                  ? String.format(Locale.ROOT, "for minibatches %d-%d", first, last)
                  : String.format(
                      Locale.ROOT,
                      "using %d minibatches in minibatch range %d-%d",
                      count,
                      first,
                      last);
          lines.add(
              "Average objective function for '%s' %s is %s over %s frames."
                  .formatted(name, which, value.text(), number(value.weight())));
        }
      });
      phase = now;
    }
    return lines;
  }

  /** Counts an output of a minibatch. */
  void count(String name) {
    totals.get(name).minibatches++;
  }

  private static Value fetch(Total total) {
    Value value = total.here;
    if (total.open != null) {
      float[] open = total.open.toFloatArray();
      value = value.plus(new Value(open[1], open[0], 0));
      total.open.context().assign(total.open, 0);
    }
    total.here = NOTHING;
    total.all = total.all.plus(value);
    total.minibatches = 0;
    return value;
  }

  /** Returns the objectives of all minibatches so far, by output. */
  public Map<String, Value> all() {
    var values = new TreeMap<String, Value>();
    totals.forEach((name, total) -> {
      fetch(total);
      values.put(name, total.all);
    });
    return values;
  }

  /** Returns lines about all minibatches so far. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    all()
        .forEach((name, value) -> {
          lines.add(
              "Overall average objective function for '%s' is %s over %s frames."
                  .formatted(name, value.text(), number(value.weight())));
          lines.add(
              "[this line is to be parsed by a script:] log-prob-per-frame="
                  + number(value.average()));
        });
    return lines;
  }

  static String number(double value) {
    return FloatText.of(value, 6);
  }
}
