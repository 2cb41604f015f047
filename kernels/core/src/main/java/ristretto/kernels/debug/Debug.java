package ristretto.kernels.debug;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The debug ladder, read once from the environment or from system properties of the same meaning:
 * {@code RISTRETTO_DEBUG=0..6} ({@code ristretto.debug}), {@code RISTRETTO_DEBUG_ONLY=<kernel name
 * glob>} ({@code ristretto.debug-only}), {@code RISTRETTO_DUMP=<folder>} ({@code ristretto.dump}).
 * Output goes to standard error.
 */
public final class Debug {
  /** Devices and chosen paths. */
  public static final int DEVICES = 1;

  /** One line a launch: name, arguments, microseconds, GB/s, GFLOP/s, cache hit. */
  public static final int LAUNCHES = 2;

  /** What fused, what did not and why. */
  public static final int FUSION = 3;

  /** Generated source or bytecode. */
  public static final int SOURCE = 4;

  /** IR after each pass. */
  public static final int PASSES = 5;

  /** Time of each pass. */
  public static final int TIMES = 6;

  private static final int LEVEL = parse(setting("RISTRETTO_DEBUG", "ristretto.debug", "0"));
  private static final Pattern ONLY =
      glob(setting("RISTRETTO_DEBUG_ONLY", "ristretto.debug-only", "*"));
  private static final String DUMP = setting("RISTRETTO_DUMP", "ristretto.dump", "");

  private Debug() {}

  private static String setting(String variable, String property, String otherwise) {
    String value = System.getProperty(property, System.getenv(variable));
    return value == null || value.isBlank() ? otherwise : value.trim();
  }

  private static int parse(String level) {
    try {
      return Integer.parseInt(level);
    } catch (NumberFormatException e) {
      System.err.println(
          "[debug] RISTRETTO_DEBUG must be a number from 0 to 6; got \""
              + level
              + "\"; taken as 0");
      return 0;
    }
  }

  private static Pattern glob(String glob) {
    return Pattern.compile(("\\Q" + glob + "\\E").replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q"));
  }

  /** True if anything at all is printed or dumped. */
  public static boolean active() {
    return LEVEL > 0 || !DUMP.isEmpty();
  }

  public static boolean on(int level) {
    return LEVEL >= level;
  }

  /** As {@link #on(int)}, for a kernel whose name the filter admits. */
  public static boolean on(int level, String kernel) {
    return LEVEL >= level && ONLY.matcher(kernel).matches();
  }

  /** Prints a line if {@code level} is on; the text is made only then. */
  public static void log(int level, Supplier<String> text) {
    if (LEVEL >= level) {
      System.err.println(text.get());
    }
  }

  /** True if dumps are wanted for this kernel. */
  public static boolean dumping(String kernel) {
    return !DUMP.isEmpty() && ONLY.matcher(kernel).matches();
  }

  /**
   * Writes {@code content} to {@code <dump folder>/<kernel>.<extension>} if dumps are wanted for
   * this kernel.
   */
  public static void dump(String kernel, String extension, byte[] content) {
    if (!dumping(kernel)) {
      return;
    }
    try {
      Path folder = Files.createDirectories(Path.of(DUMP));
      Files.write(folder.resolve(kernel + "." + extension), content);
    } catch (IOException e) {
      System.err.println("[debug] cannot write to " + DUMP + ": " + e.getMessage());
    }
  }
}
