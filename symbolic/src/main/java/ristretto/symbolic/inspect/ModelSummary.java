package ristretto.symbolic.inspect;

import java.util.List;
import java.util.OptionalLong;
import ristretto.symbolic.graph.Dims;

/**
 * Table of a model's inputs and operators: output shapes, parameters, floating-point operations and
 * memory, as {@code executor.summary()} returns it. {@link #toString} prints the table.
 *
 * @param rows inputs, then operators in the order in which a forward pass runs them
 * @param sizes shapes of the inputs that operations and memory refer to, such as {@code x[100,784]}
 */
public record ModelSummary(List<Row> rows, String sizes) {
  /**
   * Input or operator.
   *
   * @param name name of the input or operator
   * @param outputs shapes of the outputs, in which dimensions that depend on the inputs' sizes are
   *     unknown
   * @param dtype dtype of the first output
   * @param parameters number of elements of the parameters that no earlier row has
   * @param shares true if the operator reads parameters of earlier rows
   * @param operations floating-point operations of a forward pass in evaluation mode, see {@link
   *     ristretto.expr.Expr#operationCount}; empty if unknown
   * @param bytes memory of outputs, and of parameters and states that no earlier row has; empty if
   *     unknown. A run takes less for operators that are fused with others, and for outputs whose
   *     live ranges are disjoint.
   */
  public record Row(
      String name,
      List<Dims> outputs,
      String dtype,
      long parameters,
      boolean shares,
      OptionalLong operations,
      OptionalLong bytes) {
    public Row {
      outputs = List.copyOf(outputs);
    }

    private String shapes() {
      return dtype + String.join(", ", outputs.stream().map(Dims::toString).toList());
    }

    private String parameterText() {
      return parameters > 0 ? Quantities.exact(parameters) : shares ? "shared" : "";
    }
  }

  public ModelSummary {
    rows = List.copyOf(rows);
  }

  /** Returns the number of elements of all parameters, each parameter counted once. */
  public long parameters() {
    return rows.stream().mapToLong(Row::parameters).sum();
  }

  /** Returns the floating-point operations of a forward pass, as far as they are known. */
  public long operations() {
    return rows.stream().mapToLong(r -> r.operations.orElse(0)).sum();
  }

  /** Returns the bytes of parameters, states, inputs and outputs, as far as they are known. */
  public long bytes() {
    return rows.stream().mapToLong(r -> r.bytes.orElse(0)).sum();
  }

  /** Returns true if operations and bytes of all rows are known. */
  public boolean isComplete() {
    return rows.stream().allMatch(r -> r.operations.isPresent() && r.bytes.isPresent());
  }

  private static String text(OptionalLong n, java.util.function.LongFunction<String> format) {
    return n.isPresent() ? format.apply(n.getAsLong()) : "?";
  }

  private static String share(OptionalLong n, long whole) {
    return n.orElse(0) > 0 ? Quantities.percent(n.getAsLong(), whole) : "";
  }

  /** Returns the table, with totals. */
  @Override
  public String toString() {
    var table = new TextTable("llrrrrr");
    table.row("layer", "output", "parameters", "FLOPs", "", "memory", "");
    for (Row r : rows) {
      table.row(
          r.name,
          r.shapes(),
          r.parameterText(),
          r.operations.equals(OptionalLong.of(0)) ? "" : text(r.operations, Quantities::count),
          share(r.operations, operations()),
          text(r.bytes, Quantities::bytes),
          share(r.bytes, bytes()));
    }
    table.row(
        "total",
        "",
        Quantities.exact(parameters()),
        Quantities.count(operations()),
        "",
        Quantities.bytes(bytes()),
        "");
    return table
        + "FLOPs and memory of a forward pass"
        + (sizes.isEmpty() ? "" : " with " + sizes)
        + (isComplete() ? "" : "; totals without rows marked ?")
        + "\n";
  }
}
