package ristretto.nnet3.tool;

/**
 * Kaldi's options {@code --optimization.*}, which scripts pass: they are accepted, and change
 * nothing where computations are not made of the commands that they speak of.
 */
final class Optimizations {
  private static final String[] SWITCHES = {
    "optimize",
    "consolidate-model-update",
    "propagate-in-place",
    "backprop-in-place",
    "extend-matrices",
    "optimize-row-ops",
    "split-row-ops",
    "convert-addition",
    "remove-assignments",
    "allow-left-merge",
    "allow-right-merge",
    "initialize-undefined",
    "move-sizing-commands",
    "allocate-from-other",
    "snip-row-ops"
  };

  private Optimizations() {}

  /** Those that matter when nothing is trained. */
  static void accept(Options options) {
    for (String name : SWITCHES) {
      options.bool("optimization." + name, true, "Accepted; changes nothing");
    }
    options.integer("optimization.memory-compression-level", 1, "Accepted; changes nothing");
    options.integer(
        "optimization.min-deriv-time", Integer.MIN_VALUE, "Accepted; nothing is derived here");
    for (String name : new String[] {"max-deriv-time", "max-deriv-time-relative"}) {
      options.integer(
          "optimization." + name, Integer.MAX_VALUE, "Accepted; nothing is derived here");
    }
  }
}
