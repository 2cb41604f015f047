package ristretto.nnet3.io;

import java.util.Optional;
import ristretto.kernels.FileException;

/**
 * Permission for commands that files name, such as {@code utterance gunzip -c x.gz |} in a script.
 * A command that the user types on the command line, or a program passes as a string, needs none.
 */
public final class PipePermission {
  /** System property that allows such commands: true or false. */
  public static final String PROPERTY = "ristretto.allow-pipes";

  private static final String VARIABLE = "RISTRETTO_ALLOW_PIPES";

  private PipePermission() {}

  /** Returns true if the name is a command to read from or to write to. */
  static boolean isCommand(String name) {
    return name.startsWith("|") || name.endsWith("|");
  }

  /**
   * Refuses a command that a file names, unless such commands are allowed.
   *
   * @param name name of the input or output
   * @param line line that holds the name
   * @param place location of the line, for messages
   */
  public static void check(String name, String line, String place) {
    if (isCommand(name) && !allowed()) {
      throw new FileException(
          "[kaldi] a command must be typed on the command line; got %s in %s; read the line, and allow commands in files with --allow-pipes or RISTRETTO_ALLOW_PIPES=1."
              .formatted(TextScanner.whole(line.strip()), place),
          null);
    }
  }

  /** Returns true if files may name commands. */
  public static boolean allowed() {
    String value =
        Optional.ofNullable(System.getProperty(PROPERTY))
            .or(() -> Optional.ofNullable(System.getenv(VARIABLE)))
            .orElse("");
    return switch (value.strip()) {
      case "1", "true" -> true;
      case "", "0", "false" -> false;
      default ->
          throw new FileException(
              "[kaldi] %s and %s must be 1, true, 0 or false; got %s; correct it."
                  .formatted(VARIABLE, PROPERTY, TextScanner.quoted(value)),
              null);
    };
  }
}
