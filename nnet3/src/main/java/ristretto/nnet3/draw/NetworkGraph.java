package ristretto.nnet3.draw;

import ristretto.nnet3.Component;
import ristretto.nnet3.Property;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.network.Nnet;
import ristretto.report.picture.Diagram;

/** Graph of the nodes of a network and their inputs. */
public final class NetworkGraph {
  private final Nnet nnet;
  private final Diagram graph = new Diagram();

  private NetworkGraph(Nnet nnet) {
    this.nnet = nnet;
  }

  /** Returns the graph; arrow labels show time offsets and other operations of descriptors. */
  public static Diagram of(Nnet nnet) {
    var network = new NetworkGraph(nnet);
    nnet.nodes().forEach(network::box);
    for (int k = 0; k < nnet.nodes().size(); k++) {
      Node node = nnet.node(k);
      if (node.descriptor() != null) {
        network.arrows(node.descriptor(), k, "");
      } else if (node instanceof Node.DimRangeNode range) {
        network.graph.arrow(range.source().node(), k, "");
      }
    }
    return network.graph;
  }

  private void box(Node node) {
    String dim = "dim " + nnet.dim(node);
    switch (node) {
      case Node.InputNode n -> graph.box(Diagram.Kind.INPUT, n.name(), dim);
      case Node.OutputNode n -> graph.box(Diagram.Kind.OUTPUT, n.name(), dim);
      case Node.DimRangeNode n ->
          graph.box(
              Diagram.Kind.MOVE,
              n.name(),
              "columns " + n.dimOffset() + ".." + (n.dimOffset() + n.dim() - 1));
      case Node.ComponentNode n -> {
        Component c = nnet.component(n);
        Diagram.Kind kind = c.has(Property.UPDATABLE) ? Diagram.Kind.PRODUCT : Diagram.Kind.VALUE;
        String type = c.type().replaceAll("Component$", "");
        graph.box(kind, n.name(), type, c.inputDim() + " \u2192 " + c.outputDim());
      }
    }
  }

  private void arrows(Descriptor d, int to, String way) {
    switch (d) {
      case Descriptor.Source s -> graph.arrow(s.node(), to, way.strip());
      case Descriptor.Offset(var inner, int t, int x) -> {
        String shift = (t == 0 ? "" : sign("t", t)) + (x == 0 ? "" : sign(" x", x));
        arrows(inner, to, way + " " + shift.strip());
      }
      case Descriptor.Scale(float factor, var inner) -> arrows(inner, to, way + " \u00d7" + factor);
      case Descriptor.Round(var inner, int modulus) ->
          arrows(inner, to, way + " round(t, " + modulus + ")");
      case Descriptor.ReplaceIndex(var inner, var variable, int value) ->
          arrows(inner, to, way + " " + variable + "=" + value);
      case Descriptor.IfDefined(var inner) -> arrows(inner, to, way + " if defined");
      case Descriptor.Failover(var first, var second) -> {
        arrows(first, to, way);
        arrows(second, to, way + " else");
      }
      case Descriptor.Sum(var terms) -> terms.forEach(term -> arrows(term, to, way + " +"));
      case Descriptor.Append _, Descriptor.Switch _, Descriptor.Const _ -> {
        boolean isAppend = d instanceof Descriptor.Append && d.children().size() > 1;
        for (Descriptor child : d.children()) {
          boolean plain = child instanceof Descriptor.Source && isAppend;
          arrows(child, to, plain ? way + " t" : way);
        }
      }
    }
  }

  private static String sign(String name, int value) {
    return name + (value < 0 ? "\u2212" + -value : "+" + value);
  }
}
