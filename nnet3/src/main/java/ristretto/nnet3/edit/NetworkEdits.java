package ristretto.nnet3.edit;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.component.activation.BatchNormComponent;
import ristretto.nnet3.component.affine.AffineComponent;
import ristretto.nnet3.component.affine.FixedAffineComponent;
import ristretto.nnet3.component.affine.RepeatedAffineComponent;
import ristretto.nnet3.component.dropout.RandomComponent;
import ristretto.nnet3.component.registry.CompositeComponent;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.text.Nearest;

/**
 * Edits of a network, as named by the lines of an edits config in Kaldi's syntax, such as {@code
 * set-learning-rate name=tdnn* learning-rate=0.001}. Patterns match component names; {@code *}
 * matches any characters.
 */
public final class NetworkEdits {
  private static final List<String> DIRECTIVES =
      List.of(
          "convert-to-fixed-affine",
          "remove-orphan-nodes",
          "remove-orphan-components",
          "remove-orphans",
          "set-learning-rate",
          "set-learning-rate-factor",
          "rename-node",
          "remove-output-nodes",
          "set-dropout-proportion",
          "apply-svd",
          "reduce-rank");

  private final EditLog log;
  private Nnet nnet;

  /** Creates edits of a copy of a network; the network itself is not changed. */
  public NetworkEdits(Nnet nnet, EditLog log) {
    this.nnet = nnet.copy();
    this.log = log;
  }

  /** Returns the network with all edits so far. */
  public Nnet nnet() {
    return nnet;
  }

  /**
   * Applies config lines in order.
   *
   * @throws ristretto.nnet3.config.ConfigException if a line is invalid
   */
  public NetworkEdits apply(List<ConfigLine> lines) {
    lines.forEach(this::apply);
    return this;
  }

  private void apply(ConfigLine line) {
    switch (line.first()) {
      case "convert-to-fixed-affine" -> convertToFixedAffine(line);
      case "remove-orphan-nodes" -> removeOrphanNodes(line.flag("remove-orphan-inputs", false));
      case "remove-orphan-components" -> removeOrphanComponents();
      case "remove-orphans" -> {
        removeOrphanNodes(line.flag("remove-orphan-inputs", false));
        removeOrphanComponents();
      }
      case "set-learning-rate" -> setLearningRate(line);
      case "set-learning-rate-factor" -> setLearningRateFactor(line);
      case "rename-node" -> renameNode(line);
      case "remove-output-nodes" -> removeOutputNodes(line);
      case "set-dropout-proportion" -> setDropoutProportion(line);
      case "apply-svd" -> applySvd(line);
      case "reduce-rank" -> reduceRank(line);
      default ->
          throw line.error(
              "an edit must be one of %s; got '%s'%s"
                  .formatted(
                      String.join(", ", DIRECTIVES),
                      Excerpt.of(line.first()),
                      Nearest.hint(line.first(), DIRECTIVES)));
    }
    line.refuseUnused();
  }

  static Predicate<String> matching(String pattern) {
    String regex = Pattern.quote(pattern).replace("*", "\\E.*\\Q");
    return Pattern.compile(regex).asMatchPredicate();
  }

  /**
   * Returns the components whose names match the pattern of a line; the default pattern is {@code
   * *}.
   */
  private List<Component> matched(ConfigLine line) {
    Predicate<String> matches = matching(line.string("name", "*"));
    return nnet.components().entrySet().stream()
        .filter(e -> matches.test(e.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }

  private void convertToFixedAffine(ConfigLine line) {
    List<Component> affine =
        matched(line).stream().filter(AffineComponent.class::isInstance).toList();
    replace(c -> affine.contains(c) ? new FixedAffineComponent((AffineComponent) c) : c);
    log.info("Converted " + affine.size() + " components to FixedAffineComponent.");
  }

  private void replace(UnaryOperator<Component> f) {
    var components = new LinkedHashMap<>(nnet.components());
    components.replaceAll((name, component) -> f.apply(component));
    nnet = nnet.withComponents(components);
  }

  private void removeOrphanNodes(boolean inputsToo) {
    List<String> names =
        nnet.orphanNodes().stream()
            .filter(node -> inputsToo || !(node instanceof Node.InputNode))
            .map(Node::name)
            .toList();
    nnet = nnet.withoutNodes(names);
    log.info("Removed " + names.size() + " orphan nodes.");
  }

  private void removeOrphanComponents() {
    List<String> names = nnet.orphanComponents();
    log.info("Removing " + names.size() + " orphan components.");
    var components = new LinkedHashMap<>(nnet.components());
    components.keySet().removeAll(names);
    nnet = nnet.withComponents(components);
  }

  private void setLearningRate(ConfigLine line) {
    float rate = line.real("learning-rate");
    int count = 0;
    for (Component component : matched(line)) {
      if (component instanceof UpdatableComponent updatable) {
        updatable.setUnderlyingLearningRate(rate);
        count++;
      }
    }
    log.info("Set learning rates for " + count + " components.");
  }

  private void setLearningRateFactor(ConfigLine line) {
    float factor = line.real("learning-rate-factor");
    int count = 0;
    for (Component component : matched(line)) {
      if (component instanceof UpdatableComponent updatable) {
        updatable.setLearningRateFactor(factor);
        count++;
      }
    }
    log.info("Set learning rate factors for " + count + " components.");
  }

  private void renameNode(ConfigLine line) {
    String oldName = line.string("old-name");
    String newName = line.name("new-name");
    List<String> names = nnet.nodes().stream().map(Node::name).toList();
    if (!names.contains(oldName)) {
      throw line.error("old-name", "old-name must be the name of a node", names);
    }
    if (names.contains(newName)) {
      throw line.error("new-name", "new-name must not be the name of another node");
    }
    nnet = nnet.renamed(oldName, newName);
  }

  private void removeOutputNodes(ConfigLine line) {
    Predicate<String> matches = matching(line.string("name"));
    List<String> outputs =
        nnet.nodes().stream().filter(Node.OutputNode.class::isInstance).map(Node::name).toList();
    List<String> removed = outputs.stream().filter(matches).toList();
    log.info("Removing " + removed.size() + " output nodes.");
    if (removed.size() == outputs.size()) {
      throw line.error("name", "an output node must remain");
    }
    nnet = nnet.withoutNodes(removed);
  }

  private void setDropoutProportion(ConfigLine line) {
    float proportion = line.real("proportion");
    int count = 0;
    for (Component component : matched(line)) {
      if (component instanceof RandomComponent random && random.setDropoutProportion(proportion)) {
        count++;
      }
    }
    log.info("Set dropout proportions for " + count + " components.");
  }

  private void applySvd(ConfigLine line) {
    String pattern = line.string("name");
    int bottleneckDim = line.integer("bottleneck-dim", -1);
    float energy = line.real("energy-threshold", -1);
    float shrinkage = line.real("shrinkage-threshold", 1);
    if (bottleneckDim <= 0 && !(energy > 0 && energy < 1)) {
      throw line.error(
          "apply-svd needs bottleneck-dim of at least 1, or energy-threshold between 0 and 1;"
              + " got neither");
    }
    var svd = new ApplySvd(bottleneckDim, energy, shrinkage, log);
    if (svd.apply(nnet, matching(pattern))) {
      nnet = svd.result();
      removeOrphanNodes(false);
      removeOrphanComponents();
    }
    svd.finish();
  }

  private void reduceRank(ConfigLine line) {
    nnet = ApplySvd.reduceRank(nnet, matching(line.string("name")), line.positive("rank"), log);
  }

  /** Sets the learning rate of each component to {@code rate} times its learning rate factor. */
  public NetworkEdits setLearningRate(float rate) {
    for (Component component : nnet.components().values()) {
      if (component instanceof UpdatableComponent updatable) {
        updatable.setUnderlyingLearningRate(rate);
      }
    }
    return this;
  }

  /** Multiplies parameters and statistics by a factor. */
  public NetworkEdits scale(float factor) {
    if (factor != 1) {
      nnet.components().values().forEach(component -> component.scale(factor));
    }
    return this;
  }

  /**
   * Sets the test mode of batch normalization.
   *
   * @param on true to normalize with the accumulated statistics
   */
  public NetworkEdits setBatchNormTestMode(boolean on) {
    for (Component component : nnet.components().values()) {
      if (component instanceof BatchNormComponent batchNorm) {
        batchNorm.setTestMode(on);
      }
    }
    return this;
  }

  /**
   * Sets the test mode of random components.
   *
   * @param on true to replace random numbers by their mean effect
   */
  public NetworkEdits setDropoutTestMode(boolean on) {
    for (Component component : nnet.components().values()) {
      if (component instanceof RandomComponent random) {
        random.setTestMode(on);
      }
    }
    return this;
  }

  /**
   * Merges components where an equivalent network with fewer components exists, and removes
   * orphans.
   */
  public NetworkEdits collapse() {
    nnet = CollapseModel.apply(nnet);
    removeOrphanNodes(false);
    removeOrphanComponents();
    return this;
  }

  /**
   * Sets the test mode of random components and batch normalization, then merges components where
   * possible.
   */
  public NetworkEdits prepareForTest() {
    setBatchNormTestMode(true);
    for (String name : nnet.components().keySet()) {
      if (nnet.components().get(name) instanceof BatchNormComponent norm && norm.count() == 0) {
        log.warning(
            "Component "
                + name
                + " is in test mode and has no statistics; assuming a mean of 0 and a variance of"
                + " 1.");
      }
    }
    setDropoutTestMode(true);
    int before = nnet.components().size();
    nnet = CollapseModel.apply(nnet);
    int added = nnet.components().size() - before;
    removeOrphanNodes(false);
    removeOrphanComponents();
    int removed = before + added - nnet.components().size();
    if (added != 0 || removed != 0) {
      log.info("Added " + added + " components, removed " + removed);
    }
    return this;
  }

  /** Converts repeated affine components to block affine ones, also inside composite components. */
  public NetworkEdits convertRepeatedToBlock() {
    replace(NetworkEdits::toBlock);
    return this;
  }

  private static Component toBlock(Component component) {
    return switch (component) {
      case RepeatedAffineComponent repeated -> repeated.toBlockAffine();
      case CompositeComponent composite ->
          composite.withParts(
              composite.parts().stream().map(part -> (ComponentBase) toBlock(part)).toList());
      default -> component;
    };
  }
}
