package ristretto.nnet3.cli.options;

import java.util.List;
import java.util.function.Consumer;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.decode.SplitOptions;
import ristretto.nnet3.decode.UtteranceChunk;
import ristretto.nnet3.decode.UtteranceJob;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;

/** Common options of the commands that compute outputs of utterances. */
public final class ComputeOptions {
  private static final int KEPT = 128;

  private static final List<String> GPU = List.of("yes", "no", "optional", "wait");

  private final Option<Integer> extraLeft;
  private final Option<Integer> extraRight;
  private final Option<Integer> extraLeftInitial;
  private final Option<Integer> extraRightFinal;
  private final Option<Integer> subsampling;
  private final Option<Integer> framesPerChunk;
  private final CompilerOptions compilation;
  private final Option<String> useGpu;

  /** Factor of the outputs. */
  public final Option<Float> acousticScale;

  /**
   * Adds the options with a default cache capacity for utterances, whose last chunks have many
   * lengths.
   */
  public ComputeOptions(ParseOptions options, String useGpu) {
    this(options, useGpu, 1, "compiler.", KEPT);
  }

  /** Adds the options of a recognizer, whose outputs are scaled by {@code acousticScale}. */
  public ComputeOptions(ParseOptions options, float acousticScale) {
    this(options, "yes", acousticScale, "compiler.", KEPT);
  }

  /**
   * Adds the options with a prefix and a cache capacity of the compiler.
   *
   * @param compilerPrefix prefix of the compiler's options
   * @param kept default cache capacity, in computations
   */
  public ComputeOptions(ParseOptions options, String useGpu, String compilerPrefix, int kept) {
    this(options, useGpu, 1, compilerPrefix, kept);
  }

  private ComputeOptions(
      ParseOptions options, String useGpu, float scale, String compilerPrefix, int kept) {
    extraLeft =
        options.integer(
            "extra-left-context", 0, "Frames of left context in addition to the network's own");
    extraRight =
        options.integer(
            "extra-right-context", 0, "Frames of right context in addition to the network's own");
    extraLeftInitial =
        options.integer(
            "extra-left-context-initial",
            -1,
            "If not negative, overrides --extra-left-context at the start of an utterance");
    extraRightFinal =
        options.integer(
            "extra-right-context-final",
            -1,
            "If not negative, overrides --extra-right-context at the end of an utterance");
    subsampling =
        options.integer("frame-subsampling-factor", 1, "Number of input frames per output frame");
    framesPerChunk =
        options.integer(
            "frames-per-chunk",
            50,
            "Size of the chunks that are computed together, in input frames");
    acousticScale = options.real("acoustic-scale", scale, "Factor of the outputs");
    options.bool("debug-computation", false, "Accepted without effect; see --computation.debug");
    this.useGpu =
        options.string(
            "use-gpu",
            useGpu,
            "yes|no|optional|wait, accepted without effect; RISTRETTO_DEVICE chooses the device");
    compilation = new CompilerOptions(options, compilerPrefix, kept);
  }

  /** Options for cutting utterances into chunks, rounded for the modulus of a network. */
  public SplitOptions chunks(int modulus, CommandLog log) {
    var asked =
        new SplitOptions(
            extraLeft.get(),
            extraRight.get(),
            extraLeftInitial.get(),
            extraRightFinal.get(),
            subsampling.get(),
            framesPerChunk.get());
    SplitOptions rounded = asked.rounded(modulus);
    if (!rounded.equals(asked) && modulus == 1) {
      log.info(
          "Increasing --frames-per-chunk from %d to %d to make it a multiple of"
              + " --frame-subsampling-factor=%d",
          asked.framesPerChunk(), rounded.framesPerChunk(), asked.subsampling());
    } else if (!rounded.equals(asked)) {
      log.info(
          "Increasing --frames-per-chunk from %d to %d due to --frame-subsampling-factor=%d and"
              + " nnet shift-invariance modulus = %d",
          asked.framesPerChunk(), rounded.framesPerChunk(), asked.subsampling(), modulus);
    }
    return rounded;
  }

  /** Refuses an unknown value of {@code --use-gpu}. */
  public void check() {
    if (!GPU.contains(useGpu.get())) {
      throw new UsageException(
          "[options] --use-gpu must be one of %s; got \"%s\"; correct it."
              .formatted(String.join(", ", GPU), useGpu.get()));
    }
  }

  /** Opens a context. */
  public Context open() {
    return compilation.open();
  }

  /** Creates a compiler for computations of a network. */
  public Compiler compiler(Nnet nnet, Context context, CommandLog log) {
    return compiler(nnet, context, _ -> {}, log);
  }

  /**
   * Creates a compiler for computations of a network.
   *
   * @param compiled receives each request that is compiled
   */
  public Compiler compiler(
      Nnet nnet, Context context, Consumer<ComputationRequest> compiled, CommandLog log) {
    return new Compiler(
        nnet,
        compilation.deviceParameters(context, log),
        compilation.cache(log),
        computation -> compiled.accept(computation.request()));
  }

  /** Settings for computers of outputs in other processes. */
  public UtteranceJob job(SplitOptions chunks, SimpleContext context, CommandLog log) {
    return new UtteranceJob(
        chunks, context, compilation.settings(), compilation.cache(log).capacity());
  }

  /** Number of chunks of a form that are computed together. */
  public static int sequences(UtteranceChunk.Form form) {
    return UtteranceJob.sequences(form);
  }
}
