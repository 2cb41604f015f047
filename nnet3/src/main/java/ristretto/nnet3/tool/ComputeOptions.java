package ristretto.nnet3.tool;

import java.util.List;
import java.util.function.Consumer;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.decode.Chunk;
import ristretto.nnet3.decode.ChunkOptions;

/** Common options of the commands that compute outputs of utterances. */
final class ComputeOptions {
  private static final int KEPT = 128;

  /** Maximum number of input frames in one computation, unless one chunk has more. */
  private static final int MOST_FRAMES = 2048;

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
  final Option<Float> acousticScale;

  /**
   * Adds the options with a default cache capacity for utterances, whose last chunks have many
   * lengths.
   */
  ComputeOptions(Options options, String useGpu) {
    this(options, useGpu, "compiler.", KEPT);
  }

  /**
   * Adds the options with a prefix and a cache capacity of the compiler.
   *
   * @param compilerPrefix prefix of the compiler's options
   * @param kept default cache capacity, in computations
   */
  ComputeOptions(Options options, String useGpu, String compilerPrefix, int kept) {
    extraLeft =
        options.integer(
            "extra-left-context", 0, "Frames of context at the left on top of the network's own");
    extraRight =
        options.integer(
            "extra-right-context", 0, "Frames of context at the right on top of the network's own");
    extraLeftInitial =
        options.integer(
            "extra-left-context-initial",
            -1,
            "If not negative, --extra-left-context at the start of an utterance");
    extraRightFinal =
        options.integer(
            "extra-right-context-final",
            -1,
            "If not negative, --extra-right-context at the end of an utterance");
    subsampling =
        options.integer("frame-subsampling-factor", 1, "Frames of input for one of output");
    framesPerChunk =
        options.integer(
            "frames-per-chunk",
            50,
            "Frames that are computed together, counted in frames of input");
    acousticScale = options.real("acoustic-scale", 1, "What outputs are multiplied by");
    options.bool("debug-computation", false, "Accepted; see --computation.debug");
    this.useGpu =
        options.string(
            "use-gpu",
            useGpu,
            "yes|no|optional|wait, accepted; the variable RISTRETTO_DEVICE chooses the device");
    compilation = new CompilerOptions(options, compilerPrefix, kept);
  }

  /** Options for cutting utterances into chunks, rounded for the modulus of a network. */
  ChunkOptions chunks(int modulus, Log log) {
    var asked =
        new ChunkOptions(
            extraLeft.get(),
            extraRight.get(),
            extraLeftInitial.get(),
            extraRightFinal.get(),
            subsampling.get(),
            framesPerChunk.get());
    ChunkOptions rounded = asked.rounded(modulus);
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
  void check() {
    if (!GPU.contains(useGpu.get())) {
      throw new UsageException(
          "[options] --use-gpu must be one of %s; got \"%s\"; write it so."
              .formatted(String.join(", ", GPU), useGpu.get()));
    }
  }

  /** Opens a context. */
  Context open() {
    return compilation.open();
  }

  /** Creates a compiler for computations of a network. */
  Compiler compiler(Nnet nnet, Context context, Log log) {
    return compiler(nnet, context, _ -> {}, log);
  }

  /**
   * Creates a compiler for computations of a network.
   *
   * @param compiled receives each request that is compiled
   */
  Compiler compiler(Nnet nnet, Context context, Consumer<ComputationRequest> compiled, Log log) {
    return new Compiler(
        nnet,
        compilation.resident(context, log),
        compilation.keeping(log),
        computation -> compiled.accept(computation.request()));
  }

  /** Number of chunks of a form that are computed together. */
  static int sequences(Chunk.Form form) {
    return Math.max(1, MOST_FRAMES / form.inputs());
  }
}
