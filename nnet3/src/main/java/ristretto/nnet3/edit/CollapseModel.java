package ristretto.nnet3.edit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.affine.AffineComponent;
import ristretto.nnet3.component.affine.FixedAffineComponent;
import ristretto.nnet3.component.affine.FixedScaleComponent;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;

/**
 * Merges consecutive components where one component computes the same function at lower cost:
 * affine after affine (unless the first reduces the dimension), and a fixed scale after affine.
 * Unused nodes and components remain as orphans.
 */
final class CollapseModel {
  private final Nnet nnet;
  private final List<Node> nodes;
  private final Map<String, Component> components;

  private CollapseModel(Nnet nnet) {
    this.nnet = nnet;
    this.nodes = new ArrayList<>(nnet.nodes());
    this.components = new LinkedHashMap<>(nnet.components());
  }

  static Nnet apply(Nnet nnet) {
    var collapse = new CollapseModel(nnet);
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int i = 0; i < collapse.nodes.size(); i++) {
        changed |= collapse.collapse(i);
      }
    }
    return collapse.result();
  }

  private Nnet result() {
    List<String> lines = nodes.stream().map(node -> nnet.configLine(node, false)).toList();
    return Nnet.of("the network", String.join("\n", lines), components);
  }

  /**
   * Merges the component of a node with the component of its only source node, if possible; returns
   * true if merged.
   */
  private boolean collapse(int number) {
    if (!(nodes.get(number) instanceof Node.ComponentNode node)) {
      return false;
    }
    int source = onlySource(node.input());
    if (source < 0
        || source == number
        || !(nodes.get(source) instanceof Node.ComponentNode before)) {
      return false;
    }
    String name = before.component() + "." + node.component();
    if (!components.containsKey(name)) {
      Component merged =
          merge(components.get(before.component()), components.get(node.component()));
      if (merged == null) {
        return false;
      }
      components.put(name, merged);
    }
    Descriptor input = replace(node.input(), before.input()).normal();
    nodes.set(number, new Node.ComponentNode(node.name(), name, input));
    return true;
  }

  /** Returns the number of the only node of an Append of offsets, or -1 for other descriptors. */
  private static int onlySource(Descriptor descriptor) {
    int only = -1;
    for (Descriptor part : descriptor.parts()) {
      Descriptor inner = part instanceof Descriptor.Offset o ? o.inner() : part;
      if (!(inner instanceof Descriptor.Source s) || (only >= 0 && only != s.node())) {
        return -1;
      }
      only = s.node();
    }
    return only;
  }

  private static Descriptor replace(Descriptor descriptor, Descriptor by) {
    return switch (descriptor) {
      case Descriptor.Append(var parts) ->
          new Descriptor.Append(parts.stream().map(part -> replace(part, by)).toList());
      case Descriptor.Offset(var inner, int t, int x) -> new Descriptor.Offset(by, t, x);
      case Descriptor.Source _,
          Descriptor.Sum _,
          Descriptor.Failover _,
          Descriptor.IfDefined _,
          Descriptor.Switch _,
          Descriptor.Round _,
          Descriptor.ReplaceIndex _,
          Descriptor.Scale _,
          Descriptor.Const _ ->
          by;
    };
  }

  private static Component merge(Component first, Component second) {
    if (second instanceof AffineComponent affine) {
      return switch (first) {
        case FixedAffineComponent f -> affine(f.linear, f.bias, affine);
        case AffineComponent f -> affine(f.linear, f.bias, affine);
        default -> null;
      };
    }
    if (first instanceof AffineComponent affine
        && second instanceof FixedScaleComponent scale
        && affine.outputDim() == scale.inputDim()) {
      return scaled(affine, scale.scales);
    }
    return null;
  }

  private static Component affine(Matrix linear, float[] bias, AffineComponent second) {
    int in = linear.cols();
    int middle = linear.rows();
    if (in > middle) {
      return null;
    }
    int times = second.inputDim() / middle;
    int out = second.outputDim();
    var merged = new Matrix(out, times * in);
    var mergedBias = new float[out];
    var row = new double[times * in];
    for (int o = 0; o < out; o++) {
      Arrays.fill(row, 0);
      double sum = second.bias[o];
      for (int m = 0; m < times * middle; m++) {
        double w = second.linear.get(o, m);
        int from = m % middle;
        sum += w * bias[from];
        for (int i = 0; i < in; i++) {
          row[m / middle * in + i] += w * linear.get(from, i);
        }
      }
      mergedBias[o] = (float) sum;
      for (int i = 0; i < row.length; i++) {
        merged.set(o, i, (float) row[i]);
      }
    }
    return new AffineComponent(merged, mergedBias);
  }

  private static Component scaled(AffineComponent affine, float[] scales) {
    var copy = (AffineComponent) affine.copy();
    var linear = new Matrix(affine.outputDim(), affine.inputDim());
    var bias = new float[scales.length];
    for (int o = 0; o < scales.length; o++) {
      bias[o] = affine.bias[o] * scales[o];
      for (int i = 0; i < linear.cols(); i++) {
        linear.set(o, i, affine.linear.get(o, i) * scales[o]);
      }
    }
    copy.linear = linear;
    copy.bias = bias;
    return copy;
  }
}
