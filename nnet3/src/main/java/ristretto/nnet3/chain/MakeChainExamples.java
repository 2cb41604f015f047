package ristretto.nnet3.chain;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import ristretto.nnet3.egs.ChunkInputs;
import ristretto.nnet3.egs.Chunker;
import ristretto.nnet3.egs.ExampleChunk;
import ristretto.nnet3.matrix.GeneralMatrix;

/**
 * Makes examples from utterances, one per chunk.
 *
 * @param normalization adds costs to supervisions; null for examples that are normalized later
 * @param unconstrained makes end-to-end supervisions of those with transitions as labels; null to
 *     keep them
 * @param tolerance largest difference in output frames between supervision and features
 * @param compress true to compress features
 * @param warnings receives lines about what is left out
 */
public record MakeChainExamples(
    Chunker chunker,
    ChunkInputs inputs,
    NormalizeSupervision normalization,
    UnconstrainedSupervision unconstrained,
    int tolerance,
    boolean compress,
    Consumer<String> warnings) {
  /**
   * Makes the examples of an utterance; returns false, with a warning, if it is too short or if
   * features and supervision differ in their length.
   *
   * @param ivectors i-vectors, or null
   * @param weights weights of the derivative of each output frame, or null
   * @param to receives chunks and their examples
   */
  public boolean make(
      String key,
      GeneralMatrix features,
      ChainSupervision supervision,
      ChunkInputs.Ivectors ivectors,
      float[] weights,
      BiConsumer<ExampleChunk, ChainExample> to) {
    int factor = chunker.options().subsampling();
    int expected = Math.ceilDiv(features.rows(), factor);
    if (Math.abs(supervision.frames() - expected) > tolerance) {
      warn(
          "Supervision does not have expected length for utterance %s: expected length = %d, got"
              + " %d",
          key, expected, supervision.frames());
      return false;
    }
    int frames = (int) Math.min(features.rows(), (long) supervision.frames() * factor);
    List<ExampleChunk> chunks = chunker.chunks(frames);
    if (chunks.isEmpty()) {
      warn(
          "Not producing egs for utterance %s because it is too short: %d frames.",
          key, features.rows());
      return false;
    }
    var splitter = new SplitSupervision(supervision);
    for (ExampleChunk chunk : chunks) {
      int first = chunk.first() / factor;
      int count = chunk.size() / factor;
      Optional<ChainSupervision> part = part(splitter.range(first, count), key, chunk);
      if (part.isEmpty()) {
        continue;
      }
      var output =
          new ChainExample.Output(
              "output",
              ChunkInputs.times(0, count, factor),
              part.get(),
              weights(chunk, first, count, weights));
      var example = new ChainExample(inputs.of(key, features, chunk, ivectors), List.of(output));
      to.accept(chunk, compress ? example.compressed() : example);
    }
    return true;
  }

  private void warn(String format, Object... values) {
    warnings.accept(String.format(Locale.ROOT, format, values));
  }

  private Optional<ChainSupervision> part(ChainSupervision range, String key, ExampleChunk chunk) {
    Optional<ChainSupervision> part = Optional.of(range);
    if (unconstrained != null) {
      part = unconstrained.apply(range);
      if (part.isEmpty()) {
        warn(
            "The supervision of utterance %s from frame %d on is too large; it is left out.",
            key, chunk.first());
      }
    }
    if (normalization != null && part.isPresent()) {
      part = normalization.apply(part.get());
      if (part.isEmpty()) {
        warn(
            "For utterance %s, feature frames %d to %d, FST was empty after composing with"
                + " normalization FST. The example is left out.",
            key, chunk.first(), chunk.first() + chunk.size());
      }
    }
    return part;
  }

  /** The last frame of an utterance may have fewer input frames than the others. */
  private static float[] weights(ExampleChunk chunk, int first, int count, float[] given) {
    float[] of = Arrays.copyOf(chunk.weights(), count);
    for (int k = 0; given != null && k < count; k++) {
      of[k] *= first + k < given.length ? given[first + k] : 0;
    }
    return of;
  }
}
