package ristretto.symbolic.graph;

import java.util.Set;

/** Operators whose results have the elements of their input. */
public final class Views {
  private static final Set<String> NAMES =
      Set.of("squeeze", "unsqueeze", "reshape", "flatten", "permute", "transpose");

  private Views() {}

  /** Returns the variable whose elements another variable has, in any order and shape. */
  public static Variable<?> origin(Variable<?> v) {
    Variable<?> of = v;
    while (of.owner() != null && NAMES.contains(of.owner().name())) {
      of = of.owner().inputs().getFirst();
    }
    return of;
  }
}
