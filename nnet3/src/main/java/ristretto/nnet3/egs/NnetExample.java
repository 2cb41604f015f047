package ristretto.nnet3.egs;

import java.util.List;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.io.Holder;

/**
 * What a network is given and what it is to answer: a chunk of an utterance, or a minibatch of such
 * chunks, which differ in the {@code n} of their indexes.
 *
 * @param io inputs and outputs
 */
public record NnetExample(List<NnetIo> io) {
  /** For tables of examples. */
  public static final Holder<NnetExample> HOLDER = new ExampleHolder();

  /** With at least one input or output. */
  public NnetExample {
    io = List.copyOf(io);
    if (io.isEmpty()) {
      throw new ShapeException(
          "[egs] an example must have inputs or outputs; got none; give at least one.");
    }
  }

  /** The number of indexes that the longest input or output has. */
  public int size() {
    return io.stream().mapToInt(part -> part.indexes().size()).max().orElse(0);
  }

  /** The same, with full matrices rounded to one or two bytes an element. */
  public NnetExample compressed() {
    return new NnetExample(io.stream().map(NnetIo::compressed).toList());
  }

  /** Examples as one minibatch: those that follow the first have their n after its. */
  public static NnetExample merge(List<NnetExample> examples) {
    return MergeExamples.apply(examples);
  }
}
