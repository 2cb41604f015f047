package ristretto.nnet3.network;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.Index;
import ristretto.nnet3.config.Node;

/**
 * Input context of a network: the number of input frames before and after an output frame that the
 * output depends on. It is found by probing which outputs are computable from windows of input, at
 * each time modulo the network's modulus.
 *
 * @param left frames before
 * @param right frames after
 */
public record SimpleContext(int left, int right) implements Serializable {
  private static final int FIRST_WINDOW = 40;
  private static final int LAST_WINDOW = 640;

  /** Maximum number of time shifts that are probed; a larger modulus is sampled. */
  private static final int MOST_SHIFTS = 40;

  /**
   * Returns true if a network has an input node {@code input}, an output node {@code output}, and
   * at most one further input, {@code ivector}, as most commands require.
   */
  public static boolean isSimple(Nnet nnet) {
    long inputs = nnet.nodes().stream().filter(Node.InputNode.class::isInstance).count();
    return nnet.outputDim("output") > 0
        && nnet.inputDim("input") > 0
        && (inputs == 1 || nnet.inputDim("ivector") > 0);
  }

  /**
   * Returns the context of a network; empty if the network is not {@linkplain #isSimple simple} or
   * no output is computable from the longest window.
   */
  static Optional<SimpleContext> find(Nnet nnet) {
    try {
      for (int window = FIRST_WINDOW; isSimple(nnet) && window <= LAST_WINDOW; window *= 2) {
        SimpleContext context = ofWindow(nnet, window);
        if (context != null) {
          return Optional.of(context);
        }
      }
      return Optional.empty();
    } catch (StackOverflowError e) {
      throw new ShapeException(
          "[context] the dependencies of an output must be shallow enough for the stack; got deeper"
              + " ones; check offsets, Round and recurrences, or give a larger stack with -Xss.");
    }
  }

  /**
   * Returns the context of a {@linkplain #isSimple simple} network.
   *
   * @throws ShapeException if the network is not simple, or no output is computable from the
   *     longest window
   */
  public static SimpleContext of(Nnet nnet) {
    if (!isSimple(nnet)) {
      throw new ShapeException(
          "[context] a network must have nodes 'input' and 'output' and at most one more input,"
              + " 'ivector'; got another one; rename its nodes.");
    }
    return find(nnet)
        .orElseThrow(() ->
            new ShapeException(
                "[context] a network must compute some output from "
                    + LAST_WINDOW
                    + " frames of input; got none; check its offsets and recurrences."));
  }

  /** Returns the largest context over all probed shifts, or null if the window is too short. */
  private static SimpleContext ofWindow(Nnet nnet, int window) {
    int left = 0;
    int right = 0;
    int modulus = nnet.modulus();
    int step = 1 + (modulus - 1) / MOST_SHIFTS;
    for (int start = 0; start < modulus; start += step) {
      var reachable = new Reachable(nnet, start, start + window, modulus);
      int first = start;
      while (first < start + window && !reachable.output(first)) {
        first++;
      }
      int end = first;
      while (end < start + window && reachable.output(end)) {
        end++;
      }
      if (end == first) {
        return null;
      }
      left = Math.max(left, first - start);
      right = Math.max(right, start + window - end);
    }
    return new SimpleContext(left, right);
  }

  /** Rows computable from input frames [start, end). */
  private static final class Reachable {
    private final Nnet nnet;
    private final int start;
    private final int end;
    private final int modulus;
    private final int output;
    private final Map<Cindex, Boolean> known = new HashMap<>();

    Reachable(Nnet nnet, int start, int end, int modulus) {
      this.nnet = nnet;
      this.start = start;
      this.end = end;
      this.modulus = modulus;
      this.output = nnet.number("output");
    }

    boolean output(int t) {
      return row(new Cindex(output, new Index(0, t)));
    }

    private boolean row(Cindex c) {
      Boolean before = known.get(c);
      if (before != null) {
        return before;
      }
      // Rows far from all input have no value; this bounds the recursion. A row that depends on
      // itself is not computable, hence false while it is being evaluated.
      long far = 4L * (end - start) + modulus;
      int t = c.index().t();
      if (t < start - far || t > end + far) {
        return false;
      }
      known.put(c, false);
      boolean is =
          switch (nnet.node(c.node())) {
            case Node.InputNode n -> isInput(n, c.index());
            case Node.DimRangeNode n -> row(new Cindex(n.source().node(), c.index()));
            case Node.OutputNode n -> n.input().isComputable(c.index(), this::row);
            case Node.ComponentNode n ->
                nnet.component(n)
                    .isComputable(c.index(), i -> n.input().isComputable(i, this::row), used -> {});
          };
      known.put(c, is);
      return is;
    }

    private boolean isInput(Node.InputNode node, Index at) {
      int first = node.name().equals("ivector") ? start - modulus : start;
      return at.x() == 0 && at.t() >= first && at.t() < end;
    }
  }
}
