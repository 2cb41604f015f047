package ristretto.nnet3.train;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.F32;
import ristretto.expr.Tensor;
import ristretto.nnet3.component.Preconditioning;

/**
 * The natural gradients of a network's parameters, and which of them change in a step. A recorded
 * step has that in it: there is one for each set of those that change.
 */
final class Preconditioners {
  private final Context context;
  private final List<NaturalGradient> all = new ArrayList<>();
  private final Map<Object, Map<String, NaturalGradient>> bySide = new IdentityHashMap<>();
  private final List<Use> uses = new ArrayList<>();
  private boolean frozen;

  /** How often a parameter has been asked for in this step, by its side. */
  private final Map<Object, Map<String, Integer>> calls = new IdentityHashMap<>();

  /**
   * How many rows a natural gradient gets in the step that is being made, and whether it changes.
   */
  private record Use(NaturalGradient natural, int rows, boolean update) {}

  /**
   * What is to be done after each run of a recorded step.
   *
   * @param uses of natural gradients, in order
   */
  record Finish(List<Use> uses) {
    Finish {
      uses = List.copyOf(uses);
    }

    /** Changes the estimates. */
    void run() {
      uses.forEach(use -> use.natural.done(use.rows, use.update));
    }
  }

  Preconditioners(Context context) {
    this.context = context;
  }

  /**
   * Makes rows those of a natural gradient; what the result must be multiplied with. A component
   * that several nodes share has an estimate for each of them.
   */
  Tensor<F32> apply(Object parameter, String side, Preconditioning how, Tensor<F32> rows) {
    var whole = new Rows.Whole(rows);
    NaturalGradient natural = natural(parameter, side, how, whole);
    natural.precondition(rows, use(natural, whole));
    return natural.scale();
  }

  /**
   * What a natural gradient makes of rows that stay as they are: {@code (x - h w) * scale}.
   *
   * @param h a row for each row
   */
  record Low(Tensor<F32> h, Tensor<F32> w, Tensor<F32> scale) {}

  /** Of rows that stay as they are. */
  Low low(Object parameter, String side, Preconditioning how, Rows rows) {
    NaturalGradient natural = natural(parameter, side, how, rows);
    Tensor<F32> h = natural.project(rows, use(natural, rows));
    return new Low(h, natural.w(), natural.scale());
  }

  private NaturalGradient natural(Object parameter, String side, Preconditioning how, Rows rows) {
    int call = calls.computeIfAbsent(parameter, _ -> new HashMap<>()).merge(side, 1, Integer::sum);
    NaturalGradient natural =
        bySide
            .computeIfAbsent(parameter, _ -> new HashMap<>())
            .computeIfAbsent(side + call, _ -> make(how, rows.dim()));
    if (natural.isNew()) {
      natural.start(rows);
    }
    return natural;
  }

  /** Whether the estimate changes. */
  private boolean use(NaturalGradient natural, Rows rows) {
    boolean update = natural.updates();
    uses.add(new Use(natural, rows.count(), update));
    return update;
  }

  private NaturalGradient make(Preconditioning how, int dim) {
    var options =
        new NaturalGradient.Options(
            how.rank(),
            how.updatePeriod(),
            how.samplesHistory(),
            how.minibatchesHistory(),
            how.alpha(),
            1e-10,
            5e-4);
    var natural = new NaturalGradient(context, options, dim);
    natural.freeze(frozen);
    all.add(natural);
    return natural;
  }

  /** Keeps all estimates as they are, or no longer. */
  void freeze(boolean freeze) {
    frozen = freeze;
    all.forEach(natural -> natural.freeze(freeze));
  }

  /** Which of them change next. */
  List<Boolean> pattern() {
    return all.stream().map(NaturalGradient::updates).toList();
  }

  /** After a step was made: what is to be done whenever it has run. */
  Finish finish() {
    var finish = new Finish(uses);
    uses.clear();
    calls.clear();
    return finish;
  }
}
