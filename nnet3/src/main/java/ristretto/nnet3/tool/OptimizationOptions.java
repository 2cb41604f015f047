package ristretto.nnet3.tool;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Optimization;

/**
 * Options that leave out optimizations of computations, under Kaldi's names where it has one. Those
 * of Kaldi's that speak of commands, which there are none of here, are accepted for scripts that
 * give them.
 */
final class OptimizationOptions {
  private static final String[] WITHOUT_EFFECT = {
    "consolidate-model-update",
    "propagate-in-place",
    "backprop-in-place",
    "extend-matrices",
    "optimize-row-ops",
    "split-row-ops",
    "convert-addition",
    "allow-left-merge",
    "allow-right-merge",
    "initialize-undefined",
    "move-sizing-commands",
    "snip-row-ops"
  };

  private final Option<Boolean> all;
  private final Map<Optimization, Option<Boolean>> each = new EnumMap<>(Optimization.class);

  OptimizationOptions(Options options) {
    all = options.bool("optimization.optimize", true, "Set this to false to turn off all of them");
    each.put(
        Optimization.INLINE,
        options.bool(
            "optimization.remove-assignments",
            true,
            "Compute values inside the kernels that read them"));
    each.put(
        Optimization.JOIN,
        options.bool(
            "optimization.join-kernels", true, "Compute values of one shape in one kernel"));
    each.put(
        Optimization.FUSE_PRODUCTS,
        options.bool(
            "optimization.fuse-products",
            true,
            "Compute what surrounds products inside them, where the device can"));
    each.put(
        Optimization.SHARE_MEMORY,
        options.bool(
            "optimization.allocate-from-other",
            true,
            "Put matrices where others were that nothing reads any more"));
    for (String name : WITHOUT_EFFECT) {
      options.bool("optimization." + name, true, "Accepted; changes nothing");
    }
    options.integer("optimization.memory-compression-level", 1, "Accepted; changes nothing");
    options.integer("optimization.min-deriv-time", Integer.MIN_VALUE, "Accepted; changes nothing");
    for (String name : new String[] {"max-deriv-time", "max-deriv-time-relative"}) {
      options.integer("optimization." + name, Integer.MAX_VALUE, "Accepted; changes nothing");
    }
  }

  /** Those to leave out. */
  Set<Optimization> without() {
    Set<Optimization> off = EnumSet.noneOf(Optimization.class);
    each.forEach((optimization, option) -> {
      if (!all.get() || !option.get()) {
        off.add(optimization);
      }
    });
    return off;
  }
}
