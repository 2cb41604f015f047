package ristretto.symbolic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import ristretto.expr.Shape;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;

/**
 * Shape inference of a formula by trying numbers in place of unknown dimensions. A dimension of the
 * result is known if it is constant over all trials that fit: unknown dimensions vary one by one,
 * or together where the formula requires them equal, over small, large, prime and highly divisible
 * numbers. Every other dimension is unknown.
 */
final class Shapes {
  /** Axis of unknown dimension. */
  private record Axis(int input, int number) {}

  /** Largest number of axes to try as a group of equal dimensions, independent of the others. */
  private static final int MOST_EQUAL = 3;

  /** Largest number of combinations to try if no single number fits all axes. */
  private static final int MOST_COMBINATIONS = 512;

  /** Largest small dimension to try, as formulas may require divisors of known dimensions. */
  private static final int SMALL = 64;

  /** Numbers divisible by most divisors that a formula may use. */
  private static final long[] DIVISIBLE = {55_440, 403_200, 3_603_600};

  /** Dimensions below and above common sizes of slices and windows. */
  private static final long[] LADDER = {
    1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 7919
  };

  /** Smallest dimensions, and one that is larger than common slices and windows. */
  private static final long[] LEAST = {1, 2, 3, 7919};

  private static final long[] PRIMES = {
    1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049, 1051, 1061, 1063, 1069, 1087, 1091, 1093, 1097
  };

  private final String name;
  private final Formula<?> formula;
  private final List<? extends Variable<?>> inputs;
  private final List<Axis> axes = new ArrayList<>();
  private final Set<Long> known = new TreeSet<>();
  private final Set<Operator> crossed = new LinkedHashSet<>();
  private final Map<List<Long>, Boolean> tried = new HashMap<>();
  private ShapeException failure;
  private Dims agreed;

  Shapes(String name, Formula<?> formula, List<? extends Variable<?>> inputs) {
    this.name = name;
    this.formula = formula;
    this.inputs = inputs;
    for (int k = 0; k < inputs.size(); k++) {
      Dims dims = inputs.get(k).dims();
      for (int d = 0; d < dims.rank(); d++) {
        if (dims.at(d) == Dims.UNKNOWN) {
          axes.add(new Axis(k, d));
        } else {
          known.add(dims.at(d));
        }
      }
    }
  }

  /**
   * Returns the operators across which the formula takes gradients, as found by the trials so far.
   */
  Set<Operator> crossed() {
    return crossed;
  }

  /**
   * Infers the shape of the result.
   *
   * @throws ShapeException if no tried dimensions fit the formula
   */
  Dims infer() {
    long[] base = new long[axes.size()];
    for (int k = 0; k < base.length; k++) {
      base[k] = prime(k);
    }
    if (fits(base)) {
      var alone = new ArrayList<List<Integer>>();
      for (int k = 0; k < base.length; k++) {
        alone.add(List.of(k));
      }
      vary(base, alone);
    } else {
      base = anyThatFits();
      vary(base, groups(base));
    }
    return agreed;
  }

  private static long prime(int k) {
    return PRIMES[k % PRIMES.length];
  }

  /** Returns dimensions that fit: one number for all axes if possible. */
  private long[] anyThatFits() {
    failure = null;
    tried.clear();
    long[] base = new long[axes.size()];
    var numbers = new LinkedHashSet<Long>(List.of(PRIMES[0]));
    LongStream.of(DIVISIBLE).forEach(numbers::add);
    numbers.addAll(known);
    LongStream.rangeClosed(1, SMALL).forEach(numbers::add);
    for (long number : numbers) {
      Arrays.fill(base, number);
      if (fits(base)) {
        return base;
      }
    }
    return combinations(base).stream().filter(this::fits).findFirst().orElseThrow(() -> failure);
  }

  /**
   * Returns all combinations of known dimensions, 1 and a prime over the axes; none if there are
   * too many.
   */
  private List<long[]> combinations(long[] base) {
    var few = new LinkedHashSet<>(known);
    few.addAll(List.of(1L, PRIMES[0]));
    List<long[]> all = List.of(base);
    for (int axis = 0; axis < base.length && !all.isEmpty(); axis++) {
      var more = new ArrayList<long[]>();
      for (long[] extents : all) {
        for (long number : few) {
          more.add(with(extents, List.of(axis), number));
        }
      }
      all = more.size() > MOST_COMBINATIONS ? List.of() : more;
    }
    return all;
  }

  /**
   * Groups axes that vary independently, each on their own or as several equal axes; the remaining
   * axes form the last group.
   */
  private List<List<Integer>> groups(long[] base) {
    var groups = new ArrayList<List<Integer>>();
    var rest = new ArrayList<Integer>();
    for (int k = 0; k < base.length; k++) {
      rest.add(k);
    }
    for (int size = 1; size <= MOST_EQUAL && size < base.length; size++) {
      for (List<Integer> some : subsets(List.copyOf(rest), size)) {
        if (rest.containsAll(some) && freely(base, some)) {
          groups.add(some);
          rest.removeAll(some);
        }
      }
    }
    if (!rest.isEmpty()) {
      groups.add(rest);
    }
    return groups;
  }

  private boolean freely(long[] base, List<Integer> axes) {
    return fits(with(base, axes, prime(axes.get(0) + 1)))
        || fits(with(base, axes, DIVISIBLE[0] * 13));
  }

  private static List<List<Integer>> subsets(List<Integer> of, int size) {
    if (size == 0) {
      return List.of(List.of());
    }
    var all = new ArrayList<List<Integer>>();
    for (int k = 0; k + size <= of.size(); k++) {
      for (List<Integer> more : subsets(of.subList(k + 1, of.size()), size - 1)) {
        var one = new ArrayList<>(List.of(of.get(k)));
        one.addAll(more);
        all.add(one);
      }
    }
    return all;
  }

  private static long[] with(long[] base, List<Integer> axes, long number) {
    long[] other = base.clone();
    axes.forEach(k -> other[k] = number);
    return other;
  }

  /** Tries other numbers for each group, and for all groups at once. */
  private void vary(long[] base, List<List<Integer>> groups) {
    boolean free = LongStream.of(base).allMatch(n -> n >= PRIMES[0]);
    long[] ones = base.clone();
    Arrays.fill(ones, 1);
    boolean small = free && groups.size() == 1 && takesLeast(base, groups.get(0));
    Set<Long> numbers = numbers(small, free);
    for (List<Integer> group : groups) {
      long own = base[group.get(0)];
      boolean varies = small || known.contains(own);
      for (long number : numbers) {
        varies |= number != own && fits(with(base, group, number));
        if (groups.size() > 1) {
          fits(with(ones, group, number));
        }
      }
      if (!varies) {
        // A single number that fits does not show that the result is independent of it.
        agreed = agreed.unknown();
      }
    }
    for (long number : numbers) {
      long[] all = base.clone();
      for (int g = 0; g < groups.size(); g++) {
        for (int k : groups.get(g)) {
          all[k] = number + g;
        }
      }
      if (groups.size() > 1) {
        fits(all);
      }
    }
    if (groups.size() < base.length || !free) {
      combinations(base).forEach(this::fits);
    }
  }

  private boolean takesLeast(long[] base, List<Integer> group) {
    return LongStream.of(LEAST).allMatch(n -> fits(with(base, group, n)));
  }

  /**
   * Returns the numbers to try. Slices and the like change their result at small dimensions: if a
   * formula of one unknown dimension accepts the smallest ones, numbers in between add nothing.
   *
   * @param small true if the smallest numbers fit
   * @param free true if any number may fit
   */
  private Set<Long> numbers(boolean small, boolean free) {
    var numbers = new LinkedHashSet<Long>();
    LongStream.of(small ? LEAST : LADDER).forEach(numbers::add);
    LongStream.of(DIVISIBLE).limit(small ? 1 : DIVISIBLE.length).forEach(n -> numbers.add(n * 13));
    numbers.addAll(known);
    if (!free) {
      LongStream.rangeClosed(1, SMALL).forEach(numbers::add);
    }
    return numbers;
  }

  /**
   * Returns true if the formula accepts these dimensions; merges the shape of the result into the
   * inferred one.
   */
  private boolean fits(long[] extents) {
    return tried.computeIfAbsent(LongStream.of(extents).boxed().toList(), _ -> tryOut(extents));
  }

  private boolean tryOut(long[] extents) {
    try {
      Probe probe = probe(true, extents);
      if (probe.asked()) {
        probe(false, extents);
      }
      return true;
    } catch (RistrettoException e) {
      failure = failure == null ? failure(e, extents) : failure;
      return false;
    }
  }

  private Probe probe(boolean training, long[] extents) {
    var probe = new Probe(training);
    for (int k = 0; k < inputs.size(); k++) {
      int input = k;
      long[] dims = inputs.get(k).dims().with(0).toArray();
      for (int a = 0; a < extents.length; a++) {
        if (axes.get(a).input == input) {
          dims[axes.get(a).number] = extents[a];
        }
      }
      probe.put(inputs.get(k), Shape.of(dims));
    }
    Shape shape = formula.of(probe).shape();
    crossed.addAll(probe.crossed());
    // A result of another rank is ignored: a formula that drops axes of size 1 yields fewer axes
    // for batch size 1.
    if (agreed == null) {
      agreed = Dims.of(shape.toArray());
    } else if (agreed.rank() == shape.rank()) {
      agreed = agreed.common(shape);
    }
    return probe;
  }

  private ShapeException failure(RistrettoException e, long[] extents) {
    String message = e.getMessage();
    for (long extent : extents) {
      message = message.replaceAll("\\b" + extent + "\\b", "?");
    }
    return new ShapeException(
        "["
            + name
            + "] the inputs must fit the operator; got "
            + inputs.stream().map(Variable::toString).collect(Collectors.joining(", "))
            + ": "
            + message,
        e);
  }
}
