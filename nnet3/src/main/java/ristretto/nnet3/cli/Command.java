package ristretto.nnet3.cli;

import java.util.List;

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
