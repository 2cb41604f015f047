package ristretto.nnet3;

import java.util.List;
import ristretto.nnet3.tool.Main;

/** Entry point that runs commands from scripts and programs. */
public final class Command {
  private Command() {}

  /**
   * Runs a command as {@code ./ristretto} does: {@code Command.run("nnet3-info", "final.raw")}.
   * Messages go to standard error.
   *
   * @return the exit code; 0 on success
   */
  public static int run(String... words) {
    return Main.run(List.of(words), System.err);
  }
}
