package ristretto.opencl;

import java.util.Locale;

/** Sizes for people. */
final class Words {
  private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private Words() {}

  static String bytes(long bytes) {
    if (bytes < 10_000) {
      return bytes + " bytes";
    }
    double value = bytes;
    int unit = -1;
    while (value >= 1000 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
  }
}
