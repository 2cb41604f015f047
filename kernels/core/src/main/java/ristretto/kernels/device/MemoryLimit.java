package ristretto.kernels.device;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.DeviceException;

/**
 * Upper bound of a device's memory, and the error for allocations beyond it.
 *
 * @param kind kind of the device; the property is {@code ristretto.KIND.memory-limit}
 * @param bytes {@link Long#MAX_VALUE} for no limit
 */
public record MemoryLimit(String kind, long bytes) {
  private static final int LISTED = 5;

  private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  /** Reads the limit from the system property; no limit if it is not set. */
  public static MemoryLimit fromSystem(String kind) {
    String text = System.getProperty("ristretto." + kind + ".memory-limit");
    boolean none = text == null || text.isBlank();
    return none ? none(kind) : parse(kind, text.trim());
  }

  public static MemoryLimit none(String kind) {
    return new MemoryLimit(kind, Long.MAX_VALUE);
  }

  /** Parses a number of bytes, with an optional suffix k, m or g (powers of 1024). */
  public static MemoryLimit parse(String kind, String text) {
    String number = text.toLowerCase(Locale.ROOT);
    int shift = number.isEmpty() ? 0 : 10 * ("kmg".indexOf(number.charAt(number.length() - 1)) + 1);
    try {
      long n = Long.parseLong(shift == 0 ? number : number.substring(0, number.length() - 1));
      if (n > 0 && n <= Long.MAX_VALUE >> shift) {
        return new MemoryLimit(kind, n << shift);
      }
    } catch (NumberFormatException _) {
      // Not a number: falls through to the exception below.
    }
    throw new DeviceException(
        ("[%s] the memory limit must be a positive number of bytes, such as 512m or 4g; got"
                + " \"%s\"; correct -Dristretto.%s.memory-limit")
            .formatted(kind, text, kind));
  }

  /** Returns true if {@code more} bytes may be allocated in addition to {@code held} ones. */
  public boolean allows(long held, long more) {
    return more <= bytes - held;
  }

  /**
   * Returns the exception for an allocation that exceeds the memory.
   *
   * @param asked bytes requested
   * @param used bytes in open buffers
   * @param held bytes allocated for the {@code used} ones, including rounding
   * @param device state of the device's memory, as words that follow "with rounding)"; may be empty
   * @param live size in bytes of each open buffer
   */
  public DeviceException exceeded(
      long asked, long used, long held, String device, Collection<Long> live) {
    var text = new StringBuilder();
    text.append("[allocate] memory must suffice; asked for ").append(words(asked));
    text.append(" with ").append(words(used)).append(" in use (");
    text.append(words(held)).append(" with rounding)").append(device);
    boolean limited = bytes != Long.MAX_VALUE;
    if (limited) {
      text.append(" and a limit of ").append(words(bytes));
    }
    if (!live.isEmpty()) {
      List<Long> largest = live.stream().sorted(Comparator.reverseOrder()).limit(LISTED).toList();
      text.append("; the largest of ").append(live.size()).append(" buffers hold ");
      text.append(String.join(", ", largest.stream().map(MemoryLimit::words).toList()));
    }
    text.append("; release tensors that are no longer needed, or ");
    text.append(limited ? "raise -Dristretto." + kind + ".memory-limit" : "close other contexts");
    return new DeviceException(text.toString());
  }

  /** Formats a number of bytes with a binary unit. */
  public static String words(long bytes) {
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
