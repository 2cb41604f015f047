package ristretto.kernels.device;

import java.util.List;
import ristretto.kernels.DeviceException;
import ristretto.kernels.debug.Debug;

/** System properties whose values are words; a blank value counts as none. */
public final class Choice {
  private Choice() {}

  /**
   * Value of a property, or the first word if it is not set.
   *
   * @throws DeviceException if the value is none of the words
   */
  public static String of(String property, String... words) {
    String text = System.getProperty(property, "").trim();
    if (text.isEmpty()) {
      return words[0];
    }
    if (List.of(words).contains(text)) {
      return text;
    }
    throw new DeviceException(
        "[settings] "
            + property
            + " must be "
            + String.join(", ", List.of(words).subList(0, words.length - 1))
            + " or "
            + words[words.length - 1]
            + "; got \""
            + text
            + "\"; correct -D"
            + property);
  }

  /** Value of a property that is true or false. */
  public static boolean flag(String property, boolean otherwise) {
    return of(property, otherwise ? "true" : "false", otherwise ? "false" : "true").equals("true");
  }

  /**
   * Checks the settings that are read when classes are initialized, where errors get lost, and
   * those of devices that may not be there.
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
