package ristretto.kernels.debug;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import ristretto.kernels.DeviceException;

/**
 * Debug levels and filters, read once from the environment or from the equivalent system
 * properties: {@code RISTRETTO_DEBUG=0..6} ({@code ristretto.debug}), {@code
 * RISTRETTO_DEBUG_ONLY=<kernel name glob>} ({@code ristretto.debug-only}), {@code
 * RISTRETTO_DUMP=<folder>} ({@code ristretto.dump}). Output goes to standard error. {@link Passes}
 * writes the lines of compiled kernels.
 */
public final class Debug {
  /** Devices and chosen paths. */
  public static final int DEVICES = 1;

  /** One line per launch: name, arguments, microseconds, GB/s, GFLOP/s, cache hit. */
  public static final int LAUNCHES = 2;

  /** Fusion decisions, with reasons. */
  public static final int FUSION = 3;

  /** Generated code. */
  public static final int SOURCE = 4;

  /** IR after each pass. */
  public static final int PASSES = 5;

  /** Time of each pass. */
  public static final int TIMES = 6;

  private static final int LEVEL = parse(setting("RISTRETTO_DEBUG", "ristretto.debug"));
  private static final Pattern ONLY = glob(setting("RISTRETTO_DEBUG_ONLY", "ristretto.debug-only"));
  private static final String DUMP = setting("RISTRETTO_DUMP", "ristretto.dump");

  /** True if plans are printed at any level, for {@code ./ristretto explain}. */
  private static final boolean EXPLAIN = Boolean.getBoolean("ristretto.explain");

  private static volatile boolean dumpFailed;

  private Debug() {}

  /** Returns the value of the property or, if not set, of the variable; empty if neither is set. */
  static String setting(String variable, String property) {
    String value = System.getProperty(property, System.getenv(variable));
    return value == null ? "" : value.trim();
  }

  private static int parse(String level) {
    return level.matches("[0-6]") ? level.charAt(0) - '0' : 0;
  }

  /**
   * Checks the debug level, because an exception in this class's initializer, which reads the
   * level, would get lost.
   *
   * @throws DeviceException if the level is no number from 0 to 6
   */
  public static void check() {
    String level = setting("RISTRETTO_DEBUG", "ristretto.debug");
    if (!level.isEmpty() && !level.matches("[0-6]")) {
      throw new DeviceException(
          "[settings] RISTRETTO_DEBUG must be a number from 0 to 6; got \""
              + level
              + "\"; correct RISTRETTO_DEBUG or -Dristretto.debug");
    }
  }

  private static Pattern glob(String glob) {
    return glob.isEmpty()
        ? Pattern.compile(".*")
        : Pattern.compile(("\\Q" + glob + "\\E").replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q"));
  }

  /** Returns true if anything is printed or dumped. */
  public static boolean active() {
    return LEVEL > 0 || EXPLAIN || !DUMP.isEmpty();
  }

  public static boolean on(int level) {
    return LEVEL >= level;
  }

  /** Returns true if {@code level} is on and the filter admits the kernel's name. */
  public static boolean on(int level, String kernel) {
    return LEVEL >= level && ONLY.matcher(kernel).matches();
  }

  /** Returns true if plans with this kernel are printed. */
  public static boolean explaining(String kernel) {
    return (LEVEL >= FUSION || EXPLAIN) && ONLY.matcher(kernel).matches();
  }

  /** Prints a line if {@code level} is on; {@code text} is evaluated only then. */
  public static void log(int level, Supplier<String> text) {
    if (LEVEL >= level) {
      System.err.println(text.get());
    }
  }

  /** Returns true if this kernel is dumped. */
  public static boolean dumping(String kernel) {
    return !DUMP.isEmpty() && ONLY.matcher(kernel).matches();
  }

  /** Writes {@code content} to a file in the dump folder if this kernel is dumped. */
  public static void dump(String kernel, String file, byte[] content) {
    if (!dumping(kernel)) {
      return;
    }
    try {
      Path folder = Files.createDirectories(Path.of(DUMP));
      Files.write(folder.resolve(file), content);
    } catch (IOException | InvalidPathException e) {
      if (!dumpFailed) {
        dumpFailed = true;
        System.err.println(
            "[debug] RISTRETTO_DUMP must name a folder that can be written to; got \""
                + DUMP
                + "\" ("
                + e
                + ")");
      }
    }
  }
}
