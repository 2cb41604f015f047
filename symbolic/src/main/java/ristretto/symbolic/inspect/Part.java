package ristretto.symbolic.inspect;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import ristretto.expr.Trace;
import ristretto.symbolic.graph.Operator;

/**
 * Label of the assignments of a run: operator and pass.
 *
 * @param operator operator that makes the assignments; null for the update of the parameters
 */
public record Part(Operator operator, Pass pass) {
  /** Part of a run. */
  public enum Pass {
    FORWARD,
    BACKWARD,
    /** Rematerialization of dropped values in the backward pass. */
    RECOMPUTE,
    /** Update of parameters and of the step number. */
    UPDATE;

    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  private String layer() {
    return operator == null ? "optimizer" : operator.name();
  }

  /**
   * Names of the operators and passes that a kernel executes.
   *
   * @param layer names of the operators, joined by {@code +}
   * @param pass names of the passes, joined by {@code +}
   */
  record Names(String layer, String pass) {}

  /** Returns the names for each kernel of a program, in launch order. */
  static List<Names> names(Trace trace) {
    Map<Integer, Part> parts = new HashMap<>();
    for (Trace.Assigned a : trace.assigned()) {
      if (a.label() instanceof Part p) {
        parts.put(a.number(), p);
      }
    }
    var all = new ArrayList<Names>();
    for (Trace.Work work : trace.works()) {
      var layers = new LinkedHashSet<String>();
      var passes = new LinkedHashSet<String>();
      for (int number : work.assignments()) {
        Part part = parts.get(number);
        if (part != null) {
          layers.add(part.layer());
          passes.add(part.pass.toString());
        }
      }
      all.add(new Names(String.join(" + ", layers), String.join(" + ", passes)));
    }
    return all;
  }
}
