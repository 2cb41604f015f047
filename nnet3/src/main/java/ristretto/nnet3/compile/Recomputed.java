package ristretto.nnet3.compile;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import ristretto.nnet3.Choices;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Weighted;

/**
 * Which nodes' values backward computes again, so that they need no memory in between: those that
 * cost little beside the products that make what they read, and of the products one in some. What
 * they read is stored, or computed again in turn; how often is limited, because a chain of such
 * nodes is computed again at once.
 *
 * <p>Of a recurrence, all steps of such nodes are computed again in the order of forward, when
 * backward comes to it; what its other products made is stored.
 */
final class Recomputed {
  /** Nodes in a row that are computed again; the next one is stored. */
  private static final int LONGEST = 5;

  /** The same where no products are. */
  private static final int LONGEST_CHEAP = 4;

  /** A product reads so much less than it makes that it is computed again, too. */
  private static final int EXPANSION = 3;

  /** But for one in so many of those. */
  private static final int EACH_EXPANSION = 3;

  /** One in so many of the other products, which are a third of all the work, is too. */
  private static final int EACH = 4;

  /** Element by element, or with what forward kept of a normalization: no products. */
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

  /** The same within recurrences: all gates of a step. */
  private static final Set<String> GATES =
      Set.of("LstmNonlinearityComponent", "OutputGruNonlinearityComponent");

  /** In one of so many recurrences, products that make more than they read are, too. */
  private static final int EACH_RECURRENCE = 3;

  /** By node of a recurrence, whether its steps are computed again. */
  private final Map<Integer, Boolean> recurrent = new HashMap<>();

  /** By recurrence, whether products are, too. */
  private final Map<Integer, Boolean> recurrences = new HashMap<>();

  private final Map<Integer, Integer> chains = new HashMap<>();
  private final Map<Integer, Step> steps = new HashMap<>();
  private final boolean withProducts;
  private final int longest;
  private int expansions;
  private int products;

  Recomputed(Choices.Again what) {
    withProducts = what == Choices.Again.PRODUCTS;
    longest = withProducts ? LONGEST : LONGEST_CHEAP;
  }

  /**
   * Decides about the value of a step that is all of its node.
   *
   * @param sources the nodes that it reads
   * @param isMemory whether the value is in memory as it was made
   * @return whether it must be stored now
   */
  boolean mustStore(
      Step step, ComponentBase component, Iterable<Integer> sources, boolean isMemory) {
    if (!isCheap(component)) {
      // a product to which its reader adds something: the reader is stored instead
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
    if (!(component instanceof Weighted w)) {
      return isCheapAlways(component);
    }
    if (!withProducts) {
      return false;
    }
    long reads = w.weights().cols();
    long makes = w.weights().rows();
    if (reads >= makes * EACH) {
      // little to gain
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
    if (component instanceof Weighted w) {
      return products && w.weights().cols() * (long) EXPANSION <= w.weights().rows();
    }
    return isCheapAlways(component) || GATES.contains(component.type());
  }

  private static boolean isCheapAlways(ComponentBase component) {
    return CHEAP.contains(component.type()) && !component.hasFewSums();
  }

  /** Whether all steps of a node of a recurrence are computed again. */
  boolean isRecurrent(int node) {
    return recurrent.getOrDefault(node, false);
  }

  /** The steps that are to be computed again, by node. */
  Map<Integer, Step> steps() {
    return steps;
  }
}
