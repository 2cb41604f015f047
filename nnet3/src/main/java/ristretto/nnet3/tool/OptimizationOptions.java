package ristretto.nnet3.tool;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Optimization;

/** Options that leave out optimizations of computations, under Kaldi's names where it has one. */
final class OptimizationOptions {
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
