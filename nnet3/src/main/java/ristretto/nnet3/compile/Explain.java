package ristretto.nnet3.compile;

import java.util.HashSet;
import java.util.Set;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.Index;
import ristretto.nnet3.Node;

/** Explains why rows cannot be computed, down to the inputs that are not supplied. */
final class Explain {
  /** Maximum number of rows explained; the others have similar reasons. */
  private static final int MOST_ROWS = 10;

  private static final int DEEPEST = 20;

  private final GraphBuilder graph;
  private final StringBuilder out = new StringBuilder();
  private final Set<Integer> explained = new HashSet<>();

  Explain(GraphBuilder graph) {
    this.graph = graph;
  }

  String rows(Ints missing) {
    for (int k = 0; k < Math.min(MOST_ROWS, missing.size()); k++) {
      row(missing.get(k), 1);
    }
    if (missing.size() > MOST_ROWS) {
      out.append("  and ").append(missing.size() - MOST_ROWS).append(" more\n");
    }
    return out.toString().stripTrailing();
  }

  private void row(int row, int depth) {
    out.append("  ".repeat(depth)).append(graph.name(row));
    Cindex c = graph.cindex(row);
    if (graph.node(c) instanceof Node.InputNode) {
      out.append(": not supplied\n");
      return;
    }
    if (c.index().t() == Index.NO_TIME) {
      out.append(": has no time\n");
      return;
    }
    if (!explained.add(row)) {
      out.append(": see above\n");
      return;
    }
    if (graph.node(c).descriptor() != null) {
      out.append(" = ").append(graph.node(c).descriptor());
    }
    out.append(" lacks\n");
    for (int read : graph.reads(row)) {
      if (!graph.isComputable(read)) {
        if (depth < DEEPEST) {
          row(read, depth + 1);
        } else {
          out.append("  ".repeat(depth + 1)).append("...\n");
          return;
        }
      }
    }
  }
}
