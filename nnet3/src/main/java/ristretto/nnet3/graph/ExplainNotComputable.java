package ristretto.nnet3.graph;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.Component;
import ristretto.nnet3.Index;
import ristretto.nnet3.config.Node;

/** Explains why rows cannot be computed, down to the inputs that are not supplied. */
final class ExplainNotComputable {
  /** Maximum number of rows explained; the others have similar reasons. */
  private static final int MOST_ROWS = 10;

  private static final int DEEPEST = 20;

  private final ComputationGraph graph;
  private final StringBuilder out = new StringBuilder();
  private final Set<Cindex> explained = new HashSet<>();

  ExplainNotComputable(ComputationGraph graph) {
    this.graph = graph;
  }

  String rows(List<Cindex> missing) {
    for (int k = 0; k < Math.min(MOST_ROWS, missing.size()); k++) {
      row(missing.get(k), 1);
    }
    if (missing.size() > MOST_ROWS) {
      out.append("  and ").append(missing.size() - MOST_ROWS).append(" more\n");
    }
    return out.toString().stripTrailing();
  }

  private void row(Cindex row, int depth) {
    out.append("  ".repeat(depth)).append(name(row));
    Node node = node(row);
    if (node instanceof Node.InputNode) {
      out.append(": not supplied\n");
      return;
    }
    if (row.index().t() == Index.NO_TIME) {
      out.append(": has no time\n");
      return;
    }
    if (!explained.add(row)) {
      out.append(": see above\n");
      return;
    }
    if (node.descriptor() != null) {
      out.append(" = ").append(node.descriptor());
    }
    out.append(" lacks\n");
    for (Cindex read : dependencies(row)) {
      if (!graph.isAvailable(read)) {
        if (depth < DEEPEST) {
          row(read, depth + 1);
        } else {
          out.append("  ".repeat(depth + 1)).append("...\n");
          return;
        }
      }
    }
  }

  private Node node(Cindex row) {
    return graph.nnet().node(row.node() % graph.nodeCount());
  }

  /** Name of a row in messages: {@code affine1(0, 3, 0)}. */
  private String name(Cindex row) {
    boolean isInput = row.node() >= graph.nodeCount();
    Node node = node(row);
    return (isInput ? ((Node.ComponentNode) node).inputName() : node.name()) + row.index();
  }

  /** Rows on which a row may depend. */
  private Set<Cindex> dependencies(Cindex row) {
    var all = new LinkedHashSet<Cindex>();
    switch (node(row)) {
      case Node.InputNode _ -> {}
      case Node.DimRangeNode n -> all.add(new Cindex(n.source().node(), row.index()));
      case Node.OutputNode n -> n.input().dependencies(row.index(), all::add);
      case Node.ComponentNode n -> {
        Component component = graph.nnet().component(n);
        if (component.isSimple() || row.node() >= graph.nodeCount()) {
          n.input().dependencies(row.index(), all::add);
        } else {
          int inputs = row.node() + graph.nodeCount();
          component.inputIndexes(row.index()).forEach(i -> all.add(new Cindex(inputs, i)));
        }
      }
    }
    return all;
  }
}
