package ristretto.nnet3.decode;

import java.util.HashMap;
import java.util.Map;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;

/**
 * Choice of chunk lengths. If outputs do not depend on chunk boundaries, chunks may be a small
 * multiple of the requested length, so that less context is recomputed. A longer length is used
 * once the time it would have saved exceeds the time to compile its computation.
 */
public final class ChunkLengths {
  /** Estimated time to compile a computation, in seconds. */
  static final double COMPILATION = 0.1;

  /** Estimated multiplications per second. */
  private static final double SPEED = 2e10;

  private static final int MOST_TIMES = 4;

  private final int usual;
  private final int context;
  private final boolean free;
  private final double secondsPerFrame;
  private final Map<Integer, Double> savings = new HashMap<>();

  private ChunkLengths(int usual, int context, boolean free, double secondsPerFrame) {
    this.usual = usual;
    this.context = context;
    this.free = free;
    this.secondsPerFrame = secondsPerFrame;
  }

  /** Creates the choice of chunk lengths for a network. */
  public static ChunkLengths of(Nnet nnet, SimpleContext context, SplitOptions options) {
    return new ChunkLengths(
        options.framesPerChunk(),
        context.left() + context.right() + options.extraLeft() + options.extraRight(),
        ChunkIndependence.holds(nnet),
        secondsPerFrame(nnet));
  }

  static double secondsPerFrame(Nnet nnet) {
    return nnet.parameterCount() / SPEED;
  }

  /** Returns the frames per chunk for an utterance of {@code frames} frames. */
  int of(int frames) {
    if (!free) {
      return usual;
    }
    int best = usual;
    int chosen = usual;
    for (int times = 2; times <= MOST_TIMES; times++) {
      int length = times * usual;
      best = cost(frames, length) < cost(frames, best) ? length : best;
      boolean own = savings.getOrDefault(length, 0.0) > COMPILATION;
      chosen = own && cost(frames, length) < cost(frames, chosen) ? length : chosen;
    }
    double saved = (cost(frames, chosen) - cost(frames, best)) * secondsPerFrame;
    savings.merge(best, saved, Double::sum);
    return chosen;
  }

  private long cost(int frames, int length) {
    return (frames + length - 1L) / length * (length + context);
  }
}
