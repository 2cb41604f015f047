package ristretto.expr.graph;

import java.util.ArrayList;
import java.util.List;

/**
 * Order in which the operands of an Einstein summation are multiplied, two at a time. The cost of a
 * pair is the product of the extents of all of its letters: the multiplications of its product.
 */
public final class ContractionOrder {
  /** Number of operands up to which all orders are compared, 3^n pairs. */
  private static final int MOST_COMPARED = 8;

  /** Operands of a product; the results follow the operands of the summation in their numbering. */
  public record Pair(int left, int right) {}

  private final long[] letters;
  private final double[] extents;
  private final long output;

  /**
   * Creates the search of an order.
   *
   * @param letters letters of each operand, as bits
   * @param output letters of the result
   * @param extents extent of each letter
   */
  public ContractionOrder(long[] letters, long output, double[] extents) {
    this.letters = letters.clone();
    this.output = output;
    this.extents = extents.clone();
  }

  /** Returns the products from left to right. */
  public static List<Pair> leftToRight(int operands) {
    var all = new ArrayList<Pair>();
    for (int k = 1; k < operands; k++) {
      all.add(new Pair(k == 1 ? 0 : operands + k - 2, k));
    }
    return all;
  }

  /**
   * Returns the cheapest order, or from left to right if no other is cheaper, or if there are too
   * many operands to compare all orders.
   */
  public List<Pair> best() {
    int n = letters.length;
    if (n <= 2 || n > MOST_COMPARED) {
      return leftToRight(n);
    }
    double[] best = new double[1 << n];
    int[] split = new int[1 << n];
    for (int set = 1; set < best.length; set++) {
      if (Integer.bitCount(set) == 1) {
        continue;
      }
      best[set] = Double.POSITIVE_INFINITY;
      int last = Integer.highestOneBit(set);
      // The part without the last operand, the largest first: equal costs leave the order as it is.
      int rest = set ^ last;
      for (int left = rest; left != 0; left = (left - 1) & rest) {
        int right = set ^ left;
        double cost = best[left] + best[right] + size(open(left) | open(right));
        if (cost < best[set]) {
          best[set] = cost;
          split[set] = left;
        }
      }
    }
    var order = new ArrayList<Pair>();
    add(best.length - 1, split, order);
    return order;
  }

  private int add(int set, int[] split, List<Pair> order) {
    if (Integer.bitCount(set) == 1) {
      return Integer.numberOfTrailingZeros(set);
    }
    int left = add(split[set], split, order);
    int right = add(set ^ split[set], split, order);
    order.add(new Pair(left, right));
    return letters.length + order.size() - 1;
  }

  /** Letters of the product of a set of operands that the result or other operands have. */
  private long open(int set) {
    long inside = 0;
    long outside = output;
    for (int k = 0; k < letters.length; k++) {
      if ((set >> k & 1) != 0) {
        inside |= letters[k];
      } else {
        outside |= letters[k];
      }
    }
    return inside & outside;
  }

  private double size(long set) {
    double product = 1;
    for (int k = 0; k < extents.length; k++) {
      product *= (set >> k & 1) != 0 ? extents[k] : 1;
    }
    return product;
  }
}
