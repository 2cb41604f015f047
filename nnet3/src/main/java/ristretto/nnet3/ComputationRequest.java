package ristretto.nnet3;

import java.util.List;

/**
 * What a computation is to do: the rows that the user supplies, and those that the user wants.
 *
 * @param inputs input nodes, or component nodes of which rows are known from before
 * @param outputs output nodes
 * @param needModelDerivative whether backward changes parameters
 * @param storeComponentStats whether forward changes statistics
 */
public record ComputationRequest(
    List<Io> inputs, List<Io> outputs, boolean needModelDerivative, boolean storeComponentStats) {
  /**
   * Rows of a node.
   *
   * @param name of the node
   * @param indexes of the rows, in the order of the user's matrix
   * @param hasDeriv whether a derivative belongs to them: wanted of inputs, supplied for outputs
   */
  public record Io(String name, List<Index> indexes, boolean hasDeriv) {
    /** Rows in any order. */
    public Io {
      indexes = List.copyOf(indexes);
    }
  }

  /** Each node at most once among the inputs, and at most once among the outputs. */
  public ComputationRequest {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    RequestText.check(inputs, "input");
    RequestText.check(outputs, "output");
  }

  /** Whether the computation has a backward part. */
  public boolean needDerivatives() {
    return needModelDerivative || inputs.stream().anyMatch(Io::hasDeriv);
  }

  /** The same without a backward part. */
  public ComputationRequest withoutDerivatives() {
    return new ComputationRequest(
        inputs.stream().map(io -> new Io(io.name(), io.indexes(), false)).toList(),
        outputs,
        false,
        storeComponentStats);
  }

  /**
   * Reads lines of {@code need-model-derivative 0|1}, {@code store-component-stats 0|1}, and {@code
   * input|output NAME has-deriv=0|1}, the last followed by lines for its rows: {@code n t [x]}, or
   * {@code range [order=nt|tn] n=a:b t=a:b[:step] [x=a:b]}, ends exclusive, the first of the order
   * outermost, x innermost.
   *
   * @param source what messages call the text, such as its file
   * @throws ComputationException if a line has another form
   */
  public static ComputationRequest parse(String source, String text) {
    return new RequestText(source).parse(text);
  }

  /** As Kaldi prints it, runs of t together. */
  @Override
  public String toString() {
    return RequestText.print(this);
  }
}
