package ristretto.nnet3.lower;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import ristretto.nnet3.Rematerialization;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.WeightMatrixComponent;

/**
 * Rematerialization plan: nodes whose values backward recomputes, so that these values need no
 * memory between forward and backward. These are nodes that cost little compared to the products
 * that make their inputs, and a fraction of the products. The inputs of such a node are stored or
 * recomputed in turn; the length of a chain is limited, because all of a chain is recomputed at
 * once.
 *
 * <p>In a recurrence, all steps of such nodes are recomputed in the order of forward, when backward
 * reaches the recurrence; values of its other products are stored.
 */
final class RematerializationPlan {
  /** Maximum length of a chain of recomputed nodes; the next node is stored. */
  private static final int LONGEST = 5;

  /** Maximum length of such a chain if products are not recomputed. */
  private static final int LONGEST_CHEAP = 4;

  /**
   * Ratio of output to input columns from which a product counts as an expansion, and is
   * recomputed.
   */
  private static final int EXPANSION = 3;

  /** One in this many expansions is stored. */
  private static final int EACH_EXPANSION = 3;

  /** One in this many other products, which are a third of all the work, is recomputed. */
  private static final int EACH = 4;

  /** Element-wise components, and normalizations with statistics kept by forward: no products. */
  private static final Set<String> CHEAP =
      Set.of(
          "BackpropTruncationComponent",
          "BatchNormComponent",
          "DropoutComponent",
          "ElementwiseProductComponent",
          "FixedBiasComponent",
          "FixedScaleComponent",
          "GeneralDropoutComponent",
          "NaturalGradientPerElementScaleComponent",
          "NoOpComponent",
          "NormalizeComponent",
          "PerElementOffsetComponent",
          "PerElementScaleComponent",
          "PermuteComponent",
          "RectifiedLinearComponent",
          "ScaleAndOffsetComponent",
          "SigmoidComponent",
          "SpecAugmentTimeMaskComponent",
          "TanhComponent");

  /** Components recomputed only within recurrences: all gates of a step. */
  private static final Set<String> GATES =
      Set.of("LstmNonlinearityComponent", "OutputGruNonlinearityComponent");

  /** In one of this many recurrences, expansions are recomputed, too. */
  private static final int EACH_RECURRENCE = 3;

  /** For each node of a recurrence, true if its steps are recomputed. */
  private final Map<Integer, Boolean> recurrent = new HashMap<>();

  /** For each recurrence, true if its expansions are recomputed. */
  private final Map<Integer, Boolean> recurrences = new HashMap<>();

  private final Map<Integer, Integer> chains = new HashMap<>();
  private final Map<Integer, Step> steps = new HashMap<>();
  private final boolean withProducts;
  private final int longest;
  private int expansions;
  private int products;

  RematerializationPlan(Rematerialization what) {
    withProducts = what == Rematerialization.PRODUCTS;
    longest = withProducts ? LONGEST : LONGEST_CHEAP;
  }

  /**
   * Decides about the value of a step that has all rows of its node.
   *
   * @param sources the nodes that the step reads
   * @param isMemory true if the component's forward already put the value into memory
   * @return true if the value must be stored now
   */
  boolean mustStore(
      Step step, ComponentBase component, Iterable<Integer> sources, boolean isMemory) {
    if (!isCheap(component)) {
      // the value may be a product fused into its reader: the reader's value is stored instead
      chains.put(step.node(), isMemory ? 0 : longest);
      return false;
    }
    int chain = 1;
    for (int source : sources) {
      chain = Math.max(chain, 1 + chains.getOrDefault(source, 0));
    }
    if (chain > longest) {
      return true;
    }
    chains.put(step.node(), chain);
    steps.put(step.node(), step);
    return false;
  }

  private boolean isCheap(ComponentBase component) {
    if (!(component instanceof WeightMatrixComponent w)) {
      return isCheapAlways(component);
    }
    if (!withProducts) {
      return false;
    }
    long reads = w.weights().cols();
    long makes = w.weights().rows();
    if (reads >= makes * EACH) {
      // the value is small compared to the input
      return false;
    }
    if (reads * EXPANSION <= makes) {
      return ++expansions % EACH_EXPANSION != 0;
    }
    return ++products % EACH == 2;
  }

  /**
   * Decides about a node of a recurrence.
   *
   * @param epoch number of the recurrence
   */
  void decide(int node, ComponentBase component, int epoch) {
    boolean products =
        recurrences.computeIfAbsent(epoch, _ -> recurrences.size() % EACH_RECURRENCE == 0);
    recurrent.computeIfAbsent(node, _ -> withProducts && isCheap(component, products));
  }

  private static boolean isCheap(ComponentBase component, boolean products) {
    if (component instanceof WeightMatrixComponent w) {
      return products && w.weights().cols() * (long) EXPANSION <= w.weights().rows();
    }
    return isCheapAlways(component) || GATES.contains(component.type());
  }

  private static boolean isCheapAlways(ComponentBase component) {
    return CHEAP.contains(component.type()) && !component.hasFewSums();
  }

  /** Returns true if all steps of a node of a recurrence are recomputed. */
  boolean isRecurrent(int node) {
    return recurrent.getOrDefault(node, false);
  }

  /** Returns the recomputed steps, by node. */
  Map<Integer, Step> steps() {
    return steps;
  }
}
