package ristretto.nnet3.tool;

import java.util.List;

/** A command, made anew for each run. */
interface Tool {
  /** Options, with their usage text. */
  Options options();

  /** How many arguments it takes at least and at most. */
  Arguments arguments();

  /**
   * Numbers of arguments.
   *
   * @param least is enough
   * @param most is not too many
   */
  record Arguments(int least, int most) {}

  /** Does its work with these arguments, and returns the exit code. */
  int run(List<String> arguments, Log log);
}
