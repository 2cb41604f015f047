package ristretto.nnet3.train;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.component.NaturalGradientSettings;

/**
 * Natural gradients of a network's parameters, and the set of those that are updated in a step. A
 * recorded step is specific to that set, so each set needs a recording of its own.
 */
final class Preconditioners {
  private final Context context;
  private final List<NaturalGradient> all = new ArrayList<>();
  private final Map<Object, Map<String, NaturalGradient>> bySide = new IdentityHashMap<>();
  private final List<Use> uses = new ArrayList<>();
  private boolean frozen;

  /** Number of requests for each parameter and side in the current step. */
  private final Map<Object, Map<String, Integer>> calls = new IdentityHashMap<>();

  /**
   * Use of a natural gradient in the step being built: its number of rows, and true if it is
   * updated.
   */
  private record Use(NaturalGradient natural, int rows, boolean update) {}

  /**
   * Host work after each run of a recorded step.
   *
   * @param uses uses of natural gradients, in order
   */
  record Finish(List<Use> uses) {
    Finish {
      uses = List.copyOf(uses);
    }

    /** Updates the estimates. */
    void run() {
      uses.forEach(use -> use.natural.done(use.rows, use.update));
    }
  }

  Preconditioners(Context context) {
    this.context = context;
  }

  /**
   * Preconditions rows in place, and returns the factor to multiply them with. A component shared
   * by several nodes has an estimate for each of them.
   */
  Tensor<F32> apply(Object parameter, String side, NaturalGradientSettings how, Tensor<F32> rows) {
    var whole = new PreconditionedRows.Whole(rows);
    NaturalGradient natural = natural(parameter, side, how, whole);
    natural.precondition(rows, use(natural, whole));
    return natural.scale();
  }

  /**
   * Natural gradient of unchanged rows x in the form {@code (x - h w) * scale}.
   *
   * @param h {@code [n, rank]}
   */
  record Low(Tensor<F32> h, Tensor<F32> w, Tensor<F32> scale) {}

  /** Returns the natural gradient of rows that are not changed. */
  Low low(Object parameter, String side, NaturalGradientSettings how, PreconditionedRows rows) {
    NaturalGradient natural = natural(parameter, side, how, rows);
    Tensor<F32> h = natural.project(rows, use(natural, rows));
    return new Low(h, natural.w(), natural.scale());
  }

  private NaturalGradient natural(
      Object parameter, String side, NaturalGradientSettings how, PreconditionedRows rows) {
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

  /** Registers a use; returns true if the estimate is updated. */
  private boolean use(NaturalGradient natural, PreconditionedRows rows) {
    boolean update = natural.updates();
    uses.add(new Use(natural, rows.count(), update));
    return update;
  }

  private NaturalGradient make(NaturalGradientSettings how, int dim) {
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

  /** Freezes all estimates, or unfreezes them. */
  void freeze(boolean freeze) {
    frozen = freeze;
    all.forEach(natural -> natural.freeze(freeze));
  }

  /** Returns, for each estimate, true if the next matrix updates it. */
  List<Boolean> pattern() {
    return all.stream().map(NaturalGradient::updates).toList();
  }

  /** Returns the host work after each run of the step just built, and starts a new step. */
  Finish finish() {
    var finish = new Finish(uses);
    uses.clear();
    calls.clear();
    return finish;
  }
}
