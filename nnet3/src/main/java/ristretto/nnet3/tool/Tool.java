package ristretto.nnet3.tool;

import java.util.List;

/** A command; each run makes a new instance. */
interface Tool {
  /** Options of the command, with its usage text. */
  Options options();

  /** Minimum and maximum number of arguments. */
  Arguments arguments();

  /**
   * Range of numbers of arguments.
   *
   * @param least minimum number
   * @param most maximum number
   */
  record Arguments(int least, int most) {}

  /** Runs the command with these arguments and returns the exit code. */
  int run(List<String> arguments, Log log);
}
