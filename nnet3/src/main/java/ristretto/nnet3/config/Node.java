package ristretto.nnet3.config;

import java.util.function.UnaryOperator;

/** Node of a network. Names are unique within the network. */
public sealed interface Node {
  /** Returns the name, by which descriptors and requests refer to the node. */
  String name();

  /** Input, whose rows the user supplies. */
  record InputNode(String name, int dim) implements Node {}

  /** Component applied to the rows that a descriptor gathers. */
  record ComponentNode(String name, String component, Descriptor input) implements Node {
    /** Returns the name that Kaldi gives to the component's input, the gathered rows. */
    public String inputName() {
      return name + "_input";
    }
  }

  /** Output: rows that a descriptor gathers for the user; no node can read them. */
  record OutputNode(String name, Descriptor input, ObjectiveType objective) implements Node {}

  /** Columns {@code dimOffset} to {@code dimOffset + dim - 1} of an input or component node. */
  record DimRangeNode(String name, Descriptor.Source source, int dimOffset, int dim)
      implements Node {}

  /** Training objective of an output. */
  enum ObjectiveType {
    /** Sum of outputs times supervision. */
    LINEAR,
    /** Minus half the squared distance to the supervision. */
    QUADRATIC
  }

  /** Returns the descriptor, or null if the node has none. */
  default Descriptor descriptor() {
    return switch (this) {
      case ComponentNode n -> n.input();
      case OutputNode n -> n.input();
      case InputNode n -> null;
      case DimRangeNode n -> null;
    };
  }

  /** Returns this node with another name. */
  default Node named(String newName) {
    return switch (this) {
      case InputNode(String name, int dim) -> new InputNode(newName, dim);
      case ComponentNode(String name, String component, Descriptor input) ->
          new ComponentNode(newName, component, input);
      case OutputNode(String name, Descriptor input, ObjectiveType objective) ->
          new OutputNode(newName, input, objective);
      case DimRangeNode(String name, var source, int dimOffset, int dim) ->
          new DimRangeNode(newName, source, dimOffset, dim);
    };
  }

  /** Returns this node with each source of its descriptor replaced. */
  default Node mapSources(UnaryOperator<Descriptor.Source> f) {
    return switch (this) {
      case InputNode n -> n;
      case ComponentNode(String name, String component, Descriptor input) ->
          new ComponentNode(name, component, input.mapSources(f));
      case OutputNode(String name, Descriptor input, ObjectiveType objective) ->
          new OutputNode(name, input.mapSources(f), objective);
      case DimRangeNode(String name, var source, int dimOffset, int dim) ->
          new DimRangeNode(name, f.apply(source), dimOffset, dim);
    };
  }
}
