package ristretto.nnet3.tool;

import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import ristretto.expr.Context;
import ristretto.kernels.RistrettoException;
import ristretto.nnet3.Choices;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Keeping;
import ristretto.nnet3.Passes;
import ristretto.nnet3.compile.DerivativeTimes;
import ristretto.nnet3.fit.FitOptions;
import ristretto.nnet3.forward.Resident;

/**
 * The options of every command that compiles computations: Kaldi's {@code --optimization.*}, {@code
 * --compiler.*} and {@code --computation.*}.
 */
final class CompilerOptions {
  /** Kaldi's default of --cache-capacity. */
  static final int CAPACITY = 64;

  /** Of --verbose, from which on computations are told, as in Kaldi. */
  private static final int VERBOSE_DEBUG = 5;

  private final Options options;
  private final OptimizationOptions optimizations;
  private final Option<Integer> capacity;
  private final Option<Boolean> shortcut;
  private final Option<Boolean> debug;
  private boolean told;

  /** With Kaldi's prefixes. */
  CompilerOptions(Options options) {
    this(options, "compiler.", CAPACITY);
  }

  /**
   * The same.
   *
   * @param prefix of the options of the compiler
   * @param capacity the default
   */
  CompilerOptions(Options options, String prefix, int capacity) {
    this.options = options;
    optimizations = new OptimizationOptions(options);
    shortcut =
        options.bool(
            prefix + "use-shortcut",
            true,
            "Plan requests once that differ in the number of their sequences");
    this.capacity =
        options.integer(
            prefix + "cache-capacity",
            capacity,
            "Computations that are kept; the one used longest ago is forgotten");
    debug = options.bool("computation.debug", false, "Tell what each computation consists of");
  }

  /**
   * Opens the device. It gets ready for products in the background, which takes a new process as
   * long as reading a model, so it is better opened first.
   */
  Context open() {
    Context context = passes().open();
    Thread.ofPlatform().daemon().name("products").start(() -> prepareProducts(context));
    return context;
  }

  private static void prepareProducts(Context context) {
    try {
      context.panelColumns(1);
    } catch (RistrettoException e) {
      // The first product will say it.
    }
  }

  /** What computations are made with and without. */
  Passes passes() {
    return new Passes(optimizations.without(), choices());
  }

  /** How computations are made. */
  Choices choices() {
    return optimizations.choices();
  }

  /** What lies on the device for computations that are made so. */
  Resident resident(Context context, Log log) {
    tell(log);
    var resident = new Resident(context);
    resident.choose(choices());
    return resident;
  }

  private void tell(Log log) {
    if (options.verbose() > 0 && !told) {
      told = true;
      optimizations.tell(log);
    }
  }

  /** The same, as settings of a training. */
  FitOptions.Times derivativeTimes(int margin) {
    return optimizations.times(margin);
  }

  /** At which times derivatives are computed. */
  DerivativeTimes times(ComputationRequest request) {
    return optimizations.times(request);
  }

  /** How many computations are kept, and who hears of them: with --verbose=1 of each new one. */
  Keeping keeping(Log log) {
    if (capacity.get() < 1) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "[options] --%s must be 1 or more; got %d; leave it out for the default.",
              capacity.name,
              capacity.get()));
    }
    tell(log);
    Consumer<Supplier<String>> tell = text -> log.info("%s", text.get());
    return new Keeping(
        capacity.get(),
        shortcut.get(),
        options.verbose() > 0 ? tell : _ -> {},
        debug.get() || options.verbose() >= VERBOSE_DEBUG ? tell : _ -> {});
  }
}
