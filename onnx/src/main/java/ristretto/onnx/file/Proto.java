package ristretto.onnx.file;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import ristretto.expr.type.Shape;

/** Messages of an ONNX file, with the fields that the import reads. */
public final class Proto {
  private Proto() {}

  /**
   * A model.
   *
   * @param opsets version of the operator set of each domain; the standard domain is ""
   * @param functions operators that are graphs of other operators
   */
  public record Model(
      Map<String, Long> opsets, Graph graph, List<Function> functions, String producer) {}

  /**
   * A graph of operators.
   *
   * @param initializers constants and weights
   * @param inputs inputs; those with the name of an initializer may be omitted
   */
  public record Graph(
      String name,
      List<Node> nodes,
      List<Tensor> initializers,
      List<Declaration> inputs,
      List<Declaration> outputs) {}

  /** An operator of the file. */
  public record Function(
      String domain,
      String name,
      String overload,
      List<String> inputs,
      List<String> outputs,
      List<Attribute> defaults,
      List<Node> nodes,
      Map<String, Long> opsets) {}

  /**
   * Application of an operator.
   *
   * @param inputs names of values; "" for an omitted input
   */
  public record Node(
      String domain,
      String operator,
      String overload,
      String name,
      List<String> inputs,
      List<String> outputs,
      List<Attribute> attributes) {}

  /**
   * Attribute of a node.
   *
   * @param reference name of the function's attribute that has the value; "" if it is here
   * @param value a Long, Float, String, Tensor, Graph, or a list of them; null if empty
   */
  public record Attribute(String name, String reference, Object value) {}

  /**
   * Declared type of an input or output.
   *
   * @param type element type; UNDEFINED for what is no dense tensor
   * @param dims extents, -1 for unknown; null if the rank is unknown
   * @param kind name of the kind of value, for messages
   */
  public record Declaration(String name, ElementType type, List<Long> dims, String kind) {}

  /**
   * A tensor.
   *
   * @param data row-major elements of the type's dtype; null if no dtype holds the type's values
   */
  public record Tensor(String name, ElementType type, Shape shape, MemorySegment data) {}
}
