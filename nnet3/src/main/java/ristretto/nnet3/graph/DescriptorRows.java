package ristretto.nnet3.graph;

import java.util.List;
import java.util.function.ObjIntConsumer;
import ristretto.nnet3.config.Descriptor;

/** Descriptor semantics (dependencies, computable and used rows) for sets of rows. */
final class DescriptorRows {
  private final List<RowSet> computable;

  /**
   * @param computable by node
   */
  DescriptorRows(List<RowSet> computable) {
    this.computable = computable;
  }

  /** Passes the rows of nodes on which {@code rows} may depend to {@code sink}. */
  static void dependencies(Descriptor d, RowSet rows, ObjIntConsumer<RowSet> sink) {
    switch (d) {
      case Descriptor.Source(int node, String _) -> sink.accept(rows, node);
      case Descriptor.Switch s -> {
        for (Descriptor each : s.cases().stream().distinct().toList()) {
          dependencies(each, at(s, each, rows), sink);
        }
      }
      case Descriptor.Append _,
          Descriptor.Sum _,
          Descriptor.Failover _,
          Descriptor.IfDefined _,
          Descriptor.Offset _,
          Descriptor.Round _,
          Descriptor.ReplaceIndex _,
          Descriptor.Scale _,
          Descriptor.Const _ -> {
        RowSet inside = inside(d, rows);
        d.children().forEach(child -> dependencies(child, inside, sink));
      }
    }
  }

  private static RowSet at(Descriptor.Switch s, Descriptor each, RowSet rows) {
    return rows.where(row -> s.at(row.t()).equals(each));
  }

  private static RowSet inside(Descriptor d, RowSet rows) {
    return switch (d) {
      case Descriptor.Offset(var _, int t, int x) -> rows.shifted(t, x);
      case Descriptor.Round _, Descriptor.ReplaceIndex _ -> rows.map(d::inside);
      case Descriptor.Source _,
          Descriptor.Append _,
          Descriptor.Sum _,
          Descriptor.Failover _,
          Descriptor.IfDefined _,
          Descriptor.Switch _,
          Descriptor.Scale _,
          Descriptor.Const _ ->
          rows;
    };
  }

  /** Returns the computable ones of {@code rows}. */
  RowSet computable(Descriptor d, RowSet rows) {
    return switch (d) {
      case Descriptor.Source(int node, String _) -> rows.and(computable.get(node));
      case Descriptor.Const _, Descriptor.IfDefined _ -> rows;
      case Descriptor.Offset(var inner, int t, int x) ->
          computable(inner, rows.shifted(t, x)).shifted(-t, -x);
      case Descriptor.Round _, Descriptor.ReplaceIndex _ -> {
        RowSet there = computable(d.children().get(0), rows.map(d::inside));
        yield rows.where(row -> there.contains(d.inside(row)));
      }
      case Descriptor.Switch s -> {
        var all = new RowSet();
        for (Descriptor each : s.cases().stream().distinct().toList()) {
          all.addAll(computable(each, at(s, each, rows)));
        }
        yield all;
      }
      case Descriptor.Failover(var first, var second) -> {
        var either = new RowSet();
        either.addAll(computable(first, rows));
        either.addAll(computable(second, rows));
        yield either;
      }
      case Descriptor.Append _, Descriptor.Sum _, Descriptor.Scale _ -> {
        RowSet all = rows;
        for (Descriptor child : d.children()) {
          all = computable(child, all);
        }
        yield all;
      }
    };
  }

  /** Passes the rows of nodes that the computable rows {@code rows} read to {@code sink}. */
  void used(Descriptor d, RowSet rows, ObjIntConsumer<RowSet> sink) {
    switch (d) {
      case Descriptor.Source(int node, String _) -> sink.accept(rows, node);
      case Descriptor.Switch s -> {
        for (Descriptor each : s.cases().stream().distinct().toList()) {
          used(each, at(s, each, rows), sink);
        }
      }
      case Descriptor.IfDefined(var inner) -> used(inner, computable(inner, rows), sink);
      case Descriptor.Failover(var first, var second) -> {
        RowSet taken = computable(first, rows);
        used(first, taken, sink);
        used(second, rows.without(taken), sink);
      }
      case Descriptor.Append _,
          Descriptor.Sum _,
          Descriptor.Offset _,
          Descriptor.Round _,
          Descriptor.ReplaceIndex _,
          Descriptor.Scale _,
          Descriptor.Const _ -> {
        RowSet inside = inside(d, rows);
        d.children().forEach(child -> used(child, inside, sink));
      }
    }
  }
}
