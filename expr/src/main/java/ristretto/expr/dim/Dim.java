package ristretto.expr.dim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Dimension that may be unknown: a polynomial with rational coefficients over {@link Atom}s, such
 * as {@code 8 n t + 3}. Powers of atoms may be negative: {@code n t / n} is {@code t}. Polynomials
 * are canonical, so that equal ones are equal for every value of their atoms. Immutable.
 */
public final class Dim {
  /** Integer that a polynomial treats as a variable. */
  public sealed interface Atom {
    /** Unknown dimension, at least 0. */
    record Symbol(int number) implements Atom {}

    /** {@code max(of, 0)}. */
    record Positive(Dim of) implements Atom {}

    /** {@code of / by}, rounded down. */
    record Floor(Dim of, long by) implements Atom {}

    /** {@code of / by}, which is an integer. */
    record Quotient(Dim of, Dim by) implements Atom {}

    /** Broadcast of two dimensions, of which one is 1 or both are equal. */
    record Broadcast(Dim a, Dim b) implements Atom {}
  }

  /** Reduced fraction with a positive denominator. */
  private record Fraction(long over, long under) {
    static Fraction of(long over, long under) {
      if (under == 0) {
        throw new ArithmeticException("no quotient by 0");
      }
      long common = under < 0 ? -gcd(over, under) : gcd(over, under);
      return new Fraction(over / common, under / common);
    }

    Fraction plus(Fraction b) {
      return of(
          Math.addExact(Math.multiplyExact(over, b.under), Math.multiplyExact(b.over, under)),
          Math.multiplyExact(under, b.under));
    }

    Fraction times(Fraction b) {
      return of(Math.multiplyExact(over, b.over), Math.multiplyExact(under, b.under));
    }

    Fraction inverse() {
      return of(under, over);
    }

    long whole() {
      if (under != 1) {
        throw new ArithmeticException("no integer: " + this);
      }
      return over;
    }
  }

  /** Least and greatest value, infinite if there is none. */
  private record Range(double low, double high) {
    static final Range NATURAL = new Range(0, Double.POSITIVE_INFINITY);
    static final Range ALL = new Range(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);

    Range plus(Range b) {
      return new Range(low + b.low, high + b.high);
    }

    Range and(Range b) {
      return new Range(Math.max(low, b.low), Math.min(high, b.high));
    }

    Range or(Range b) {
      return new Range(Math.min(low, b.low), Math.max(high, b.high));
    }

    Range times(double k) {
      double a = k == 0 ? 0 : low * k;
      double b = k == 0 ? 0 : high * k;
      return new Range(Math.min(a, b), Math.max(a, b));
    }

    /** Returns the range of products of two ranges; of natural numbers if both are. */
    Range times(Range b) {
      return low >= 0 && b.low >= 0
          ? new Range(low * b.low, high == 0 || b.high == 0 ? 0 : high * b.high)
          : ALL;
    }
  }

  private static final Map<Atom, Integer> ONE = Map.of();
  private static final Map<Map<Atom, Integer>, Fraction> UNIT = Map.of(ONE, new Fraction(1, 1));

  /** Coefficients of products of powers; none is 0. */
  private final Map<Map<Atom, Integer>, Fraction> terms;

  private final int hash;

  private Dim(Map<Map<Atom, Integer>, Fraction> terms) {
    this.terms = terms;
    this.hash = terms.hashCode();
  }

  /** Returns a known dimension, or another known integer. */
  public static Dim of(long value) {
    return new Dim(value == 0 ? Map.of() : Map.of(ONE, new Fraction(value, 1)));
  }

  /** Returns the dimension that an atom is. */
  public static Dim of(Atom atom) {
    return new Dim(Map.of(Map.of(atom, 1), new Fraction(1, 1)));
  }

  private static long gcd(long a, long b) {
    return b == 0 ? Math.abs(a) : gcd(b, a % b);
  }

  /** Returns the value if it is known. */
  public OptionalLong known() {
    if (terms.isEmpty()) {
      return OptionalLong.of(0);
    }
    Fraction one = terms.get(ONE);
    return terms.size() == 1 && one != null && one.under == 1
        ? OptionalLong.of(one.over)
        : OptionalLong.empty();
  }

  // Arithmetic

  /** Returns the sum. */
  public Dim plus(Dim b) {
    var sum = new LinkedHashMap<>(terms);
    b.terms.forEach((product, k) -> add(sum, product, k));
    return new Dim(Collections.unmodifiableMap(sum));
  }

  private static void add(
      Map<Map<Atom, Integer>, Fraction> sum, Map<Atom, Integer> product, Fraction k) {
    sum.merge(
        product,
        k,
        (a, b) -> {
          Fraction both = a.plus(b);
          return both.over == 0 ? null : both;
        });
  }

  /** Returns the difference. */
  public Dim minus(Dim b) {
    return plus(b.times(of(-1)));
  }

  /** Returns the product. */
  public Dim times(Dim b) {
    if (isOne() || b.isOne()) {
      return isOne() ? b : this;
    }
    var sum = new LinkedHashMap<Map<Atom, Integer>, Fraction>();
    terms.forEach((p, k) -> b.terms.forEach((q, l) -> add(sum, product(p, q, 1), k.times(l))));
    return new Dim(Collections.unmodifiableMap(sum));
  }

  private boolean isOne() {
    return terms.equals(UNIT);
  }

  /** Returns {@code p * q^power}. */
  private static Map<Atom, Integer> product(Map<Atom, Integer> p, Map<Atom, Integer> q, int power) {
    var product = new LinkedHashMap<>(p);
    q.forEach((atom, n) ->
        product.merge(atom, n * power, (a, b) -> a + b == 0 ? null : Integer.valueOf(a + b)));
    return Collections.unmodifiableMap(product);
  }

  /** Returns the quotient of a division without rest; {@code b} is not 0. */
  Dim over(Dim b) {
    var first = b.terms.entrySet().iterator().next();
    var reciprocal = new Dim(Map.of(product(ONE, first.getKey(), -1), first.getValue().inverse()));
    if (b.terms.size() == 1 || terms.isEmpty()) {
      return times(reciprocal);
    }
    for (var term : terms.entrySet()) {
      Dim factor = new Dim(Map.of(term.getKey(), term.getValue())).times(reciprocal);
      if (b.times(factor).equals(this)) {
        return factor;
      }
    }
    return of(new Atom.Quotient(this, b));
  }

  /** Returns the quotient rounded down. */
  Dim floor(long by) {
    if (by == 1) {
      return this;
    }
    var whole = new LinkedHashMap<Map<Atom, Integer>, Fraction>();
    var rest = new LinkedHashMap<Map<Atom, Integer>, Fraction>();
    for (var term : terms.entrySet()) {
      Map<Atom, Integer> product = term.getKey();
      Fraction k = term.getValue();
      long times = k.under == 1 ? Math.floorDiv(k.over, by) : 0;
      boolean splits = product.equals(ONE) || k.over == times * by;
      Fraction left = splits ? k.plus(new Fraction(-times * by, 1)) : k;
      if (times != 0 && splits) {
        whole.put(product, new Fraction(times, 1));
      }
      if (left.over != 0) {
        rest.put(product, left);
      }
    }
    var exact = new Dim(Collections.unmodifiableMap(whole));
    var more = new Dim(Collections.unmodifiableMap(rest));
    OptionalLong known = more.known();
    return exact.plus(
        known.isPresent()
            ? of(Math.floorDiv(known.getAsLong(), by))
            : of(new Atom.Floor(more, by)));
  }

  /** Returns {@code max(this, 0)}. */
  public Dim positive() {
    Range range = range();
    if (range.low >= 0 || range.high <= 0) {
      return range.low >= 0 ? this : of(0);
    }
    // max(a, 0) - max(-a, 0) = a leaves one of both
    boolean first =
        terms.entrySet().stream()
                .filter(term -> !term.getKey().equals(ONE))
                .findFirst()
                .orElseThrow()
                .getValue()
                .over
            > 0;
    Dim other = times(of(-1));
    return first ? of(new Atom.Positive(this)) : plus(of(new Atom.Positive(other)));
  }

  /** Returns the smaller one. */
  public Dim min(Dim b) {
    return minus(minus(b).positive());
  }

  /** Returns true unless the dimensions differ for all values of their atoms. */
  boolean canEqual(Dim b) {
    Dim difference = minus(b);
    Range range = difference.range();
    long common = 0;
    long constant = 0;
    for (var term : difference.terms.entrySet()) {
      Fraction k = term.getValue();
      if (k.under != 1 || term.getKey().values().stream().anyMatch(power -> power < 0)) {
        return range.low <= 0 && range.high >= 0;
      }
      if (term.getKey().equals(ONE)) {
        constant = k.over;
      } else {
        common = gcd(common, k.over);
      }
    }
    boolean divides = common == 0 ? constant == 0 : constant % common == 0;
    return divides && range.low <= 0 && range.high >= 0;
  }

  /** Returns bounds of the value; a positive part counts as each of its two values. */
  private Range range() {
    Range range = termwise();
    for (Atom atom : atoms()) {
      if (atom instanceof Atom.Positive p && linear(p)) {
        return range.and(with(p, of(0)).range().or(with(p, p.of).range()));
      }
    }
    return range;
  }

  /** Returns the atoms of all terms. */
  public Set<Atom> atoms() {
    return terms.keySet().stream()
        .flatMap(product -> product.keySet().stream())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private boolean linear(Atom atom) {
    return terms.keySet().stream().allMatch(product -> product.getOrDefault(atom, 1) == 1);
  }

  /** Returns this polynomial with a value in place of an atom, in which it is linear. */
  private Dim with(Atom atom, Dim value) {
    Dim sum = of(0);
    for (var term : terms.entrySet()) {
      var rest = new LinkedHashMap<>(term.getKey());
      boolean has = rest.remove(atom) != null;
      Dim factor = new Dim(Map.of(Collections.unmodifiableMap(rest), term.getValue()));
      sum = sum.plus(has ? factor.times(value) : factor);
    }
    return sum;
  }

  private Range termwise() {
    var range = new Range(0, 0);
    for (var term : terms.entrySet()) {
      var product = new Range(1, 1);
      for (var power : term.getKey().entrySet()) {
        Range one = power.getValue() < 0 ? Range.NATURAL : range(power.getKey());
        for (int k = 0; k < Math.abs(power.getValue()); k++) {
          product = product.times(one);
        }
      }
      Fraction k = term.getValue();
      range = range.plus(product.times((double) k.over / k.under));
    }
    return range;
  }

  private static Range range(Atom atom) {
    return switch (atom) {
      case Atom.Symbol _, Atom.Quotient _, Atom.Broadcast _ -> Range.NATURAL;
      case Atom.Positive p -> new Range(0, Math.max(0, p.of.range().high));
      case Atom.Floor f ->
          new Range(Math.floor(f.of.range().low / f.by), Math.floor(f.of.range().high / f.by));
    };
  }

  // Solving and evaluation

  /**
   * Returns a symbol that must have a certain value for this to be 0, and that value; empty if no
   * symbol occurs only once, with a coefficient of 1 or -1.
   */
  Optional<Map.Entry<Atom.Symbol, Dim>> solved() {
    for (var term : terms.entrySet()) {
      Fraction k = term.getValue();
      if (k.under == 1
          && Math.abs(k.over) == 1
          && term.getKey().size() == 1
          && term.getKey().entrySet().iterator().next() instanceof Map.Entry<Atom, Integer> power
          && power.getValue() == 1
          && power.getKey() instanceof Atom.Symbol symbol) {
        Dim rest = minus(of(symbol).times(of(k.over)));
        boolean later = rest.symbols().stream().allMatch(s -> s.number < symbol.number);
        if (later && rest.range().high * -k.over >= 0) {
          return Optional.of(Map.entry(symbol, rest.times(of(-k.over))));
        }
      }
    }
    return Optional.empty();
  }

  /** Returns the symbols that occur here, also within other atoms. */
  public Set<Atom.Symbol> symbols() {
    return atoms().stream()
        .flatMap(atom ->
            switch (atom) {
              case Atom.Symbol s -> Stream.of(s);
              case Atom.Positive p -> p.of.symbols().stream();
              case Atom.Floor f -> f.of.symbols().stream();
              case Atom.Quotient q -> Stream.of(q.of, q.by).flatMap(d -> d.symbols().stream());
              case Atom.Broadcast b -> Stream.of(b.a, b.b).flatMap(d -> d.symbols().stream());
            })
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /**
   * Returns the value for given values of the symbols.
   *
   * @throws ArithmeticException if the value is no integer, or too large
   */
  public long at(ToLongFunction<Atom.Symbol> values) {
    var sum = new Fraction(0, 1);
    for (var term : terms.entrySet()) {
      Fraction product = term.getValue();
      for (var power : term.getKey().entrySet()) {
        var factor = new Fraction(at(power.getKey(), values), 1);
        for (int k = 0; k < Math.abs(power.getValue()); k++) {
          product = product.times(power.getValue() < 0 ? factor.inverse() : factor);
        }
      }
      sum = sum.plus(product);
    }
    return sum.whole();
  }

  private static long at(Atom atom, ToLongFunction<Atom.Symbol> values) {
    return switch (atom) {
      case Atom.Symbol s -> values.applyAsLong(s);
      case Atom.Positive p -> Math.max(p.of.at(values), 0);
      case Atom.Floor f -> Math.floorDiv(f.of.at(values), f.by);
      case Atom.Quotient q -> Fraction.of(q.of.at(values), q.by.at(values)).whole();
      case Atom.Broadcast b -> b.a.at(values) == 1 ? b.b.at(values) : b.a.at(values);
    };
  }

  // Structure

  /** Product of a factor and positive powers of atoms. */
  public record Term(long factor, Map<Atom, Integer> powers) {
    /** Returns true for 1. */
    public boolean isOne() {
      return factor == 1 && powers.isEmpty();
    }
  }

  /** Numerator and denominator: sums of terms. */
  public record Ratio(List<Term> over, Term under) {}

  /** Returns this polynomial as one quotient of integers. */
  public Ratio ratio() {
    long under = 1;
    var powers = new LinkedHashMap<Atom, Integer>();
    for (var term : terms.entrySet()) {
      long by = term.getValue().under;
      under = under / gcd(under, by) * by;
      term.getKey()
          .forEach((atom, n) -> {
            if (n < 0) {
              powers.merge(atom, -n, Math::max);
            }
          });
    }
    var over = new ArrayList<Term>();
    for (var term : terms.entrySet()) {
      Fraction k = term.getValue();
      over.add(new Term(under / k.under * k.over, product(term.getKey(), powers, 1)));
    }
    return new Ratio(List.copyOf(over), new Term(under, Collections.unmodifiableMap(powers)));
  }

  @Override
  public boolean equals(Object o) {
    return this == o || o instanceof Dim d && hash == d.hash && terms.equals(d.terms);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
