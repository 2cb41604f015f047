package ristretto.nnet3.network;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Component;
import ristretto.nnet3.config.ConfigException;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/**
 * Network: an ordered list of nodes, whose order also determines the order of rows in computations,
 * and the components that the nodes name. The list of nodes is immutable; methods that change nodes
 * return a new network that shares the components.
 */
public final class Nnet {
  private final List<Node> nodes;
  private final Map<String, Integer> numbers;
  private final Map<String, Component> components;

  /** Creates a network of nodes that {@link ReadConfig} has checked. */
  Nnet(List<Node> nodes, Map<String, Component> components) {
    this.nodes = List.copyOf(nodes);
    this.components = Collections.unmodifiableMap(new LinkedHashMap<>(components));
    var places = new LinkedHashMap<String, Integer>();
    for (int i = 0; i < nodes.size(); i++) {
      places.put(nodes.get(i).name(), i);
    }
    this.numbers = Collections.unmodifiableMap(places);
  }

  /**
   * Creates the network that a config describes.
   *
   * @param source name of the config in messages, such as its file
   * @param text the config; its lines can name parameter files, and commands only if {@link
   *     ristretto.nnet3.io.PipePermission} allows them
   * @param seed of the initial parameter values: equal seeds give equal networks
   * @throws ConfigException if the config breaks a rule
   */
  public static Nnet fromConfig(String source, String text, long seed) {
    return new ReadConfig(Map.of(), seed).read(List.of(), ConfigLine.parse(source, text));
  }

  /**
   * Returns this network with the nodes and components of a config added; they replace those of the
   * same name.
   */
  public Nnet withConfig(String source, String text, long seed) {
    return new ReadConfig(components, seed).read(existingLines(), ConfigLine.parse(source, text));
  }

  /**
   * Creates a network from config lines of nodes, and components.
   *
   * @param config the lines of a model's header, which can open no files
   */
  public static Nnet of(String source, String config, Map<String, Component> components) {
    return new ReadConfig(components, 0).read(List.of(), ConfigLine.parseHeader(source, config));
  }

  /**
   * Reads the network of a {@code .raw} or {@code .mdl} file.
   *
   * @param rxfilename its path, {@code -} for standard input, or {@code command |}
   */
  public static Nnet load(String rxfilename) {
    return load(rxfilename, false);
  }

  /**
   * Reads the network of a file, optionally refusing infinite and NaN values.
   *
   * @param onlyFinite true if an infinite or NaN number is an error
   */
  public static Nnet load(String rxfilename, boolean onlyFinite) {
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      return read(onlyFinite ? in.requireFinite() : in);
    }
  }

  /** Reads a network, or the network of an acoustic model, from the current position. */
  public static Nnet read(KaldiInput in) {
    return in.peekToken() == 'T' ? AmNnet.read(in).nnet() : NnetFile.read(in);
  }

  /** Writes the network to a file. */
  public void save(String wxfilename, boolean binary) {
    KaldiOutput.write(wxfilename, binary, this::write);
  }

  /** Writes the network as the content of a file. */
  public void write(KaldiOutput out) {
    NnetFile.write(this, out);
  }

  private List<ConfigLine> existingLines() {
    return ConfigLine.parse("the network", String.join("\n", configLines(false)));
  }

  /** Returns all nodes, in order. */
  public List<Node> nodes() {
    return nodes;
  }

  /** Returns the node with this number. */
  public Node node(int number) {
    return nodes.get(number);
  }

  /** Returns the number of the node with this name, or -1. */
  public int number(String name) {
    return numbers.getOrDefault(name, -1);
  }

  /** Returns the components by name, in order. */
  public Map<String, Component> components() {
    return components;
  }

  /** Returns the component of a node. */
  public Component component(Node.ComponentNode node) {
    return components.get(node.component());
  }

  /** Returns the number of columns of a node. */
  public int dim(Node node) {
    return switch (node) {
      case Node.InputNode(String name, int dim) -> dim;
      case Node.DimRangeNode(String name, var from, int dimOffset, int dim) -> dim;
      case Node.ComponentNode n -> component(n).outputDim();
      case Node.OutputNode n -> dim(n.input());
    };
  }

  /** Returns the number of columns of a descriptor of this network. */
  public int dim(Descriptor descriptor) {
    return descriptor.dim(number -> dim(nodes.get(number)));
  }

  /** Returns the number of columns of an input node, or -1 if there is none of that name. */
  public int inputDim(String name) {
    int number = number(name);
    return number >= 0 && nodes.get(number) instanceof Node.InputNode n ? n.dim() : -1;
  }

  /** Returns the number of columns of an output node, or -1 if there is none of that name. */
  public int outputDim(String name) {
    int number = number(name);
    return number >= 0 && nodes.get(number) instanceof Node.OutputNode n ? dim(n) : -1;
  }

  /**
   * Returns a positive time shift that leaves the computation unchanged: the least common multiple
   * of the moduli of all descriptors.
   */
  public int modulus() {
    long least = 1;
    for (Node node : nodes) {
      if (node.descriptor() != null) {
        least = Descriptor.lcm(least, node.descriptor().modulus());
      }
    }
    return Math.toIntExact(least);
  }

  /**
   * Returns the config line of a node.
   *
   * @param withDims true to add dimensions, which a config must not have
   */
  public String configLine(Node node, boolean withDims) {
    return switch (node) {
      case Node.InputNode(String name, int dim) -> "input-node name=" + name + " dim=" + dim;
      case Node.ComponentNode n ->
          "component-node name="
              + n.name()
              + " component="
              + n.component()
              + " input="
              + n.input()
              + (withDims ? " input-dim=" + dim(n.input()) + " output-dim=" + dim(n) : "");
      case Node.OutputNode n ->
          "output-node name="
              + n.name()
              + " input="
              + n.input()
              + (withDims ? " dim=" + dim(n) : "")
              + (n.objective() == Node.ObjectiveType.LINEAR
                  ? " objective=linear"
                  : " objective=quadratic");
      case Node.DimRangeNode(String name, var from, int dimOffset, int dim) ->
          "dim-range-node name=%s input-node=%s dim-offset=%s dim=%s"
              .formatted(name, from, dimOffset, dim);
    };
  }

  /**
   * Returns the config lines of all nodes.
   *
   * @param withDims true to add dimensions, which a config must not have
   */
  public List<String> configLines(boolean withDims) {
    return nodes.stream().map(node -> configLine(node, withDims)).toList();
  }

  /** Returns the number of trainable parameters. */
  public long parameterCount() {
    return components.values().stream().mapToLong(Component::parameterCount).sum();
  }

  /** Returns context, nodes and components, as nnet3-info prints them. */
  public String info() {
    return info(false);
  }

  /**
   * Returns the text of {@link #info()}, optionally with singular values.
   *
   * @param singularValues true to add the singular values of parameter matrices
   */
  public String info(boolean singularValues) {
    var text = new StringBuilder();
    SimpleContext.find(this)
        .ifPresent(context -> {
          text.append("left-context: ").append(context.left()).append('\n');
          text.append("right-context: ").append(context.right()).append('\n');
        });
    text.append("num-parameters: ").append(parameterCount()).append('\n');
    text.append("modulus: ").append(modulus()).append('\n');
    configLines(true).forEach(line -> text.append(line).append('\n'));
    components.forEach((name, component) ->
        text.append("component name=")
            .append(name)
            .append(" type=")
            .append(component.info(singularValues))
            .append('\n'));
    return text.toString();
  }

  /** Returns this network with deep copies of its components. */
  public Nnet copy() {
    var copies = new LinkedHashMap<>(components);
    copies.replaceAll((name, component) -> component.copy());
    return new Nnet(nodes, copies);
  }

  /** Multiplies the parameters and statistics of all components by a factor. */
  public void scale(float factor) {
    components.values().forEach(component -> component.scale(factor));
  }

  /**
   * Adds {@code factor} times the parameters and statistics of a network with the same components.
   */
  public void add(float factor, Nnet other) {
    components.forEach((name, component) -> {
      Component added = other.components.get(name);
      if (added == null
          || !added.type().equals(component.type())
          || added.inputDim() != component.inputDim()
          || added.outputDim() != component.outputDim()
          || added.parameterCount() != component.parameterCount()) {
        throw new ShapeException(
            ("[nnet] networks to add must have the same components; got %s and %s as \"%s\";"
                    + " take other networks.")
                .formatted(described(component), described(added), name));
      }
      component.add(factor, added);
    });
  }

  private static String described(Component component) {
    return component == null
        ? "none"
        : String.format(
            Locale.ROOT,
            "%s of %d to %d",
            component.type(),
            component.inputDim(),
            component.outputDim());
  }

  /** Returns a network with the same nodes and other components. */
  public Nnet withComponents(Map<String, Component> others) {
    return of("the network", String.join("\n", configLines(false)), others);
  }

  /** Returns this network without some nodes, which no remaining node may read. */
  public Nnet withoutNodes(Collection<String> names) {
    List<String> lines =
        nodes.stream()
            .filter(node -> !names.contains(node.name()))
            .map(node -> configLine(node, false))
            .toList();
    return of("the network", String.join("\n", lines), components);
  }

  /** Returns this network with one node renamed. */
  public Nnet renamed(String oldName, String newName) {
    int number = number(oldName);
    List<String> lines =
        nodes.stream()
            .map(node -> node.name().equals(oldName) ? node.named(newName) : node)
            .map(node ->
                node.mapSources(source ->
                    source.node() == number ? new Descriptor.Source(number, newName) : source))
            .map(node -> configLine(node, false))
            .toList();
    return of("the network", String.join("\n", lines), components);
  }

  /** Returns the names of components that no node uses. */
  public List<String> orphanComponents() {
    Set<String> used =
        nodes.stream()
            .filter(Node.ComponentNode.class::isInstance)
            .map(node -> ((Node.ComponentNode) node).component())
            .collect(Collectors.toSet());
    return components.keySet().stream().filter(name -> !used.contains(name)).toList();
  }

  /** Returns the nodes that no output depends on. */
  public List<Node> orphanNodes() {
    var needed = new boolean[nodes.size()];
    var open = new ArrayList<Integer>();
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.get(i) instanceof Node.OutputNode) {
        needed[i] = true;
        open.add(i);
      }
    }
    while (!open.isEmpty()) {
      for (int source : sources(nodes.get(open.remove(open.size() - 1)))) {
        if (!needed[source]) {
          needed[source] = true;
          open.add(source);
        }
      }
    }
    var orphans = new ArrayList<Node>();
    for (int i = 0; i < nodes.size(); i++) {
      if (!needed[i]) {
        orphans.add(nodes.get(i));
      }
    }
    return orphans;
  }

  /** Returns the numbers of the nodes that a node reads. */
  public List<Integer> sources(Node node) {
    if (node instanceof Node.DimRangeNode range) {
      return List.of(range.source().node());
    }
    var all = new ArrayList<Integer>();
    if (node.descriptor() != null) {
      node.descriptor().sources(source -> all.add(source.node()));
    }
    return all.stream().distinct().toList();
  }

  /** Returns warnings about unused nodes and components. */
  public List<String> warnings() {
    var all = new ArrayList<String>();
    for (String name : orphanComponents()) {
      all.add("Component " + name + " is never used by any node.");
    }
    for (Node node : orphanNodes()) {
      all.add("Node " + node.name() + " is never used to compute any output.");
    }
    return all;
  }
}
