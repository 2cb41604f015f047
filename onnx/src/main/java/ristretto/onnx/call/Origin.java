package ristretto.onnx.call;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Inputs and weights that a value is computed from. Extents are not among them: they are known
 * whenever a graph is traced.
 *
 * @param leaf an input or a weight; null for a computed value
 * @param from origins of the operands
 */
public record Origin(Leaf leaf, List<Origin> from) {
  /** Origin of a constant. */
  public static final Origin NONE = new Origin(null, List.of());

  /**
   * An input or a weight.
   *
   * @param kind "input" or "weight", for messages
   */
  public record Leaf(String kind, String name, Value value) {}

  /** Returns the origin of a value computed from others. */
  public static Origin of(Collection<Value> operands) {
    List<Origin> from =
        operands.stream()
            .filter(v -> v != null && v.origin() != NONE)
            .map(Value::origin)
            .distinct()
            .toList();
    return from.isEmpty() ? NONE : from.size() == 1 ? from.get(0) : new Origin(null, from);
  }

  /** Returns all inputs and weights. */
  public Set<Leaf> leaves() {
    var leaves = new LinkedHashSet<Leaf>();
    Set<Origin> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    var open = new ArrayDeque<Origin>(List.of(this));
    while (!open.isEmpty()) {
      Origin o = open.pop();
      if (seen.add(o)) {
        if (o.leaf != null) {
          leaves.add(o.leaf);
        }
        open.addAll(o.from);
      }
    }
    return leaves;
  }

  @Override
  public boolean equals(Object o) {
    return this == o;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
