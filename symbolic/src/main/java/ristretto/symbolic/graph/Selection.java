package ristretto.symbolic.graph;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import ristretto.kernels.ShapeException;

/**
 * Choice of parameters by patterns of their names, in which {@code *} stands for any characters,
 * dots included, or by a predicate.
 */
public final class Selection {
  private final List<NamePattern> patterns;
  private final Predicate<Variable<?>> predicate;
  private final boolean mayBeEmpty;

  private Selection(
      List<NamePattern> patterns, Predicate<Variable<?>> predicate, boolean mayBeEmpty) {
    this.patterns = patterns;
    this.predicate = predicate;
    this.mayBeEmpty = mayBeEmpty;
  }

  /**
   * Selects the parameters whose names match at least one pattern.
   *
   * @param op name of the operation for the message
   * @throws ShapeException if there is no pattern
   */
  public static Selection of(String op, String... patterns) {
    if (patterns.length == 0) {
      throw new ShapeException(
          "[" + op + "] at least one pattern must be given; got none; \"*\" matches all names.");
    }
    return new Selection(Arrays.stream(patterns).map(NamePattern::of).toList(), _ -> false, false);
  }

  /** Selects the parameters that fulfil a predicate. */
  public static Selection of(Predicate<Variable<?>> predicate) {
    return new Selection(List.of(), predicate, false);
  }

  /** Selects parameters with fewer than two dimensions: biases, scales and offsets of norms. */
  public static Selection vectors() {
    return new Selection(List.of(), v -> v.dims().rank() < 2, true);
  }

  /**
   * Returns the selected parameters.
   *
   * @param op name of the operation for the message
   * @throws ShapeException if a pattern matches no name, or the predicate holds for no parameter
   */
  public Set<Variable<?>> among(String op, Collection<Variable<?>> all) {
    var selected = new LinkedHashSet<Variable<?>>();
    all.stream().filter(predicate).forEach(selected::add);
    if (patterns.isEmpty() && selected.isEmpty() && !mayBeEmpty) {
      throw new ShapeException(
          ("[%s] a predicate must hold for at least one parameter; got one that holds for none of"
                  + " %s; print executor.parameters() for their names.")
              .formatted(op, all.size()));
    }
    for (NamePattern pattern : patterns) {
      List<Variable<?>> some = all.stream().filter(v -> pattern.matches(v.name())).toList();
      if (some.isEmpty()) {
        throw new ShapeException(
            "[%s] a pattern must match the name of a parameter; got \"%s\"%s."
                .formatted(op, pattern, nearest(pattern.toString(), all)));
      }
      selected.addAll(some);
    }
    return selected;
  }

  private static String nearest(String pattern, Collection<Variable<?>> all) {
    Variable<?> nearest = null;
    int best = Integer.MAX_VALUE;
    for (Variable<?> v : all) {
      int distance = distance(pattern, v.name());
      if (distance < best) {
        best = distance;
        nearest = v;
      }
    }
    return nearest == null
        ? "; the model has no parameters to choose from"
        : "; the nearest name is " + nearest.name();
  }

  /** Returns the edit distance of a pattern and a name; a star matches characters at no cost. */
  private static int distance(String pattern, String name) {
    int[] row = new int[name.length() + 1];
    for (int j = 0; j <= name.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= pattern.length(); i++) {
      boolean star = pattern.charAt(i - 1) == '*';
      int[] next = new int[name.length() + 1];
      next[0] = row[0] + (star ? 0 : 1);
      for (int j = 1; j <= name.length(); j++) {
        int replaced = row[j - 1] + (pattern.charAt(i - 1) == name.charAt(j - 1) ? 0 : 1);
        next[j] =
            star
                ? Math.min(row[j], next[j - 1])
                : Math.min(replaced, Math.min(row[j], next[j - 1]) + 1);
      }
      row = next;
    }
    return row[name.length()];
  }
}
