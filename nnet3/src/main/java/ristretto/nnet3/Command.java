package ristretto.nnet3;

import java.util.List;
import ristretto.nnet3.tool.Main;

/** The commands, for scripts. */
public final class Command {
  private Command() {}

  /**
   * Runs a command as {@code ./ristretto} does: {@code Command.run("nnet3-info", "final.raw")}.
   * What it has to say goes to standard error.
   *
   * @return its exit code, 0 if it succeeded
   */
  public static int run(String... words) {
    return Main.run(List.of(words), System.err);
  }
}
