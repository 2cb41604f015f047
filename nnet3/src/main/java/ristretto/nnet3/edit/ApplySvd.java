package ristretto.nnet3.edit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.math3.linear.SingularValueDecomposition;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.affine.AffineComponent;
import ristretto.nnet3.component.affine.LinearComponent;
import ristretto.nnet3.component.affine.NaturalGradientAffineComponent;
import ristretto.nnet3.config.ConfigException;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;

/**
 * Low-rank factorization: replaces affine components by a linear and an affine component with a
 * bottleneck dimension between them, from a singular value decomposition of the parameters.
 */
final class ApplySvd {
  private final int bottleneckDim;
  private final float energyThreshold;
  private final float shrinkageThreshold;
  private final EditLog log;
  private final Map<String, Integer> split = new LinkedHashMap<>();
  private Nnet result;

  ApplySvd(int bottleneckDim, float energyThreshold, float shrinkageThreshold, EditLog log) {
    this.bottleneckDim = bottleneckDim;
    this.energyThreshold = energyThreshold;
    this.shrinkageThreshold = shrinkageThreshold;
    this.log = log;
  }

  /** Splits the matching components; returns true if at least one was split. */
  boolean apply(Nnet nnet, Predicate<String> matches) {
    var components = new LinkedHashMap<>(nnet.components());
    for (Map.Entry<String, Component> e : nnet.components().entrySet()) {
      if (matches.test(e.getKey())) {
        decompose(e.getKey(), e.getValue(), components);
      }
    }
    log.info("Converted " + split.size() + " components to FixedAffineComponent.");
    if (split.isEmpty()) {
      return false;
    }
    result = Nnet.of("the network", lines(nnet), components);
    return true;
  }

  Nnet result() {
    return result;
  }

  void finish() {
    int dim = split.values().stream().reduce((a, b) -> b).orElse(bottleneckDim);
    log.info("Decomposed " + split.size() + " components with SVD dimension " + dim);
  }

  private void decompose(String name, Component component, Map<String, Component> components) {
    if (!(component instanceof AffineComponent affine)) {
      log.warning("Not decomposing component " + name + " as it is not an AffineComponent.");
      return;
    }
    int inputDim = affine.inputDim();
    int outputDim = affine.outputDim();
    if (inputDim <= bottleneckDim || outputDim <= bottleneckDim) {
      log.warning(
          String.format(
              Locale.ROOT,
              "Not decomposing component %s with SVD to rank %d because its dimension is %d -> %d",
              name,
              bottleneckDim,
              inputDim,
              outputDim));
      return;
    }
    var svd = new SingularValueDecomposition(toDouble(affine.linear));
    double[] s = svd.getSingularValues();
    double all = Arrays.stream(s).map(v -> v * v).sum();
    int dim = bottleneckDim;
    if (energyThreshold > 0) {
      dim = 0;
      for (double sum = 0; dim < s.length && sum < energyThreshold * all; dim++) {
        sum += s[dim] * s[dim];
      }
    }
    float shrinkage = dim * (inputDim + outputDim) / (float) ((long) inputDim * outputDim);
    if (shrinkage > shrinkageThreshold) {
      log.info(
          "Shrinkage ratio %s greater than threshold : %s Skipping SVD for this layer."
              .formatted(InfoText.number(shrinkage), InfoText.number(shrinkageThreshold)));
      return;
    }
    double kept = Arrays.stream(s).limit(dim).map(v -> v * v).sum();
    log.info(
        "For component %s singular value squared sum changed by %s (from %s to %s)"
            .formatted(
                name, InfoText.number(all - kept), InfoText.number(all), InfoText.number(kept)));
    log.info(
        String.format(
            Locale.ROOT,
            "For component %s dimension reduced from  (%d,%d) to [(%d,%d), (%d,%d)]",
            name,
            inputDim,
            outputDim,
            inputDim,
            dim,
            dim,
            outputDim));
    log.info("shrinkage ratio : " + InfoText.number(shrinkage));
    RealMatrix u = svd.getU();
    RealMatrix vt = svd.getVT();
    var a = new Matrix(dim, inputDim);
    var b = new Matrix(outputDim, dim);
    for (int k = 0; k < dim; k++) {
      double root = Math.sqrt(s[k]);
      for (int i = 0; i < inputDim; i++) {
        a.set(k, i, (float) (vt.getEntry(k, i) * root));
      }
      for (int o = 0; o < outputDim; o++) {
        b.set(o, k, (float) (u.getEntry(o, k) * root));
      }
    }
    var first = new LinearComponent(a);
    var second = new NaturalGradientAffineComponent(b, affine.bias);
    first.takeSettings(affine);
    second.takeSettings(affine);
    if (components.putIfAbsent(name + "_a", first) != null
        || components.putIfAbsent(name + "_b", second) != null) {
      throw new ConfigException(
          "[config] apply-svd must be able to name new components %s_a and %s_b; got one with that name; rename it."
              .formatted(name, name));
    }
    split.put(name, dim);
  }

  /**
   * Returns the config lines: inputs first, then the other nodes, each split node replaced by two.
   */
  private String lines(Nnet nnet) {
    var lines = new ArrayList<String>();
    for (Node node : nnet.nodes()) {
      if (node instanceof Node.InputNode) {
        lines.add(nnet.configLine(node, false));
      }
    }
    for (Node node : nnet.nodes()) {
      Node read = node.mapSources(source -> renamed(nnet, source));
      if (isSplit(node)) {
        var n = (Node.ComponentNode) read;
        lines.add(
            nnet.configLine(
                new Node.ComponentNode(n.name() + "_a", n.component() + "_a", n.input()), false));
        var a = new Descriptor.Source(0, n.name() + "_a");
        lines.add(
            nnet.configLine(
                new Node.ComponentNode(n.name() + "_b", n.component() + "_b", a), false));
      } else if (!(node instanceof Node.InputNode)) {
        lines.add(nnet.configLine(read, false));
      }
    }
    return String.join("\n", lines);
  }

  private boolean isSplit(Node node) {
    return node instanceof Node.ComponentNode n && split.containsKey(n.component());
  }

  private Descriptor.Source renamed(Nnet nnet, Descriptor.Source source) {
    return isSplit(nnet.node(source.node()))
        ? new Descriptor.Source(source.node(), source.name() + "_b")
        : source;
  }

  /**
   * Returns the network with a low-rank approximation of the parameters of the matching components.
   */
  static Nnet reduceRank(Nnet nnet, Predicate<String> matches, int rank, EditLog log) {
    int changed = 0;
    var components = new LinkedHashMap<>(nnet.components());
    for (Map.Entry<String, Component> e : nnet.components().entrySet()) {
      if (!matches.test(e.getKey())) {
        continue;
      }
      if (!(e.getValue() instanceof AffineComponent affine)) {
        log.warning(
            "Not reducing rank of component " + e.getKey() + " as it is not an AffineComponent.");
      } else if (affine.inputDim() <= rank || affine.outputDim() <= rank) {
        log.warning(
            String.format(
                Locale.ROOT,
                "Not reducing rank of component %s with SVD to rank %d because its dimension is %d"
                    + " -> %d",
                e.getKey(),
                rank,
                affine.inputDim(),
                affine.outputDim()));
      } else {
        components.put(e.getKey(), reduced(e.getKey(), affine, rank, log));
        changed++;
      }
    }
    log.info("Reduced rank of parameters of " + changed + " components.");
    return nnet.withComponents(components);
  }

  private static Component reduced(String name, AffineComponent affine, int rank, EditLog log) {
    var svd = new SingularValueDecomposition(toDouble(affine.linear));
    double[] s = svd.getSingularValues();
    double all = Arrays.stream(s).sum();
    double kept = Arrays.stream(s).limit(rank).sum();
    log.info(
        "For component %s singular value sum changed by reduce-rank command %s (from %s to %s)"
            .formatted(
                name, InfoText.number(all - kept), InfoText.number(all), InfoText.number(kept)));
    int last = rank - 1;
    RealMatrix u = svd.getU().getSubMatrix(0, affine.outputDim() - 1, 0, last);
    RealMatrix vt = svd.getVT().getSubMatrix(0, last, 0, affine.inputDim() - 1);
    for (int k = 0; k < rank; k++) {
      u.setColumnVector(k, u.getColumnVector(k).mapMultiply(s[k]));
    }
    var copy = (AffineComponent) affine.copy();
    copy.linear = toFloat(u.multiply(vt));
    return copy;
  }

  private static RealMatrix toDouble(Matrix matrix) {
    var to = new Array2DRowRealMatrix(matrix.rows(), matrix.cols());
    for (int r = 0; r < matrix.rows(); r++) {
      for (int c = 0; c < matrix.cols(); c++) {
        to.setEntry(r, c, matrix.get(r, c));
      }
    }
    return to;
  }

  private static Matrix toFloat(RealMatrix matrix) {
    var to = new Matrix(matrix.getRowDimension(), matrix.getColumnDimension());
    for (int r = 0; r < to.rows(); r++) {
      for (int c = 0; c < to.cols(); c++) {
        to.set(r, c, (float) matrix.getEntry(r, c));
      }
    }
    return to;
  }
}
