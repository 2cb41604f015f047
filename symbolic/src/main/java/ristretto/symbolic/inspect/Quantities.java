package ristretto.symbolic.inspect;

import java.util.Locale;

/** Formats of numbers in tables and charts, the same in every locale. */
final class Quantities {
  private static final double KILO = 1000;
  private static final String[] BYTES = {"B", "kB", "MB", "GB", "TB"};

  private Quantities() {}

  /** Returns a size such as {@code 1.25 MB}. */
  static String bytes(long n) {
    return scaled(n, BYTES);
  }

  /** Unit of bytes in which the numbers of a chart are less than a thousand. */
  record Unit(String name, double bytes) {}

  /** Returns the unit for a chart whose largest value is {@code most} bytes. */
  static Unit unit(long most) {
    int k = thousands(most, BYTES.length - 1);
    return new Unit(BYTES[k], Math.pow(KILO, k));
  }

  /** Returns a number such as {@code 1.25 M}. */
  static String count(long n) {
    return scaled(n, "", "k", "M", "G", "T", "P");
  }

  private static String scaled(long n, String... units) {
    int unit = thousands(n, units.length - 1);
    double value = n / Math.pow(KILO, unit);
    String form = unit == 0 || value >= 100 ? "%.0f %s" : value >= 10 ? "%.1f %s" : "%.2f %s";
    return String.format(Locale.ROOT, form, value, units[unit]).strip();
  }

  /** Returns how often {@code n} is divided by a thousand to be below it, at most {@code most}. */
  private static int thousands(long n, int most) {
    int times = 0;
    for (double rest = n; rest >= KILO && times < most; rest /= KILO) {
      times++;
    }
    return times;
  }

  /** Returns an exact number such as {@code 1,250,000}. */
  static String exact(long n) {
    return String.format(Locale.ROOT, "%,d", n);
  }

  /** Returns a share such as {@code 12.5 %}; empty if there is no whole. */
  static String percent(double part, double whole) {
    return whole > 0 ? String.format(Locale.ROOT, "%.1f %%", 100 * part / whole) : "";
  }

  /** Returns a number with some digits after the point. */
  static String fixed(double value, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }
}
