package ristretto.nnet3.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.Index;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.graph.ComputationGraph;

/**
 * Result of a descriptor for the rows of a step: parts side by side, each a constant plus a sum
 * over sources of a factor times rows of the source. Aliases (see {@link Aliases}) are replaced by
 * their sources.
 *
 * @param parts columns, from left to right
 */
public record GatherPlan(List<Part> parts) {
  /**
   * Range of columns.
   *
   * @param top number of the descriptor part to which the columns belong
   * @param from first column
   * @param constants constant of each row; null for zeros
   * @param terms sources to add
   */
  public record Part(int top, int from, int dim, float[] constants, List<Term> terms) {}

  /**
   * Rows of a node, times a factor.
   *
   * @param at first column within the part
   * @param node an input or component node
   * @param from first column of the node
   * @param places for each row of the result its position among the node's rows, or -1 for zero
   */
  public record Term(int at, float scale, int node, int from, int dim, int[] places) {
    private boolean isFree(Term other) {
      boolean same =
          at == other.at
              && scale == other.scale
              && node == other.node
              && from == other.from
              && dim == other.dim;
      for (int k = 0; same && k < places.length; k++) {
        same = places[k] < 0 || other.places[k] < 0;
      }
      return same;
    }

    private Term where(Reads reads) {
      int[] some = places.clone();
      Arrays.setAll(some, k -> places[k] >= 0 && reads.test(k, this) ? places[k] : -1);
      return new Term(at, scale, node, from, dim, some);
    }

    private Term with(Term other) {
      int[] both = places.clone();
      Arrays.setAll(both, k -> Math.max(places[k], other.places[k]));
      return new Term(at, scale, node, from, dim, both);
    }
  }

  public static GatherPlan of(
      ComputationGraph graph, Steps steps, Aliases aliases, Descriptor d, List<Index> rows) {
    var parts = new ArrayList<Part>();
    int top = 0;
    int from = 0;
    for (Descriptor part : d.parts()) {
      int dim = steps.dim(part);
      var collector = new Collector(graph, steps, aliases, rows.size());
      collector.collect(part, rows.toArray(new Index[0]), 1, 0, dim, 0);
      collector.cut(top++, from, dim, parts);
      from += dim;
    }
    return new GatherPlan(parts);
  }

  /** Filter on the rows that a term reads. */
  @FunctionalInterface
  interface Reads {
    boolean test(int row, Term term);
  }

  /** Returns a copy without the rows that the filter rejects. */
  GatherPlan where(Reads reads) {
    return new GatherPlan(
        parts.stream()
            .map(part ->
                new Part(
                    part.top,
                    part.from,
                    part.dim,
                    part.constants,
                    part.terms.stream().map(term -> term.where(reads)).toList()))
            .toList());
  }

  /** Constant for a range of columns, one value per row. */
  private record Constant(int at, int dim, float[] values) {}

  private static final class Collector {
    private final ComputationGraph graph;
    private final Steps steps;
    private final Aliases aliases;
    private final int size;
    private final List<Term> terms = new ArrayList<>();
    private final List<Constant> constants = new ArrayList<>();

    Collector(ComputationGraph graph, Steps steps, Aliases aliases, int size) {
      this.graph = graph;
      this.steps = steps;
      this.aliases = aliases;
      this.size = size;
    }

    /**
     * Collects the terms and constants of a descriptor.
     *
     * @param rows requested rows; null where nothing is requested
     * @param from first requested column of the descriptor's result
     * @param to end of the requested columns
     * @param at first column in the target
     */
    void collect(Descriptor d, Index[] rows, float scale, int from, int to, int at) {
      switch (d) {
        case Descriptor.Source s -> node(s.node(), rows, scale, from, to, at);
        case Descriptor.Const(float value, int _) -> {
          var values = new float[size];
          for (int k = 0; k < size; k++) {
            values[k] = rows[k] == null ? 0 : scale * value;
          }
          constants.add(new Constant(at, to - from, values));
        }
        case Descriptor.Scale(float factor, var inner) ->
            collect(inner, rows, scale * factor, from, to, at);
        case Descriptor.IfDefined(var inner) ->
            collect(inner, where(rows, k -> isComputable(inner, rows[k])), scale, from, to, at);
        case Descriptor.Failover(var first, var second) -> {
          var taken = where(rows, k -> isComputable(first, rows[k]));
          collect(first, taken, scale, from, to, at);
          collect(second, where(rows, k -> taken[k] == null), scale, from, to, at);
        }
        case Descriptor.Switch s -> {
          for (Descriptor each : s.cases().stream().distinct().toList()) {
            var mine = where(rows, k -> s.at(rows[k].t()).equals(each));
            collect(each, mine, scale, from, to, at);
          }
        }
        case Descriptor.Append _,
            Descriptor.Sum _,
            Descriptor.Offset _,
            Descriptor.Round _,
            Descriptor.ReplaceIndex _ -> {
          var inside = new Index[size];
          Arrays.setAll(inside, k -> rows[k] == null ? null : d.inside(rows[k]));
          for (Descriptor child : d.children()) {
            collect(child, inside, scale, from, to, at);
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

    private void node(int node, Index[] rows, float scale, int from, int to, int at) {
      if (graph.nnet().node(node) instanceof Node.DimRangeNode range) {
        int offset = range.dimOffset();
        node(range.source().node(), rows, scale, from + offset, to + offset, at);
        return;
      }
      if (aliases.isAlias(node)) {
        int first = 0;
        for (Descriptor part : graph.nnet().node(node).descriptor().parts()) {
          int end = first + graph.nnet().dim(part);
          int lo = Math.max(first, from);
          int hi = Math.min(end, to);
          if (lo < hi) {
            collect(
                part, rows, scale * aliases.factor(node), lo - first, hi - first, at + lo - from);
          }
          first = end;
        }
        return;
      }
      var places = new int[size];
      boolean some = false;
      for (int k = 0; k < size; k++) {
        places[k] = rows[k] == null ? -1 : place(node, rows[k]);
        some |= places[k] >= 0;
      }
      if (some) {
        merge(new Term(at, scale, node, from, to - from, places));
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

    /**
     * Cuts the columns where terms or constants begin and end, and adds the parts to {@code to}.
     */
    void cut(int top, int from, int dim, List<Part> to) {
      if (terms.stream().allMatch(t -> t.dim == dim)
          && constants.stream().allMatch(c -> c.dim == dim)) {
        to.add(part(top, from, 0, dim));
        return;
      }
      var cuts = new TreeSet<Integer>(List.of(0, dim));
      for (Term t : terms) {
        cuts.add(t.at);
        cuts.add(t.at + t.dim);
      }
      for (Constant c : constants) {
        cuts.add(c.at);
        cuts.add(c.at + c.dim);
      }
      for (int lo = 0; lo < dim; lo = cuts.higher(lo)) {
        to.add(part(top, from, lo, cuts.higher(lo)));
      }
    }

    private Part part(int top, int from, int lo, int hi) {
      var here = new ArrayList<Term>();
      for (Term t : terms) {
        if (t.at <= lo && hi <= t.at + t.dim) {
          here.add(new Term(0, t.scale, t.node, t.from + lo - t.at, hi - lo, t.places));
        }
      }
      float[] sum = null;
      for (Constant c : constants) {
        if (c.at <= lo && hi <= c.at + c.dim) {
          float[] before = sum == null ? new float[size] : sum;
          sum = new float[size];
          for (int k = 0; k < size; k++) {
            sum[k] = before[k] + c.values[k];
          }
        }
      }
      return new Part(top, from + lo, hi - lo, sum, here);
    }
  }
}
