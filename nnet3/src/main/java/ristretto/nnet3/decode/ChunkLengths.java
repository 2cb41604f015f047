package ristretto.nnet3.decode;

import java.util.HashMap;
import java.util.Map;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.SimpleContext;

/**
 * How long chunks are. Where it does not matter to outputs, they may be some times as long as asked
 * for, so that less context is computed again: from the time on when that would have saved what a
 * computation costs to compile.
 */
public final class ChunkLengths {
  /** What it costs, in seconds. */
  static final double COMPILATION = 0.1;

  /** Multiplications a second. */
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

  /** Of chunks of a network. */
  public static ChunkLengths of(Nnet nnet, SimpleContext context, ChunkOptions options) {
    return new ChunkLengths(
        options.framesPerChunk(),
        context.left() + context.right() + options.extraLeft() + options.extraRight(),
        Independence.holds(nnet),
        secondsPerFrame(nnet));
  }

  static double secondsPerFrame(Nnet nnet) {
    return nnet.parameterCount() / SPEED;
  }

  /** Frames of each chunk of an utterance of so many frames. */
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
