package ristretto.nnet3.tool;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Optimization;
import ristretto.nnet3.Choices;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.compile.DerivativeTimes;
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

  OptimizationOptions(Options options) {
    all = options.bool("optimization.optimize", true, "Set this to false to turn off all of them");
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
        "Compute sums over rows in the kernel that writes what they add up");
    program(
        options,
        Optimization.REPEAT,
        "repeat-steps",
        "Plan some steps of a recurrence, and go on as they do; without it, plan each");
    program(
        options,
        Optimization.FUSE_PRODUCTS,
        "fuse-products",
        "Compute what surrounds products inside them, where the device can");
    program(
        options,
        Optimization.SHARE_MEMORY,
        "allocate-from-other",
        "Put matrices where others were that nothing reads any more");
    program(
        options,
        Optimization.LIFETIMES,
        "move-sizing-commands",
        "Give matrices memory from their first use to their last; without it, from beginning to"
            + " end, so that none lies where another one did");
    program(
        options,
        Optimization.LEAVE_UNDEFINED,
        "initialize-undefined",
        "Write matrices without setting them to zero before");
    propagateInPlace =
        options.bool(
            "optimization.propagate-in-place",
            true,
            "Write values over what forward reads for the last time");
    backpropInPlace =
        options.bool(
            "optimization.backprop-in-place",
            true,
            "Write derivatives over what backward reads for the last time");
    consolidate =
        options.bool(
            "optimization.consolidate-model-update",
            true,
            "Compute derivatives of the parameters of a recurrence for all its steps at once");
    sliceRows =
        options.bool(
            "optimization.optimize-row-ops",
            true,
            "Read rows at equal distances as such, not by index vectors");
    snipRows =
        options.bool(
            "optimization.snip-row-ops", true, "The same where rows at the ends are missing");
    loop =
        options.bool(
            "optimization.optimize-looped-computation",
            true,
            "Compute long utterances in chunks that go on from what the ones before left");
    compression =
        options.integer(
            "optimization.memory-compression-level",
            1,
            "1: backward computes some values again that are element by element; from 2 on, more of"
                + " them and some products, which halves the memory of training or better; results"
                + " stay the same");
    none(options, "split-row-ops", "rows of several matrices are read in one kernel anyway");
    none(options, "convert-addition", "what is written first is never added");
    none(options, "extend-matrices", "matrices are not merged, readers compute what they read");
    none(options, "allow-left-merge", "matrices are not merged, readers compute what they read");
    none(options, "allow-right-merge", "matrices are not merged, readers compute what they read");
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

  private void program(Options options, Optimization optimization, String name, String help) {
    ofPrograms.put(options.bool("optimization." + name, true, help), optimization);
  }

  private void none(Options options, String name, String reason) {
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

  private Choices.Again again() {
    int level = compression.get();
    if (level >= COMPUTE_AGAIN) {
      return Choices.Again.PRODUCTS;
    }
    return level > 0 && all.get() ? Choices.Again.CHEAP : Choices.Again.NOTHING;
  }

  /** Choices for the compilation. */
  Choices choices() {
    boolean some = all.get();
    return new Choices(
        again(),
        some && consolidate.get(),
        some && sliceRows.get(),
        some && snipRows.get(),
        some && loop.get() ? Choices.AUTOMATIC : 0,
        some && propagateInPlace.get(),
        some && backpropInPlace.get());
  }

  /** Logs each given option that has no effect, with the reason. */
  void tell(Log log) {
    withoutEffect.forEach((option, reason) -> {
      if (option.isGiven()) {
        log.info("The option --%s changes nothing: %s.", option.name, reason);
      }
    });
  }
}
