package ristretto.symbolic.optim;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import ristretto.symbolic.graph.Variable;

/**
 * Update rules of an optimizer in a model: one for each combination of settings that its groups
 * give to parameters. A setting of a parameter is that of the last group that contains the
 * parameter and has the setting; without such a group, it is the optimizer's.
 */
public final class UpdateRules {
  private static final String OP = "optimizer";
  private static final int OWN = -1;

  /** Number of the norm of a rule whose gradients are not clipped. */
  public static final int UNCLIPPED = -1;

  /**
   * Update rule of some parameters.
   *
   * @param formula optimizer with the update formula
   * @param norm number of the norm that clips the gradients; {@link #UNCLIPPED} for none
   */
  public record Rule(Optimizer formula, Schedule rate, int norm, Set<Variable<?>> parameters) {}

  /**
   * Numbers of the groups that determine the settings of a parameter; -1 for the optimizer itself.
   */
  private record Sources(int rate, int decay, int longest) {}

  private final Set<Variable<?>> parameters;
  private final List<Rule> rules = new ArrayList<>();
  private final List<Double> norms = new ArrayList<>();

  /**
   * Resolves the groups of an optimizer.
   *
   * @param all parameters of the model
   * @throws ristretto.kernels.ShapeException if a pattern or a predicate selects no parameter
   */
  public UpdateRules(Optimizer optimizer, Collection<Variable<?>> all) {
    UpdateScope scope = optimizer.scope();
    parameters =
        scope.only().map(only -> only.among(OP, all)).orElseGet(() -> new LinkedHashSet<>(all));
    List<ParameterGroup> groups = scope.groups();
    List<Set<Variable<?>>> members =
        groups.stream().map(g -> g.selection().among(OP, parameters)).toList();
    var bySources = new LinkedHashMap<Sources, Set<Variable<?>>>();
    for (Variable<?> v : parameters) {
      int rate = OWN;
      int decay = OWN;
      int longest = OWN;
      for (int k = 0; k < groups.size(); k++) {
        if (members.get(k).contains(v)) {
          rate = groups.get(k).rate() == null ? rate : k;
          decay = groups.get(k).decay().isEmpty() ? decay : k;
          longest = groups.get(k).longest().isEmpty() ? longest : k;
        }
      }
      bySources
          .computeIfAbsent(new Sources(rate, decay, longest), _ -> new LinkedHashSet<>())
          .add(v);
    }
    var numbers = new LinkedHashMap<Integer, Integer>();
    bySources.forEach((from, some) -> {
      OptionalDouble decay =
          from.decay == OWN ? OptionalDouble.empty() : groups.get(from.decay).decay();
      rules.add(
          new Rule(
              decay.isPresent() ? optimizer.withDecay(decay.getAsDouble()) : optimizer,
              from.rate == OWN ? optimizer.schedule() : groups.get(from.rate).rate(),
              norm(optimizer, from.longest, groups, numbers),
              some));
    });
  }

  private int norm(
      Optimizer optimizer, int from, List<ParameterGroup> groups, Map<Integer, Integer> numbers) {
    double longest = from == OWN ? optimizer.longest() : groups.get(from).longest().orElseThrow();
    if (longest == Double.POSITIVE_INFINITY) {
      return UNCLIPPED;
    }
    return numbers.computeIfAbsent(
        from,
        _ -> {
          norms.add(longest);
          return norms.size() - 1;
        });
  }

  /** Returns the parameters that the optimizer updates. */
  public Set<Variable<?>> parameters() {
    return parameters;
  }

  /** Returns the rules; each parameter that the optimizer updates belongs to one of them. */
  public List<Rule> rules() {
    return rules;
  }

  /** Returns the largest allowed norm of the gradients of the rules with each norm number. */
  public List<Double> norms() {
    return norms;
  }
}
