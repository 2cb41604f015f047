package ristretto.nnet3.compile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.Descriptor;
import ristretto.nnet3.Index;
import ristretto.nnet3.Node;

/**
 * What a descriptor gathers for the rows of a step: columns side by side, each a constant plus a
 * sum over sources of a factor times rows of the source.
 *
 * @param parts the columns, from left to right
 */
record Gathered(List<Part> parts) {
  /**
   * Some columns.
   *
   * @param constants what is added, for each row; null for zeros
   * @param terms what is read
   */
  record Part(int dim, int rows, float[] constants, List<Term> terms) {}

  /**
   * Rows of a node, times a factor.
   *
   * @param node an input or component node
   * @param from the first of its columns
   * @param places for each row of the result a place among the node's rows, or -1 for zero
   */
  record Term(float scale, int node, int from, int dim, int[] places) {
    private boolean isFree(Term other) {
      boolean same =
          scale == other.scale && node == other.node && from == other.from && dim == other.dim;
      for (int k = 0; same && k < places.length; k++) {
        same = places[k] < 0 || other.places[k] < 0;
      }
      return same;
    }

    private Term with(Term other) {
      int[] both = places.clone();
      Arrays.setAll(both, k -> Math.max(places[k], other.places[k]));
      return new Term(scale, node, from, dim, both);
    }
  }

  static Gathered of(ComputationGraph graph, Steps steps, Descriptor descriptor, List<Index> rows) {
    var parts = new ArrayList<Part>();
    for (Descriptor part : descriptor.parts()) {
      parts.add(new Collector(graph, steps, graph.nnet().dim(part), rows.size()).of(part, rows));
    }
    return new Gathered(parts);
  }

  private static final class Collector {
    private final ComputationGraph graph;
    private final Steps steps;
    private final int dim;
    private final int size;
    private final List<Term> terms = new ArrayList<>();
    private float[] constants;

    Collector(ComputationGraph graph, Steps steps, int dim, int size) {
      this.graph = graph;
      this.steps = steps;
      this.dim = dim;
      this.size = size;
    }

    Part of(Descriptor d, List<Index> rows) {
      collect(d, rows.toArray(new Index[0]), 1);
      return new Part(dim, size, constants, terms);
    }

    /**
     * @param rows what is asked for; null where nothing is
     */
    private void collect(Descriptor d, Index[] rows, float scale) {
      switch (d) {
        case Descriptor.Source s -> add(s.node(), rows, scale);
        case Descriptor.Const(float value, int _) -> {
          constants = constants == null ? new float[size] : constants;
          for (int k = 0; k < size; k++) {
            constants[k] += rows[k] == null ? 0 : scale * value;
          }
        }
        case Descriptor.Scale(float factor, var inner) -> collect(inner, rows, scale * factor);
        case Descriptor.IfDefined(var inner) ->
            collect(inner, where(rows, k -> isComputable(inner, rows[k])), scale);
        case Descriptor.Failover(var first, var second) -> {
          collect(first, where(rows, k -> isComputable(first, rows[k])), scale);
          collect(second, where(rows, k -> !isComputable(first, rows[k])), scale);
        }
        case Descriptor.Switch s -> {
          for (Descriptor each : s.cases().stream().distinct().toList()) {
            collect(each, where(rows, k -> s.at(rows[k].t()).equals(each)), scale);
          }
        }
        default -> {
          var inside = new Index[size];
          Arrays.setAll(inside, k -> rows[k] == null ? null : d.inside(rows[k]));
          for (Descriptor child : d.children()) {
            collect(child, inside, scale);
          }
        }
      }
    }

    private static Index[] where(Index[] rows, IntPredicate holds) {
      var some = rows.clone();
      for (int k = 0; k < some.length; k++) {
        if (some[k] != null && !holds.test(k)) {
          some[k] = null;
        }
      }
      return some;
    }

    private boolean isComputable(Descriptor d, Index row) {
      return d.isComputable(row, graph::isAvailable);
    }

    private void add(int source, Index[] rows, float scale) {
      int node = source;
      int from = 0;
      while (graph.nnet().node(node) instanceof Node.DimRangeNode range) {
        from += range.dimOffset();
        node = range.source().node();
      }
      var places = new int[size];
      boolean some = false;
      for (int k = 0; k < size; k++) {
        places[k] = rows[k] == null ? -1 : place(node, rows[k]);
        some |= places[k] >= 0;
      }
      if (some) {
        merge(new Term(scale, node, from, dim, places));
      }
    }

    private int place(int node, Index row) {
      int place = steps.rows(node).find(row);
      if (place < 0) {
        throw new IllegalStateException("no step has " + new Cindex(node, row));
      }
      return place;
    }

    private void merge(Term term) {
      for (int k = 0; k < terms.size(); k++) {
        if (terms.get(k).isFree(term)) {
          terms.set(k, terms.get(k).with(term));
          return;
        }
      }
      terms.add(term);
    }
  }
}
