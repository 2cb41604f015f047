package ristretto.testkit;

import java.util.List;
import ristretto.expr.Context;
import ristretto.kernels.DeviceException;

/** The device that tests run on: cpu, or what -Dristretto.test.device names. */
final class TestDevice {
  static final String NAME = System.getProperty("ristretto.test.device", "cpu");

  private static final String MISSING = find();

  private TestDevice() {}

  /** Why there is no such device; null if there is one. */
  static String missing() {
    return MISSING;
  }

  private static String find() {
    try (Context _ = open()) {
      return null;
    } catch (DeviceException e) {
      return e.getMessage();
    }
  }

  static boolean isCpu() {
    return NAME.equals("cpu");
  }

  /**
   * Possible numbers of kernels of an expression with a transform.
   *
   * @param pairs with a library of transforms of pairs, which cuda may have
   * @param other where transforms are made of element-wise kernels
   */
  static List<Integer> kernelCounts(int cpu, int pairs, int other) {
    return switch (NAME) {
      case "cpu" -> List.of(cpu);
      case "cuda" -> List.of(pairs, other);
      default -> List.of(other);
    };
  }

  /** It, and with cpu the interpreter, which checks every access that planned kernels make. */
  static List<String> all() {
    return isCpu() ? List.of(NAME, "oracle") : List.of(NAME);
  }

  /** Contexts of {@link #all}. */
  static List<Context> contexts(Context device, Context oracle) {
    return isCpu() ? List.of(device, oracle) : List.of(device);
  }

  static Context open() {
    return Context.open(NAME);
  }

  /**
   * Portion of case {@code turn} to test: everything on the cpu device, which compiles a kernel in
   * a millisecond, and with -Dristretto.test.everything; else a part.
   */
  static Portion portion(int turn) {
    return isCpu() || Boolean.getBoolean("ristretto.test.everything")
        ? Portion.ALL
        : new Portion(turn);
  }
}
