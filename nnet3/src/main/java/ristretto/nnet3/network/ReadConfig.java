package ristretto.nnet3.network;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.registry.ComponentTypes;
import ristretto.nnet3.config.ConfigException;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.DescriptorParser;
import ristretto.nnet3.config.DimException;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.text.Nearest;

/**
 * Builds a network from config lines, optionally on top of another network: a line for a node
 * replaces an earlier node of that name and moves it to the end; a line for a component replaces an
 * earlier component at its position. Forward references between nodes are allowed.
 */
final class ReadConfig {
  private static final List<String> FIRST_WORDS =
      List.of("component", "component-node", "input-node", "output-node", "dim-range-node");

  private final Map<String, Component> components;
  private final RandomGenerator random;
  private final Map<String, ConfigLine> nodeLines = new LinkedHashMap<>();
  private List<String> readable = List.of();

  ReadConfig(Map<String, Component> existing, long seed) {
    this.components = new LinkedHashMap<>(existing);
    this.random = new SplittableRandom(seed);
  }

  Nnet read(List<ConfigLine> existing, List<ConfigLine> added) {
    existing.forEach(line -> nodeLines.put(line.name("name"), line));
    var names = new HashSet<String>();
    var componentNames = new HashSet<String>();
    for (ConfigLine line : added) {
      if (!FIRST_WORDS.contains(line.first())) {
        throw line.error(
            "a line must begin with %s; got '%s'%s"
                .formatted(
                    String.join(", ", FIRST_WORDS),
                    Excerpt.of(line.first()),
                    Nearest.hint(line.first(), FIRST_WORDS)));
      }
      String name = line.name("name");
      boolean isComponent = line.first().equals("component");
      if (!(isComponent ? componentNames : names).add(name)) {
        String what = isComponent ? "component" : "node";
        throw line.error("name", "a config must not define a " + what + " twice");
      }
      if (isComponent) {
        components.put(name, component(line));
      } else {
        // A replaced node moves to the end: put alone would keep its position.
        nodeLines.remove(name);
        nodeLines.put(name, line);
      }
    }
    readable = nodeLines.entrySet().stream().map(ReadConfig::readableName).toList();
    var nodes = new ArrayList<Node>();
    for (ConfigLine line : nodeLines.values()) {
      nodes.add(node(line));
    }
    var nnet = new Nnet(nodes, components);
    check(nnet);
    return nnet;
  }

  private static String readableName(Map.Entry<String, ConfigLine> line) {
    return line.getValue().first().equals("output-node") ? null : line.getKey();
  }

  private Component component(ConfigLine line) {
    String type = line.string("type");
    if (!ComponentTypes.names().contains(type)) {
      throw line.error("type", "a component's type must be known", ComponentTypes.names());
    }
    Component component = ComponentTypes.create(type, line, random);
    line.refuseUnused();
    return component;
  }

  private Node node(ConfigLine line) {
    String name = line.name("name");
    Node node =
        switch (line.first()) {
          case "component-node" ->
              new Node.ComponentNode(name, componentName(line), descriptor(line));
          case "input-node" -> new Node.InputNode(name, line.positive("dim"));
          case "output-node" -> new Node.OutputNode(name, descriptor(line), objective(line));
          default -> dimRange(line, name);
        };
    line.refuseUnused();
    return node;
  }

  private String componentName(ConfigLine line) {
    String name = line.string("component");
    if (!components.containsKey(name)) {
      throw line.error(
          "component",
          "a component-node must name a component that is defined",
          components.keySet());
    }
    return name;
  }

  private Descriptor descriptor(ConfigLine line) {
    line.string("input");
    return new DescriptorParser(line, "input", readable).parse().normal();
  }

  private static Node.ObjectiveType objective(ConfigLine line) {
    return switch (line.string("objective", "linear")) {
      case "linear" -> Node.ObjectiveType.LINEAR;
      case "quadratic" -> Node.ObjectiveType.QUADRATIC;
      default -> throw line.error("objective", "an objective must be linear or quadratic");
    };
  }

  private Node dimRange(ConfigLine line, String name) {
    String source = line.string("input-node");
    ConfigLine sourceLine = nodeLines.get(source);
    Set<String> words = Set.of("input-node", "component-node");
    if (sourceLine == null || !words.contains(sourceLine.first())) {
      Set<String> allowed =
          nodeLines.entrySet().stream()
              .filter(e -> words.contains(e.getValue().first()))
              .map(Map.Entry::getKey)
              .collect(Collectors.toCollection(LinkedHashSet::new));
      throw line.error(
          "input-node", "a dim-range-node must read an input or component node", allowed);
    }
    return new Node.DimRangeNode(
        name,
        new Descriptor.Source(readable.indexOf(source), source),
        line.integer("dim-offset"),
        line.positive("dim"));
  }

  private void check(Nnet nnet) {
    boolean hasInput = false;
    boolean hasOutput = false;
    for (Node node : nnet.nodes()) {
      ConfigLine line = nodeLines.get(node.name());
      switch (node) {
        case Node.InputNode n -> hasInput = true;
        case Node.OutputNode n -> {
          hasOutput = true;
          dim(nnet, n.input(), line);
        }
        case Node.ComponentNode n -> checkComponent(nnet, n, line);
        case Node.DimRangeNode n -> checkRange(nnet, n, line);
      }
    }
    if (!hasInput || !hasOutput) {
      throw new ConfigException(
          "[config] a network must have an input-node and an output-node; got no "
              + (hasInput ? "output-node." : "input-node."));
    }
  }

  private static int dim(Nnet nnet, Descriptor descriptor, ConfigLine line) {
    try {
      return nnet.dim(descriptor);
    } catch (DimException e) {
      throw line.errorIn("input", 0, e.getMessage());
    }
  }

  private void checkComponent(Nnet nnet, Node.ComponentNode node, ConfigLine line) {
    int dim = dim(nnet, node.input(), line);
    int wanted = nnet.component(node).inputDim();
    if (dim != wanted) {
      throw line.errorIn(
          "input",
          0,
          ("the input of a component-node must have the input dimension of its component; got"
                  + " %s, but %s has %s")
              .formatted(dim, node.component(), wanted));
    }
    if (nodeLines.containsKey(node.inputName())) {
      throw nodeLines
          .get(node.inputName())
          .error(
              "name",
              "no node may have the name of component-node " + node.name() + " with _input added");
    }
  }

  private static void checkRange(Nnet nnet, Node.DimRangeNode node, ConfigLine line) {
    int dim = nnet.dim(nnet.node(node.source().node()));
    if (node.dimOffset() < 0 || node.dim() > dim - node.dimOffset()) {
      throw line.errorIn(
          "dim-offset",
          0,
          String.format(
              Locale.ROOT,
              "the columns of a dim-range-node must exist; got %d to %d of %s, which has %d",
              node.dimOffset(),
              node.dimOffset() + (long) node.dim() - 1,
              node.source(),
              dim));
    }
  }
}
