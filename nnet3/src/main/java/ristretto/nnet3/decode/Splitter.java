package ristretto.nnet3.decode;

import java.util.ArrayList;
import java.util.List;
import ristretto.nnet3.SimpleContext;

/** Cuts utterances into chunks. */
public sealed interface Splitter {
  /** The chunks of an utterance of so many frames; their wanted outputs follow each other. */
  List<Chunk> split(int frames, Ivectors ivectors);

  /**
   * As nnet3-compute does: the last chunk is shorter.
   *
   * @param lengths what chunks have instead of {@code framesPerChunk}
   */
  record Simple(ChunkOptions options, SimpleContext context, ChunkLengths lengths)
      implements Splitter {
    /** Frames after the time of the last ivector for which it serves. */
    private static final int MARGIN = 50;

    @Override
    public List<Chunk> split(int frames, Ivectors ivectors) {
      int stride = options.subsampling();
      int all = options.outputs(frames);
      boolean varies = ivectors instanceof Ivectors.Online;
      int each = (varies ? options.framesPerChunk() : lengths.of(frames)) / stride;
      var chunks = new ArrayList<Chunk>();
      for (int at = 0; at < all; at += each) {
        int outputs = Math.min(each, all - at);
        int first = at * stride;
        int last = (at + outputs - 1) * stride;
        int left = context.left() + options.left(at == 0);
        int right = context.right() + options.right(at + outputs == all);
        chunks.add(
            new Chunk(
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
   * As nnet3-compute-batch does: all chunks have one length. The last one of an utterance goes back
   * as far as it must, and what is known already is not used; only an utterance shorter than a
   * chunk goes on with copies of its last frame, or is computed alone.
   *
   * @param exact whether short utterances are computed alone
   */
  record Even(ChunkOptions options, SimpleContext context, boolean exact) implements Splitter {
    /** The middle of a chunk may come long after the end of a short utterance. */
    private static final int MARGIN = Integer.MAX_VALUE;

    @Override
    public List<Chunk> split(int frames, Ivectors ivectors) {
      int stride = options.subsampling();
      int all = options.outputs(frames);
      int each = options.framesPerChunk() / stride;
      if (all < each && exact) {
        each = all;
      }
      var chunks = new ArrayList<Chunk>();
      for (int at = 0; at < all; at += each) {
        int begin = Math.max(0, Math.min(at, all - each));
        int end = begin + each;
        int left = context.left() + options.left(begin == 0);
        int right = context.right() + options.right(end >= all);
        boolean edge =
            options.left(begin == 0) != options.extraLeft()
                || options.right(end >= all) != options.extraRight();
        chunks.add(
            new Chunk(
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
   * One output for all frames.
   *
   * @param least frames of input, by copies of the first and of the last one
   */
  record Whole(int least) implements Splitter {
    @Override
    public List<Chunk> split(int frames, Ivectors ivectors) {
      int first = -Math.max(0, least - frames) / 2;
      int inputs = Math.max(least, frames);
      return List.of(new Chunk(first, inputs, first, 1, 1, 0, 1, null, false, 0));
    }
  }
}
