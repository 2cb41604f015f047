package ristretto.nnet3.cli.options;

import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import ristretto.expr.Context;
import ristretto.kernels.RistrettoException;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.CompileSettings;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.DerivativeTimes;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.fit.FitOptions;
import ristretto.nnet3.step.DeviceParameters;

/**
 * Options of commands that compile computations: Kaldi's {@code --optimization.*}, {@code
 * --compiler.*} and {@code --computation.*}.
 */
public final class CompilerOptions {
  /** Kaldi's default cache capacity, in computations. */
  public static final int CAPACITY = 64;

  /** Level of {@code --verbose} from which computations are logged, as in Kaldi. */
  private static final int VERBOSE_DEBUG = 5;

  private final ParseOptions options;
  private final OptimizationOptions optimizations;
  private final Option<Integer> capacity;
  private final Option<Boolean> shortcut;
  private final Option<Boolean> debug;
  private boolean told;

  /** Adds the options with Kaldi's prefixes and cache capacity. */
  public CompilerOptions(ParseOptions options) {
    this(options, "compiler.", CAPACITY);
  }

  /**
   * Adds the options with a prefix and a cache capacity.
   *
   * @param prefix prefix of the compiler's options
   * @param capacity default cache capacity, in computations
   */
  public CompilerOptions(ParseOptions options, String prefix, int capacity) {
    this.options = options;
    optimizations = new OptimizationOptions(options);
    shortcut =
        options.bool(
            prefix + "use-shortcut",
            true,
            "Plan requests that differ only in the number of sequences once");
    this.capacity =
        options.integer(
            prefix + "cache-capacity",
            capacity,
            "Capacity of the cache of computations; the least recently used one is dropped");
    debug = options.bool("computation.debug", false, "Log the steps of each computation");
  }

  /**
   * Opens a context. A background thread prepares the device for matrix products, which takes as
   * long as reading a model in a new process; so the context is best opened before the model is
   * read.
   */
  public Context open() {
    Context context = settings().open();
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
  public CompileSettings settings() {
    return new CompileSettings(optimizations.without(), lowering());
  }

  /** Choices for the compilation. */
  public LoweringOptions lowering() {
    return optimizations.lowering();
  }

  /**
   * Creates the store of parameters and index vectors for computations compiled with these options.
   */
  public DeviceParameters deviceParameters(Context context, CommandLog log) {
    tell(log);
    var deviceParameters = new DeviceParameters(context);
    deviceParameters.lowering(lowering());
    return deviceParameters;
  }

  private void tell(CommandLog log) {
    if (options.verbose() > 0 && !told) {
      told = true;
      optimizations.tell(log);
    }
  }

  /** Times of derivatives, as settings of a training. */
  public FitOptions.Times derivativeTimes(int margin) {
    return optimizations.times(margin);
  }

  /** Range of times for which a request computes derivatives. */
  public DerivativeTimes times(ComputationRequest request) {
    return optimizations.times(request);
  }

  /** Cache settings of computations. {@code --verbose=1} logs each cache miss. */
  public CacheSettings cache(CommandLog log) {
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
    return new CacheSettings(
        capacity.get(),
        shortcut.get(),
        options.verbose() > 0 ? tell : _ -> {},
        debug.get() || options.verbose() >= VERBOSE_DEBUG ? tell : _ -> {});
  }
}
