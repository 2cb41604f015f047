package ristretto.nnet3.cli.options;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import ristretto.expr.option.Optimization;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.DerivativeTimes;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.Rematerialization;
import ristretto.nnet3.fit.FitOptions;

/**
 * Options to turn off optimizations of computations, with Kaldi's names for optimizations that
 * Kaldi has. Kaldi's options for features that computations here lack are accepted, so that scripts
 * run, and log why the options have no effect.
 */
final class OptimizationOptions {
  private static final int COMPUTE_AGAIN = 2;

  private final Option<Boolean> all;
  private final Map<Option<Boolean>, Optimization> ofPrograms = new LinkedHashMap<>();
  private final Option<Boolean> consolidate;
  private final Option<Boolean> sliceRows;
  private final Option<Boolean> snipRows;
  private final Option<Boolean> loop;
  private final Option<Boolean> propagateInPlace;
  private final Option<Boolean> backpropInPlace;
  private final Option<Integer> compression;
  private final Map<Option<?>, String> withoutEffect = new LinkedHashMap<>();
  private final Option<Integer> minTime;
  private final Option<Integer> maxTime;
  private final Option<Integer> maxTimeRelative;

  OptimizationOptions(ParseOptions options) {
    all =
        options.bool(
            "optimization.optimize", true, "Set this to false to turn off all optimizations");
    program(
        options,
        Optimization.INLINE,
        "remove-assignments",
        "Compute values inside the kernels that read them");
    program(
        options, Optimization.JOIN, "join-kernels", "Compute values of one shape in one kernel");
    program(
        options,
        Optimization.JOIN_SUMS,
        "join-sums",
        "Compute column sums in the kernel that writes their operand");
    program(
        options,
        Optimization.REPEAT,
        "repeat-steps",
        "Plan some iterations of a recurrence and extrapolate the rest, instead of planning each");
    program(
        options,
        Optimization.FUSE_PRODUCTS,
        "fuse-products",
        "Fuse element-wise operations into matrix products, where the device can");
    program(
        options,
        Optimization.SHARE_MEMORY,
        "allocate-from-other",
        "Reuse the memory of matrices that are no longer read");
    program(
        options,
        Optimization.LIFETIMES,
        "move-sizing-commands",
        "Allocate matrices from their first to their last use; without it, for the whole"
            + " computation, so that no memory is reused");
    program(
        options,
        Optimization.LEAVE_UNDEFINED,
        "initialize-undefined",
        "Do not set matrices to zero before they are written");
    propagateInPlace =
        options.bool(
            "optimization.propagate-in-place",
            true,
            "Write values over operands that forward reads for the last time");
    backpropInPlace =
        options.bool(
            "optimization.backprop-in-place",
            true,
            "Write derivatives over operands that backward reads for the last time");
    consolidate =
        options.bool(
            "optimization.consolidate-model-update",
            true,
            "Compute parameter derivatives of a recurrence for all its steps at once");
    sliceRows =
        options.bool(
            "optimization.optimize-row-ops",
            true,
            "Read rows at equal distances with a stride, not by index vectors");
    snipRows =
        options.bool(
            "optimization.snip-row-ops",
            true,
            "Read rows with a stride also if rows at the ends are missing");
    loop =
        options.bool(
            "optimization.optimize-looped-computation",
            true,
            "Compute long utterances in chunks that continue from the state of the chunk before");
    compression =
        options.integer(
            "optimization.memory-compression-level",
            1,
            "1: backward recomputes some element-wise values; 2 and above: it recomputes more of"
                + " them, and some matrix products, which at least halves the memory of training;"
                + " results do not change");
    none(options, "split-row-ops", "one kernel reads rows of several matrices anyway");
    none(options, "convert-addition", "the first write of a matrix never adds");
    none(options, "extend-matrices", "matrices are not merged; readers compute their operands");
    none(options, "allow-left-merge", "matrices are not merged; readers compute their operands");
    none(options, "allow-right-merge", "matrices are not merged; readers compute their operands");
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
            "If set, the last time is this many frames after the last output");
  }

  private void program(ParseOptions options, Optimization optimization, String name, String help) {
    ofPrograms.put(options.bool("optimization." + name, true, help), optimization);
  }

  private void none(ParseOptions options, String name, String reason) {
    withoutEffect.put(
        options.bool("optimization." + name, true, "Changes nothing: " + reason), reason);
  }

  /** Range of times for which a request computes derivatives. */
  DerivativeTimes times(ComputationRequest request) {
    int relative = maxTimeRelative.get();
    if (relative == Integer.MAX_VALUE) {
      return new DerivativeTimes(minTime.get(), maxTime.get());
    }
    return new DerivativeTimes(minTime.get(), Integer.MAX_VALUE).relativeTo(request, relative);
  }

  /**
   * Times of derivatives, as settings of a training.
   *
   * @param margin number of frames around those that a chunk needs, in place of the time options;
   *     negative to use the options
   */
  FitOptions.Times times(int margin) {
    return new FitOptions.Times(minTime.get(), maxTime.get(), maxTimeRelative.get(), margin);
  }

  /** Optimizations of programs to turn off. */
  Set<Optimization> without() {
    Set<Optimization> off =
        all.get() ? EnumSet.noneOf(Optimization.class) : EnumSet.of(Optimization.IN_PLACE);
    ofPrograms.forEach((option, optimization) -> {
      if (!all.get() || !option.get()) {
        off.add(optimization);
      }
    });
    return off;
  }

  private Rematerialization again() {
    int level = compression.get();
    if (level >= COMPUTE_AGAIN) {
      return Rematerialization.PRODUCTS;
    }
    return level > 0 && all.get() ? Rematerialization.CHEAP : Rematerialization.NOTHING;
  }

  /** Choices for the compilation. */
  LoweringOptions lowering() {
    boolean some = all.get();
    return new LoweringOptions(
        again(),
        some && consolidate.get(),
        some && sliceRows.get(),
        some && snipRows.get(),
        some && loop.get() ? LoweringOptions.AUTOMATIC : 0,
        some && propagateInPlace.get(),
        some && backpropInPlace.get());
  }

  /** Logs each given option that has no effect, with the reason. */
  void tell(CommandLog log) {
    withoutEffect.forEach((option, reason) -> {
      if (option.isGiven()) {
        log.info("The option --%s changes nothing: %s.", option.name, reason);
      }
    });
  }
}
