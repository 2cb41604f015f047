package ristretto.kernels.device;

import java.util.Iterator;
import java.util.List;

/**
 * A list of numbers spent one by one on decisions; once it is spent, every decision is the first
 * alternative.
 */
public final class Choices {
  private final Iterator<Integer> rest;

  public Choices(List<Integer> numbers) {
    this.rest = numbers.iterator();
  }

  public boolean spent() {
    return !rest.hasNext();
  }

  /** Below {@code bound}, not negative. */
  public int next(int bound) {
    return rest.hasNext() ? Math.floorMod(rest.next(), bound) : 0;
  }

  /** True in one of {@code n} cases. */
  public boolean oneIn(int n) {
    return next(n) == n - 1;
  }

  public <T> T of(List<T> alternatives) {
    return alternatives.get(next(alternatives.size()));
  }
}
