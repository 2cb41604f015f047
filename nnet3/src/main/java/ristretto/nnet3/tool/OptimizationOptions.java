package ristretto.nnet3.tool;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Optimization;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.compile.DerivativeTimes;

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
  private final Option<Integer> minTime;
  private final Option<Integer> maxTime;
  private final Option<Integer> maxTimeRelative;

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
    minTime =
        options.integer(
            "optimization.min-deriv-time",
            Integer.MIN_VALUE,
            "First time at which derivatives are computed in training");
    maxTime =
        options.integer(
            "optimization.max-deriv-time",
            Integer.MAX_VALUE,
            "Last time at which derivatives are computed in training");
    maxTimeRelative =
        options.integer(
            "optimization.max-deriv-time-relative",
            Integer.MAX_VALUE,
            "If set, the last time is this many after that of the outputs");
  }

  /** At which times derivatives are computed. */
  DerivativeTimes times(ComputationRequest request) {
    int relative = maxTimeRelative.get();
    if (relative == Integer.MAX_VALUE) {
      return new DerivativeTimes(minTime.get(), maxTime.get());
    }
    return new DerivativeTimes(minTime.get(), Integer.MAX_VALUE).relativeTo(request, relative);
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
