package ristretto.nnet3.decode;

import java.util.ArrayList;
import java.util.List;
import ristretto.nnet3.SimpleContext;

/** Cuts utterances into chunks. */
public sealed interface Splitter {
  /** The chunks of an utterance of so many frames; their wanted outputs follow each other. */
  List<Chunk> split(int frames, Ivectors ivectors);

  /** As nnet3-compute does: the last chunk is shorter. */
  record Simple(ChunkOptions options, SimpleContext context) implements Splitter {
    /** Frames after the time of the last ivector for which it serves. */
    private static final int MARGIN = 50;

    @Override
    public List<Chunk> split(int frames, Ivectors ivectors) {
      int stride = options.subsampling();
      int all = options.outputs(frames);
      int each = options.framesPerChunk() / stride;
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
                false));
      }
      return chunks;
    }
  }
}
