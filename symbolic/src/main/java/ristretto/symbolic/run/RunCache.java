package ristretto.symbolic.run;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Tensor;
import ristretto.kernels.debug.Debug;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;

/**
 * LRU cache of recorded runs, the most recently used first. The memory of an evicted run is freed
 * when its outputs are unreachable.
 */
public final class RunCache {
  /**
   * Capacity; enough for recurring shapes, such as length buckets in training and validation. A run
   * of a recurrent network takes some megabytes per hundred steps.
   */
  public static final int MOST = 64;

  private final List<Run> all = new ArrayList<>();

  /** Returns a matching run, or null; allocates nothing. */
  public Run find(
      Run.Mode what,
      Variable<?> loss,
      Optimizer optimizer,
      List<Variable<?>> inputs,
      Session session) {
    for (int k = 0; k < all.size(); k++) {
      Run run = all.get(k);
      if (run.fits(what, loss, optimizer, inputs, session)) {
        for (int other = k; other > 0; other--) {
          all.set(other, all.get(other - 1));
        }
        all.set(0, run);
        return run;
      }
    }
    return null;
  }

  /**
   * Adds a new run.
   *
   * @param inputs inputs of the model
   * @param millis time of the recording, for the log
   */
  public void add(Run run, List<Variable<?>> inputs, double millis) {
    Debug.log(Debug.FUSION, () -> explainMiss(run, inputs, millis));
    if (all.size() == MOST) {
      Run last = all.removeLast();
      Debug.log(Debug.FUSION, () -> "[cache] dropped program of " + label(last, inputs));
    }
    all.addFirst(run);
  }

  void clear() {
    all.clear();
  }

  /** Returns the number of cached runs. */
  public int size() {
    return all.size();
  }

  public String explainMiss(Run run, List<Variable<?>> inputs, double millis) {
    String cost = " (" + Math.round(millis) + " ms, " + (all.size() + 1) + " kept)";
    String line = "[cache] new program of " + label(run, inputs) + " because ";
    if (all.isEmpty()) {
      return line + "it is the first" + cost;
    }
    Run before = all.getFirst();
    var differences = new ArrayList<String>();
    if (before.mode() != run.mode()) {
      differences.add(label(before.mode()) + "->" + label(run.mode()));
    }
    if (before.loss() != run.loss() && before.loss() != null && run.loss() != null) {
      differences.add("loss " + before.loss().name() + "->" + run.loss().name());
    }
    if (before.optimizer() != run.optimizer()
        && before.optimizer() != null
        && run.optimizer() != null) {
      differences.add("optimizer " + before.optimizer().name() + "->" + run.optimizer().name());
    }
    for (int k = 0; k < inputs.size(); k++) {
      Tensor<?> from = before.inputs().get(k);
      Tensor<?> to = run.inputs().get(k);
      if (!from.shape().equals(to.shape())) {
        differences.add(inputs.get(k).name() + " " + from.shape() + "->" + to.shape());
      }
    }
    String reason =
        differences.isEmpty() ? "an input has other memory" : String.join(", ", differences);
    return line + reason + cost;
  }

  private static String label(Run run, List<Variable<?>> inputs) {
    var text = new StringBuilder(label(run.mode()));
    for (int k = 0; k < inputs.size(); k++) {
      text.append(' ').append(inputs.get(k).name()).append(run.inputs().get(k).shape());
    }
    return text.toString();
  }

  private static String label(Run.Mode mode) {
    return switch (mode) {
      case EVALUATE -> "forward";
      case GRADIENTS -> "backward";
      case TRAIN -> "step";
    };
  }
}
