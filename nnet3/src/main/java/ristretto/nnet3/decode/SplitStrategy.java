package ristretto.nnet3.decode;

import java.util.ArrayList;
import java.util.List;
import ristretto.nnet3.network.SimpleContext;

/** Strategy that splits utterances into chunks. */
public sealed interface SplitStrategy {
  /**
   * Returns the chunks of an utterance; the outputs that they keep are consecutive.
   *
   * @param frames number of input frames
   */
  List<UtteranceChunk> split(int frames, Ivectors ivectors);

  /**
   * Splitting of nnet3-compute: the last chunk is shorter.
   *
   * @param lengths chunk lengths, used instead of {@code framesPerChunk} unless i-vectors vary
   */
  record Simple(SplitOptions options, SimpleContext context, ChunkLengths lengths)
      implements SplitStrategy {
    /** Maximum number of frames after its time for which the last i-vector is used. */
    private static final int MARGIN = 50;

    @Override
    public List<UtteranceChunk> split(int frames, Ivectors ivectors) {
      int stride = options.subsampling();
      int all = options.outputs(frames);
      boolean varies = ivectors instanceof Ivectors.Online;
      int each = (varies ? options.framesPerChunk() : lengths.of(frames)) / stride;
      var chunks = new ArrayList<UtteranceChunk>();
      for (int at = 0; at < all; at += each) {
        int outputs = Math.min(each, all - at);
        int first = at * stride;
        int last = (at + outputs - 1) * stride;
        int left = context.left() + options.left(at == 0);
        int right = context.right() + options.right(at + outputs == all);
        chunks.add(
            new UtteranceChunk(
                first - left,
                last + right + 1 - (first - left),
                first,
                outputs,
                stride,
                0,
                outputs,
                ivectors.at(first + (last - first) / 2, MARGIN),
                false,
                each));
      }
      return chunks;
    }
  }

  /**
   * Splitting of nnet3-compute-batch: all chunks have equal length. The last chunk of an utterance
   * begins early enough to be full; outputs computed before are discarded. An utterance shorter
   * than a chunk is extended with copies of its last frame, or is computed as a shorter chunk.
   *
   * @param exact true to compute short utterances as shorter chunks
   */
  record Even(SplitOptions options, SimpleContext context, boolean exact) implements SplitStrategy {
    /** Unlimited: the middle of a chunk may be far after the end of a short utterance. */
    private static final int MARGIN = Integer.MAX_VALUE;

    @Override
    public List<UtteranceChunk> split(int frames, Ivectors ivectors) {
      int stride = options.subsampling();
      int all = options.outputs(frames);
      int each = options.framesPerChunk() / stride;
      if (all < each && exact) {
        each = all;
      }
      var chunks = new ArrayList<UtteranceChunk>();
      for (int at = 0; at < all; at += each) {
        int begin = Math.max(0, Math.min(at, all - each));
        int end = begin + each;
        int left = context.left() + options.left(begin == 0);
        int right = context.right() + options.right(end >= all);
        boolean edge =
            options.left(begin == 0) != options.extraLeft()
                || options.right(end >= all) != options.extraRight();
        chunks.add(
            new UtteranceChunk(
                begin * stride - left,
                left + each * stride + right,
                begin * stride,
                each,
                stride,
                at - begin,
                Math.min(each, all - at),
                ivectors.at((begin + each / 2) * stride, MARGIN),
                edge,
                0));
      }
      return chunks;
    }
  }

  /**
   * Single output for the whole utterance.
   *
   * @param least minimum number of input frames, reached with copies of the first and last frame
   */
  record Whole(int least) implements SplitStrategy {
    @Override
    public List<UtteranceChunk> split(int frames, Ivectors ivectors) {
      int first = -Math.max(0, least - frames) / 2;
      int inputs = Math.max(least, frames);
      return List.of(new UtteranceChunk(first, inputs, first, 1, 1, 0, 1, null, false, 0));
    }
  }
}
