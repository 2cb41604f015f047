package ristretto.nnet3.egs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.network.Nnet;

/**
 * A training example: network inputs and target outputs for a chunk of an utterance, or for a
 * minibatch of chunks, which differ in the {@code n} of their indexes.
 *
 * @param io inputs and outputs
 */
public record NnetExample(List<NnetIo> io) implements Example<NnetExample> {
  /** Holder for tables of examples. */
  public static final Holder<NnetExample> HOLDER = new ExampleHolder();

  /** Creates an example with at least one input or output. */
  public NnetExample {
    io = List.copyOf(io);
    if (io.isEmpty()) {
      throw new ShapeException(
          "[egs] an example must have inputs or outputs; got none; give at least one.");
    }
  }

  /** Properties that an input or output must share with another one to be merged. */
  private record Part(String name, int cols, List<Index> indexes) {}

  @Override
  public int size() {
    return io.stream().mapToInt(part -> part.indexes().size()).max().orElse(0);
  }

  @Override
  public Object structure() {
    return io.stream()
        .map(part -> new Part(part.name(), part.features().cols(), part.indexes()))
        .toList();
  }

  @Override
  public NnetExample compressed() {
    return new NnetExample(io.stream().map(NnetIo::compressed).toList());
  }

  @Override
  public NnetExample with(List<NnetExample> others) {
    return merge(Stream.concat(Stream.of(this), others.stream()).toList());
  }

  /**
   * Merges examples into one minibatch; the {@code n} of each example follow those of the example
   * before.
   */
  public static NnetExample merge(List<NnetExample> examples) {
    return MergeExamples.apply(examples);
  }

  /**
   * Computation request for this example: inputs are supplied, outputs are requested.
   *
   * @param derivatives true if the backward pass computes derivatives of parameters
   * @param stats true if the forward pass stores component statistics
   * @throws ComputationException if the network lacks an input or output of this example, or if the
   *     example has no inputs or no outputs
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
