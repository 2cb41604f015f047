package ristretto.symbolic.optim;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import ristretto.symbolic.graph.Selection;

/**
 * Parameters that an optimizer updates.
 *
 * @param only selected parameters; empty for all
 * @param groups groups with settings of their own; later groups override earlier ones
 */
record UpdateScope(Optional<Selection> only, List<ParameterGroup> groups) {
  static final UpdateScope ALL = new UpdateScope(Optional.empty(), List.of());

  UpdateScope only(Selection selection) {
    return new UpdateScope(Optional.of(selection), groups);
  }

  UpdateScope group(ParameterGroup group) {
    var more = new ArrayList<>(groups);
    more.add(group);
    return new UpdateScope(only, List.copyOf(more));
  }
}
