package ristretto.jmh.report;

import java.util.Locale;

/**
 * Target with its measured value.
 *
 * @param against competitor or quantity
 * @param value measured value
 * @param target bound of the value
 * @param atLeast true if the bound is a minimum, false if it is a maximum
 */
public record Verdict(String against, double value, double target, boolean atLeast) {
  public boolean met() {
    return atLeast ? value >= target : value <= target;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s %s %s %s",
        against,
        number(value),
        met() ? (atLeast ? ">=" : "<=") : (atLeast ? "<" : ">"),
        number(target));
  }

  private static String number(double v) {
    return v != 0 && Math.abs(v) < 1e-3
        ? String.format(Locale.ROOT, "%.1e", v)
        : String.format(Locale.ROOT, Math.abs(v) >= 100 ? "%.0f" : "%.2f", v);
  }
}
