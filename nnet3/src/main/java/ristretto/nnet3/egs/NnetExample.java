package ristretto.nnet3.egs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.Node;
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

  /**
   * What to compute of a network with this example: its inputs are supplied, its outputs wanted.
   *
   * @param derivatives whether backward changes parameters
   * @param stats whether forward changes statistics
   * @throws ComputationException if the network has no node of a name
   */
  public ComputationRequest request(Nnet nnet, boolean derivatives, boolean stats) {
    List<ComputationRequest.Io> inputs = new ArrayList<>();
    List<ComputationRequest.Io> outputs = new ArrayList<>();
    for (NnetIo part : io) {
      if (nnet.inputDim(part.name()) >= 0) {
        inputs.add(new ComputationRequest.Io(part.name(), part.indexes(), false));
      } else if (nnet.outputDim(part.name()) >= 0) {
        outputs.add(new ComputationRequest.Io(part.name(), part.indexes(), derivatives));
      } else {
        List<String> known =
            nnet.nodes().stream()
                .filter(n -> n instanceof Node.InputNode || n instanceof Node.OutputNode)
                .map(Node::name)
                .toList();
        throw new ComputationException(
            "[egs] an example's inputs and outputs must be the network's; got \"%s\" for %s; rename it."
                .formatted(Excerpt.of(part.name()), known));
      }
    }
    if (inputs.isEmpty() || outputs.isEmpty()) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[egs] an example must have inputs and outputs; got %d and %d; make it again.",
              inputs.size(),
              outputs.size()));
    }
    return new ComputationRequest(inputs, outputs, derivatives, stats);
  }
}
