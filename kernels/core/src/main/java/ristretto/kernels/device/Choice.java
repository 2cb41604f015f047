package ristretto.kernels.device;

import java.util.List;
import ristretto.kernels.DeviceException;
import ristretto.kernels.debug.Debug;

/** System properties with a fixed set of values; a blank value counts as not set. */
public final class Choice {
  private Choice() {}

  /**
   * Returns the value of a property, or the first of {@code words} if it is not set.
   *
   * @throws DeviceException if the value is none of {@code words}
   */
  public static String of(String property, String... words) {
    return named("[settings] " + property, property, words);
  }

  /**
   * Returns the value of a property, or the first of {@code words} if it is not set.
   *
   * @param name what the property sets, for the message
   * @throws DeviceException if the value is none of {@code words}
   */
  public static String named(String name, String property, String... words) {
    String text = System.getProperty(property, "").trim();
    if (text.isEmpty()) {
      return words[0];
    }
    if (List.of(words).contains(text)) {
      return text;
    }
    throw new DeviceException(
        "%s must be %s or %s; got \"%s\"; correct -D%s"
            .formatted(
                name,
                String.join(", ", List.of(words).subList(0, words.length - 1)),
                words[words.length - 1],
                text,
                property));
  }

  /** Returns the value of a boolean property, or {@code otherwise} if it is not set. */
  public static boolean flag(String property, boolean otherwise) {
    return of(property, otherwise ? "true" : "false", otherwise ? "false" : "true").equals("true");
  }

  /**
   * Checks all properties with a fixed set of values: the ones read in class initializers, where an
   * exception would get lost, and the ones of devices that may be absent.
   */
  public static void checkAll() {
    of("ristretto.cpu.code", "tiered", "scalar", "vector");
    of("ristretto.cache.programs", "on", "off");
    flag("ristretto.fast-math", false);
    flag("ristretto.explain", false);
    flag("ristretto.nnet3.check", false);
    flag("ristretto.cuda.tf32", false);
    flag("ristretto.cuda.epilogues", true);
    Debug.check();
  }
}
