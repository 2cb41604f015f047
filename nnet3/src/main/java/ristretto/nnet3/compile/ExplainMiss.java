package ristretto.nnet3.compile;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.ComputationRequest.Io;
import ristretto.nnet3.Index;

/** Explains a cache miss by the difference to the nearest cached key. */
final class ExplainMiss {
  private final List<String> differences = new ArrayList<>();

  private ExplainMiss() {}

  static String of(CompileCache.Key wanted, Collection<CompileCache.Key> kept) {
    List<String> fewest = null;
    for (CompileCache.Key other : kept) {
      List<String> differences = between(wanted, other);
      // on a tie the most recently used key wins
      if (fewest == null || differences.size() <= fewest.size()) {
        fewest = differences;
      }
    }
    return fewest == null ? "the cache is empty" : "differs by " + String.join(", ", fewest);
  }

  private static List<String> between(CompileCache.Key a, CompileCache.Key b) {
    var explain = new ExplainMiss();
    explain.value("sequences", numbers(a.request()), numbers(b.request()));
    explain.nodes("input", a.request().inputs(), b.request().inputs());
    explain.nodes("output", a.request().outputs(), b.request().outputs());
    explain.value(
        "need-model-derivative",
        a.request().needModelDerivative(),
        b.request().needModelDerivative());
    explain.value(
        "store-component-stats",
        a.request().storeComponentStats(),
        b.request().storeComponentStats());
    a.rest().forEach((name, value) -> explain.value(name, value, b.rest().get(name)));
    return explain.differences;
  }

  private static String numbers(ComputationRequest request) {
    var all = new TreeSet<Integer>();
    for (List<Io> each : List.of(request.inputs(), request.outputs())) {
      each.forEach(io -> io.indexes().forEach(i -> all.add(i.n())));
    }
    return text(all);
  }

  private void value(String name, Object a, Object b) {
    if (!a.equals(b)) {
      differences.add("%s %s (not %s)".formatted(name, a, b));
    }
  }

  private void nodes(String kind, List<Io> here, List<Io> there) {
    Map<String, Io> others = new HashMap<>();
    there.forEach(io -> others.put(io.name(), io));
    for (Io io : here) {
      Io other = others.remove(io.name());
      String node = kind + " '" + io.name() + "'";
      if (other == null) {
        differences.add(node);
      } else if (!io.equals(other)) {
        int before = differences.size();
        value("times of " + node, distinct(io, Index::t), distinct(other, Index::t));
        value("x of " + node, distinct(io, Index::x), distinct(other, Index::x));
        value("derivative of " + node, io.hasDeriv(), other.hasDeriv());
        if (differences.size() == before && !withoutNumbers(io).equals(withoutNumbers(other))) {
          differences.add("rows or their order of " + node);
        }
      }
    }
    others.keySet().forEach(name -> differences.add("no %s '%s'".formatted(kind, name)));
    if (differences.isEmpty() && !here.equals(there)) {
      differences.add("order of %ss, or of their sequences".formatted(kind));
    }
  }

  /** Rows (t, x) in order of first appearance, without the sequence numbers. */
  private static List<Index> withoutNumbers(Io io) {
    var seen = new HashSet<Index>();
    var rows = new ArrayList<Index>();
    for (Index i : io.indexes()) {
      var place = new Index(0, i.t(), i.x());
      if (seen.add(place)) {
        rows.add(place);
      }
    }
    return rows;
  }

  private static String distinct(Io io, ToIntFunction<Index> of) {
    var all = new TreeSet<Integer>();
    io.indexes().forEach(i -> all.add(of.applyAsInt(i)));
    return text(all);
  }

  /** Formats times as a request does: first, end (exclusive) and step. */
  private static String text(TreeSet<Integer> all) {
    if (all.isEmpty()) {
      return "none";
    }
    if (all.first() == Index.NO_TIME) {
      return "without time";
    }
    int step = all.size() == 1 ? 1 : all.higher(all.first()) - all.first();
    int last = all.first() + (all.size() - 1) * step;
    String range = all.first() + ":" + (all.last() + 1);
    if (last != all.last()) {
      return range + " in part";
    }
    return step == 1 ? range : range + ":" + step;
  }
}
