package ristretto.nnet3.cli.tool;

import java.util.List;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.ParseOptions;

/** A command; each run makes a new instance. */
public abstract class Tool {
  /** Options of the command, with its usage text. */
  public final ParseOptions options;

  private final int least;
  private final int most;

  /**
   * Creates a command without options.
   *
   * @param least minimum number of arguments
   * @param most maximum number of arguments
   */
  protected Tool(String name, String usage, int least, int most) {
    this.options = new ParseOptions(name, usage);
    this.least = least;
    this.most = most;
  }

  /** Returns true if the command can be run with a number of arguments. */
  public final boolean takes(int arguments) {
    return arguments >= least && arguments <= most;
  }

  /** Runs the command with these arguments and returns the exit code. */
  public abstract int run(List<String> arguments, CommandLog log);
}
