package ristretto.nnet3.decode;

import java.io.Serializable;
import ristretto.expr.Context;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.CompileSettings;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;
import ristretto.nnet3.step.DeviceParameters;

/**
 * Settings for the outputs of utterances, for computers in any process.
 *
 * @param chunks chunks of utterances
 * @param context input context of an output frame
 * @param settings optimizations of programs, and options for the network
 * @param capacity maximum number of compiled computations that are kept
 */
public record UtteranceJob(
    SplitOptions chunks, SimpleContext context, CompileSettings settings, int capacity)
    implements Serializable {
  /** Maximum number of input frames in one computation, unless one chunk has more. */
  private static final int MOST_FRAMES = 2048;

  /** Returns the number of chunks of a form that are computed together. */
  public static int sequences(UtteranceChunk.Form form) {
    return Math.max(1, MOST_FRAMES / form.inputs());
  }

  /** Creates a computer on a device with the settings. */
  public UtteranceComputer computer(Nnet nnet, Context device) {
    var parameters = new DeviceParameters(device);
    parameters.lowering(settings.lowering());
    return computer(nnet, new Compiler(nnet, parameters, CacheSettings.quietly(capacity), _ -> {}));
  }

  /** Creates a computer with a compiler. */
  public UtteranceComputer computer(Nnet nnet, Compiler compiler) {
    var splitter =
        new SplitStrategy.Simple(chunks, context, ChunkLengths.of(nnet, context, chunks));
    return new UtteranceComputer(nnet, compiler, splitter, UtteranceJob::sequences);
  }
}
