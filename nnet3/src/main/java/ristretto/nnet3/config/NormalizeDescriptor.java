package ristretto.nnet3.config;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Rewrites a descriptor into Kaldi's normal form: Append moves to the top, Offset, Round,
 * ReplaceIndex and one-case Switch move inside sums, Scale moves innermost, and a Sum has two
 * terms.
 *
 * <p>Kaldi refuses Scale of Switch, Failover, IfDefined and Const, sums inside a Switch, and Const
 * inside Offset, Round, ReplaceIndex or Switch. Here Scale moves inside those too, a Const absorbs
 * index changes, and a Switch keeps its sums. An Append whose number of parts differs from that of
 * its siblings stays in place.
 *
 * <p>As in Kaldi, for an Append inside Failover or IfDefined the choice is made per part.
 */
final class NormalizeDescriptor {
  private NormalizeDescriptor() {}

  static Descriptor apply(Descriptor d) {
    int terms = appendTerms(d);
    if (terms <= 1) {
      return reduce(terms == 1 ? appendTerm(d, 0) : d);
    }
    var parts = new ArrayList<Descriptor>();
    for (int i = 0; i < terms; i++) {
      parts.add(reduce(appendTerm(d, i)));
    }
    return new Descriptor.Append(parts);
  }

  /** Returns the number of parts after Append is moved to the top; 0 if it cannot be moved. */
  private static int appendTerms(Descriptor d) {
    List<Descriptor> children = d.children();
    if (children.isEmpty()) {
      return 1;
    }
    int sum = 0;
    int first = appendTerms(children.get(0));
    boolean equal = true;
    for (Descriptor child : children) {
      int terms = appendTerms(child);
      if (terms == 0) {
        return 0;
      }
      sum += terms;
      equal &= terms == first;
    }
    if (d instanceof Descriptor.Append) {
      return sum;
    }
    return equal ? first : 0;
  }

  private static Descriptor appendTerm(Descriptor d, int term) {
    if (d instanceof Descriptor.Append(var parts)) {
      int rest = term;
      for (Descriptor part : parts) {
        int terms = appendTerms(part);
        if (rest < terms) {
          return appendTerm(part, rest);
        }
        rest -= terms;
      }
    }
    return mapChildren(d, child -> appendTerm(child, term));
  }

  /** Returns a descriptor with each operand replaced. */
  static Descriptor mapChildren(Descriptor d, UnaryOperator<Descriptor> f) {
    return switch (d) {
      case Descriptor.Append(var parts) -> new Descriptor.Append(map(parts, f));
      case Descriptor.Sum(var terms) -> new Descriptor.Sum(map(terms, f));
      case Descriptor.Switch(var cases) -> new Descriptor.Switch(map(cases, f));
      case Descriptor.Failover(var first, var second) ->
          new Descriptor.Failover(f.apply(first), f.apply(second));
      case Descriptor.IfDefined(var inner) -> new Descriptor.IfDefined(f.apply(inner));
      case Descriptor.Offset(var inner, int t, int x) ->
          new Descriptor.Offset(f.apply(inner), t, x);
      case Descriptor.Round(var inner, int modulus) ->
          new Descriptor.Round(f.apply(inner), modulus);
      case Descriptor.ReplaceIndex(var inner, var variable, int value) ->
          new Descriptor.ReplaceIndex(f.apply(inner), variable, value);
      case Descriptor.Scale(float factor, var inner) ->
          new Descriptor.Scale(factor, f.apply(inner));
      case Descriptor.Source s -> s;
      case Descriptor.Const c -> c;
    };
  }

  private static List<Descriptor> map(List<Descriptor> all, UnaryOperator<Descriptor> f) {
    return all.stream().map(f).toList();
  }

  private static Descriptor reduce(Descriptor d) {
    Descriptor r = mapChildren(d, NormalizeDescriptor::reduce);
    return switch (r) {
      case Descriptor.Sum(var terms) -> sum(terms);
      case Descriptor.Scale(float factor, var inner) -> scale(factor, inner);
      case Descriptor.Offset(var inner, int t, int x) -> offset(inner, t, x);
      case Descriptor.Round(var inner, int modulus) ->
          moveInside(r, inner, i -> reduce(new Descriptor.Round(i, modulus)));
      case Descriptor.ReplaceIndex(var inner, var variable, int value) ->
          moveInside(r, inner, i -> reduce(new Descriptor.ReplaceIndex(i, variable, value)));
      case Descriptor.Switch(var cases) when cases.size() == 1 ->
          moveInside(r, cases.get(0), i -> reduce(new Descriptor.Switch(List.of(i))));
      case Descriptor.Source _,
          Descriptor.Append _,
          Descriptor.Failover _,
          Descriptor.IfDefined _,
          Descriptor.Switch _,
          Descriptor.Const _ ->
          r;
    };
  }

  private static Descriptor sum(List<Descriptor> terms) {
    Descriptor last = terms.get(terms.size() - 1);
    for (int i = terms.size() - 2; i >= 0; i--) {
      last = new Descriptor.Sum(List.of(terms.get(i), last));
    }
    return last;
  }

  private static Descriptor offset(Descriptor inner, int t, int x) {
    if (t == 0 && x == 0) {
      return inner;
    }
    if (inner instanceof Descriptor.Offset(var innermost, int t2, int x2)) {
      return offset(innermost, t + t2, x + x2);
    }
    return moveInside(new Descriptor.Offset(inner, t, x), inner, i -> offset(i, t, x));
  }

  /**
   * Moves an index change inside a sum, choice or Append; drops it at Const, which is equal in
   * every row.
   */
  private static Descriptor moveInside(
      Descriptor whole, Descriptor inner, UnaryOperator<Descriptor> move) {
    return switch (inner) {
      case Descriptor.Sum s -> mapChildren(s, move);
      case Descriptor.Failover f -> mapChildren(f, move);
      case Descriptor.IfDefined i -> mapChildren(i, move);
      case Descriptor.Append a -> mapChildren(a, move);
      case Descriptor.Const c -> c;
      case Descriptor.Source _,
          Descriptor.Offset _,
          Descriptor.Switch _,
          Descriptor.Round _,
          Descriptor.ReplaceIndex _,
          Descriptor.Scale _ ->
          whole;
    };
  }

  private static Descriptor scale(float factor, Descriptor inner) {
    return switch (inner) {
      case Descriptor.Source s -> factor == 1 ? s : new Descriptor.Scale(factor, s);
      case Descriptor.Scale(float factor2, var innermost) -> scale(factor * factor2, innermost);
      case Descriptor.Const(float value, int dim) -> new Descriptor.Const(factor * value + 0f, dim);
      case Descriptor.Append _,
          Descriptor.Sum _,
          Descriptor.Failover _,
          Descriptor.IfDefined _,
          Descriptor.Offset _,
          Descriptor.Switch _,
          Descriptor.Round _,
          Descriptor.ReplaceIndex _ ->
          mapChildren(inner, i -> scale(factor, i));
    };
  }
}
