package ristretto.nnet3.compile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.Node;
import ristretto.nnet3.SimpleContext;

/**
 * State that a streaming computation needs: the lookahead of outputs, and the rows of components
 * and inputs that outputs from time 0 on share with earlier outputs.
 *
 * @param lookahead number of input frames after an output on which the output may depend
 * @param reach number of input frames before time 0 that are read
 * @param kept rows to keep, by component node
 */
public record Streaming(int lookahead, int reach, Map<String, List<Index>> kept) {
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
  public static Streaming of(Nnet nnet, SimpleContext context, int period, int stride) {
    checked(period);
    var distances = Distances.of(nnet);
    int lookahead = lookahead(nnet, context, distances, period, stride);
    if (distances.hasAlternatives()) {
      // the rows read depend on where the utterance begins and ends: nothing is kept
      boolean bounded = !distances.isRecurrent() && distances.all() <= LAST_WINDOW;
      return bounded
          ? new Streaming(lookahead, distances.all(), Map.of())
          : new Streaming(lookahead, Integer.MAX_VALUE, Map.of());
    }
    int before = Integer.MIN_VALUE;
    Streaming last = null;
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
            [online] what outputs need of the past must have bounds; got more than %d frames of it; \
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
  public static Streaming fromTheFirst(Nnet nnet, SimpleContext context, int period, int stride) {
    checked(period);
    int lookahead = lookahead(nnet, context, Distances.of(nnet), period, stride);
    return new Streaming(lookahead, Integer.MAX_VALUE, Map.of());
  }

  private static void checked(int period) {
    if (period > LAST_WINDOW) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              """
              [online] the modulus of the network must be at most %d; got %d, of which chunks are \
              multiples; compute whole utterances, with nnet3-compute or nnet3-xvector-compute.\
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
      Nnet nnet, SimpleContext context, Distances distances, int period, int stride) {
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
            [online] what outputs need of the future must have bounds; got more than %d frames, as for a \
            recurrence that goes back in time; compute whole utterances, with nnet3-compute.\
            """,
            LAST_WINDOW));
  }

  private static int lastInput(Nnet nnet, ComputationRequest request) {
    var graph = GraphBuilder.build(nnet, request);
    int input = nnet.number("input");
    int last = Integer.MIN_VALUE;
    for (int row = 0; row < graph.rows().size(); row++) {
      Cindex c = graph.rows().get(row);
      if (c.node() == input && graph.isNeeded(row)) {
        last = Math.max(last, c.index().t());
      }
    }
    return last;
  }

  private static ComputationRequest request(
      Nnet nnet, int firstInput, int lastInput, int from, int to, int stride) {
    var input = new ArrayList<Index>();
    for (int t = firstInput; t <= lastInput; t++) {
      input.add(new Index(0, t));
    }
    var output = new ArrayList<Index>();
    for (int t = from; t <= to; t += stride) {
      output.add(new Index(0, t));
    }
    var inputs = new ArrayList<ComputationRequest.Io>();
    inputs.add(new ComputationRequest.Io("input", input, false));
    if (nnet.inputDim("ivector") > 0) {
      inputs.add(new ComputationRequest.Io("ivector", List.of(new Index(0, 0)), false));
    }
    return new ComputationRequest(
        inputs, List.of(new ComputationRequest.Io("output", output, false)), false, false);
  }

  /** Returns one flag per row of each output, in order: true if the row is computable. */
  public static List<boolean[]> computable(Nnet nnet, ComputationRequest request) {
    return GraphBuilder.computable(nnet, request);
  }

  /** Computation over a window of times around 0. */
  private static final class Window {
    private final Nnet nnet;
    private final Cindexes rows;
    private final List<int[]> reads;
    private final BitSet before = new BitSet();
    private final Map<String, TreeSet<Index>> kept = new TreeMap<>();
    private int first;

    Window(Nnet nnet, SimpleContext context, int lookahead, int stride, int size) {
      this.nnet = nnet;
      int last = size - stride;
      var graph =
          GraphBuilder.build(
              nnet, request(nnet, -size - context.left(), last + lookahead, -size, last, stride));
      this.rows = graph.rows();
      this.reads = graph.reads();
    }

    Streaming streaming(int lookahead) {
      follow(before, output -> output < 0, _ -> false);
      var after = new BitSet();
      follow(after, output -> output >= 0, this::keeps);
      Map<String, List<Index>> all = new LinkedHashMap<>();
      kept.forEach((name, indexes) -> all.put(name, List.copyOf(indexes)));
      return new Streaming(lookahead, -first, all);
    }

    /**
     * Marks the rows on which outputs at some times depend; rows that {@code stops} accepts are not
     * expanded.
     */
    private void follow(BitSet marks, IntPredicate outputs, IntPredicate stops) {
      int output = nnet.number("output");
      var open = new Ints();
      for (int row = 0; row < rows.size(); row++) {
        Cindex c = rows.get(row);
        if (c.node() == output && reads.get(row) != null && outputs.test(c.index().t())) {
          open.add(row);
        }
      }
      while (!open.isEmpty()) {
        int row = open.removeLast();
        if (!marks.get(row)) {
          marks.set(row);
          if (!stops.test(row)) {
            Arrays.stream(reads.get(row)).forEach(open::add);
          }
        }
      }
    }

    /** Returns true if a row was computed or supplied before, and records it as kept. */
    private boolean keeps(int row) {
      Cindex c = rows.get(row);
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
      if (!(node instanceof Node.ComponentNode) || !before.get(row)) {
        return false;
      }
      kept.computeIfAbsent(node.name(), _ -> new TreeSet<>()).add(c.index());
      return true;
    }
  }
}
