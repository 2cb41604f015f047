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
 * Options of commands that compile computations: Kaldi's {@code --optimization.*}, {@code
 * --compiler.*} and {@code --computation.*}.
 */
final class CompilerOptions {
  /** Kaldi's default cache capacity, in computations. */
  static final int CAPACITY = 64;

  /** Level of {@code --verbose} from which computations are logged, as in Kaldi. */
  private static final int VERBOSE_DEBUG = 5;

  private final Options options;
  private final OptimizationOptions optimizations;
  private final Option<Integer> capacity;
  private final Option<Boolean> shortcut;
  private final Option<Boolean> debug;
  private boolean told;

  /** Adds the options with Kaldi's prefixes and cache capacity. */
  CompilerOptions(Options options) {
    this(options, "compiler.", CAPACITY);
  }

  /**
   * Adds the options with a prefix and a cache capacity.
   *
   * @param prefix prefix of the compiler's options
   * @param capacity default cache capacity, in computations
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
   * Opens a context. A background thread prepares the device for matrix products, which takes as
   * long as reading a model in a new process; so the context is best opened before the model is
   * read.
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
      // the first product reports the failure
    }
  }

  /** Optimizations that are turned off, and choices for the compilation. */
  Passes passes() {
    return new Passes(optimizations.without(), choices());
  }

  /** Choices for the compilation. */
  Choices choices() {
    return optimizations.choices();
  }

  /**
   * Creates the store of parameters and index vectors for computations compiled with these options.
   */
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

  /** Times of derivatives, as settings of a training. */
  FitOptions.Times derivativeTimes(int margin) {
    return optimizations.times(margin);
  }

  /** Range of times for which a request computes derivatives. */
  DerivativeTimes times(ComputationRequest request) {
    return optimizations.times(request);
  }

  /** Cache settings of computations. {@code --verbose=1} logs each cache miss. */
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
