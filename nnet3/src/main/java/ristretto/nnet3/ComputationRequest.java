package ristretto.nnet3;

import java.util.List;

/**
 * Specification of a computation: the rows that the user supplies and the rows that the user wants.
 *
 * @param inputs input nodes, or component nodes with rows known from an earlier computation
 * @param outputs output nodes
 * @param needModelDerivative true if the backward pass updates parameters
 * @param storeComponentStats true if the forward pass updates component statistics
 */
public record ComputationRequest(
    List<Io> inputs, List<Io> outputs, boolean needModelDerivative, boolean storeComponentStats) {
  /**
   * Rows of a node.
   *
   * @param name of the node
   * @param indexes of the rows, in the order of the user's matrix
   * @param hasDeriv true if the rows have a derivative: computed for inputs, supplied for outputs
   */
  public record Io(String name, List<Index> indexes, boolean hasDeriv) {
    /** Copies the list of rows, which may be in any order. */
    public Io {
      indexes = List.copyOf(indexes);
    }
  }

  /**
   * Checks that each node occurs at most once among the inputs, and at most once among the outputs.
   */
  public ComputationRequest {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    RequestText.check(inputs, "input");
    RequestText.check(outputs, "output");
  }

  /** Returns true if the computation has a backward pass. */
  public boolean needDerivatives() {
    return needModelDerivative || inputs.stream().anyMatch(Io::hasDeriv);
  }

  /** Returns this request without a backward pass. */
  public ComputationRequest withoutDerivatives() {
    return new ComputationRequest(
        inputs.stream().map(io -> new Io(io.name(), io.indexes(), false)).toList(),
        outputs,
        false,
        storeComponentStats);
  }

  /**
   * Reads a request from text: lines of {@code need-model-derivative 0|1}, {@code
   * store-component-stats 0|1}, and {@code input|output NAME has-deriv=0|1}, the last followed by
   * lines for its rows: {@code n t [x]}, or {@code range [order=nt|tn] n=a:b t=a:b[:step] [x=a:b]},
   * with exclusive ends; the first variable of the order is outermost, x innermost.
   *
   * @param source name of the text in messages, such as its file
   * @throws ComputationException if a line has another form
   */
  public static ComputationRequest parse(String source, String text) {
    return new RequestText(source).parse(text);
  }

  /** Returns the text that Kaldi prints, with consecutive t merged into ranges. */
  @Override
  public String toString() {
    return RequestText.print(this);
  }
}
