package ristretto.nnet3.graph;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;

/**
 * State that a streaming computation needs: the lookahead of outputs, and the rows of components
 * and inputs that outputs from time 0 on share with earlier outputs.
 *
 * @param lookahead number of input frames after an output on which the output may depend
 * @param reach number of input frames before time 0 that are read
 * @param kept rows to keep, by component node
 */
public record StreamingState(int lookahead, int reach, Map<String, List<Index>> kept) {
  /** Window sizes tried on both sides of time 0: doubled until the result no longer changes. */
  private static final int FIRST_WINDOW = 16;

  private static final int LAST_WINDOW = 512;

  /**
   * Analyses a network.
   *
   * @param period the modulus of the network; chunks are multiples of it
   * @param stride number of input frames per output frame
   * @throws ComputationException if lookahead or state is unbounded
   */
  public static StreamingState of(Nnet nnet, SimpleContext context, int period, int stride) {
    checked(period);
    var distances = TimeDistances.of(nnet);
    int lookahead = lookahead(nnet, context, distances, period, stride);
    if (distances.hasAlternatives()) {
      // the rows read depend on where the utterance begins and ends: nothing is kept
      boolean bounded = !distances.isRecurrent() && distances.all() <= LAST_WINDOW;
      return bounded
          ? new StreamingState(lookahead, distances.all(), Map.of())
          : new StreamingState(lookahead, Integer.MAX_VALUE, Map.of());
    }
    int before = Integer.MIN_VALUE;
    StreamingState last = null;
    for (int window = first(distances.optional()); window <= LAST_WINDOW; window *= 2) {
      int size = (window + period - 1) / period * period;
      var found = new Window(nnet, context, lookahead, stride, size).streaming(lookahead);
      if (found.equals(last)) {
        return found;
      }
      last = found;
      before = size;
    }
    throw new ComputationException(
        String.format(
            Locale.ROOT,
            """
            [online] the left context of the outputs must be bounded; got more than %d frames; \
            compute whole utterances, with nnet3-compute or nnet3-xvector-compute.\
            """,
            before));
  }

  /**
   * Analyses a network without keeping state: each output is computed from the first frame on.
   *
   * @param period the modulus of the network; chunks are multiples of it
   * @param stride number of input frames per output frame
   * @throws ComputationException if the lookahead is unbounded
   */
  public static StreamingState fromTheFirst(
      Nnet nnet, SimpleContext context, int period, int stride) {
    checked(period);
    int lookahead = lookahead(nnet, context, TimeDistances.of(nnet), period, stride);
    return new StreamingState(lookahead, Integer.MAX_VALUE, Map.of());
  }

  private static void checked(int period) {
    if (period > LAST_WINDOW) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              """
              [online] the modulus of the network must be at most %d; got %d, and chunks are multiples of it; compute whole utterances, with nnet3-compute or nnet3-xvector-compute.\
              """,
              LAST_WINDOW,
              period));
    }
  }

  /**
   * Returns the first window size to try: large enough for the distance, and less than LAST_WINDOW
   * so that two sizes can be compared.
   */
  private static int first(int distance) {
    int window = FIRST_WINDOW;
    while (window < distance && window < LAST_WINDOW / 2) {
      window *= 2;
    }
    return window;
  }

  /**
   * Returns the larger lookahead of the first outputs and of outputs in the middle of an utterance;
   * with alternatives, the largest of all outputs between these.
   */
  private static int lookahead(
      Nnet nnet, SimpleContext context, TimeDistances distances, int period, int stride) {
    int distance = distances.hasAlternatives() ? distances.all() : distances.optional();
    for (int window = first(distance); window <= LAST_WINDOW; window *= 2) {
      int later = (window + period - 1) / period * period;
      int farthest = context.right();
      for (int from = 0; from <= later; from += distances.hasAlternatives() ? period : later) {
        int last = from + period - stride;
        var request =
            request(nnet, -context.left(), last + context.right() + window, from, last, stride);
        farthest = Math.max(farthest, lastInput(nnet, request) - last);
      }
      // a recurrence may leave out the last few frames
      if (farthest <= context.right() + window / 2) {
        return farthest;
      }
    }
    throw new ComputationException(
        String.format(
            Locale.ROOT,
            """
            [online] the right context of the outputs must be bounded; got more than %d frames, as for a backward recurrence; compute whole utterances, with nnet3-compute.\
            """,
            LAST_WINDOW));
  }

  private static int lastInput(Nnet nnet, ComputationRequest request) {
    int[] last = {Integer.MIN_VALUE};
    ComputationGraph.of(nnet, request)
        .needed()
        .get(nnet.number("input"))
        .forEach(row -> last[0] = Math.max(last[0], row.t()));
    return last[0];
  }

  private static ComputationRequest request(
      Nnet nnet, int firstInput, int lastInput, int from, int to, int stride) {
    return ChunkRequest.of(
        nnet, 1, firstInput, lastInput - firstInput + 1, from, (to - from) / stride + 1, stride);
  }

  /** Returns one flag per row of each output, in order: true if the row is computable. */
  public static List<boolean[]> computable(Nnet nnet, ComputationRequest request) {
    return FindRows.computableOutputs(nnet, request);
  }

  /** Computation over a window of times around 0. */
  private static final class Window {
    private final Nnet nnet;
    private final ComputationGraph graph;
    private final Set<Cindex> before = new HashSet<>();
    private final Map<String, TreeSet<Index>> kept = new TreeMap<>();
    private int first;

    Window(Nnet nnet, SimpleContext context, int lookahead, int stride, int size) {
      this.nnet = nnet;
      int last = size - stride;
      this.graph =
          ComputationGraph.of(
              nnet, request(nnet, -size - context.left(), last + lookahead, -size, last, stride));
    }

    StreamingState streaming(int lookahead) {
      follow(before, t -> t < 0, _ -> false);
      follow(new HashSet<>(), t -> t >= 0, this::keeps);
      Map<String, List<Index>> all = new LinkedHashMap<>();
      kept.forEach((name, indexes) -> all.put(name, List.copyOf(indexes)));
      return new StreamingState(lookahead, -first, all);
    }

    /**
     * Marks the rows on which outputs at some times depend; rows that {@code stops} accepts are not
     * expanded.
     */
    private void follow(Set<Cindex> marks, IntPredicate times, Predicate<Cindex> stops) {
      int output = nnet.number("output");
      var open = new ArrayDeque<Cindex>();
      graph
          .needed()
          .get(output)
          .forEach(row -> {
            if (times.test(row.t())) {
              open.add(new Cindex(output, row));
            }
          });
      while (!open.isEmpty()) {
        Cindex row = open.removeLast();
        if (marks.add(row) && !stops.test(row)) {
          graph.used(row, open::add);
        }
      }
    }

    /** Returns true if a row was computed or supplied before, and records it as kept. */
    private boolean keeps(Cindex c) {
      if (c.node() >= nnet.nodes().size()) {
        return false;
      }
      Node node = nnet.node(c.node());
      if (node instanceof Node.InputNode) {
        if (node.name().equals("input")) {
          first = Math.min(first, c.index().t());
        }
        return true;
      }
      if (!(node instanceof Node.ComponentNode) || !before.contains(c)) {
        return false;
      }
      kept.computeIfAbsent(node.name(), _ -> new TreeSet<>()).add(c.index());
      return true;
    }
  }
}
