package ristretto.nnet3.search;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.hmm.Transitions;
import ristretto.nnet3.lattice.CompactLattice;
import ristretto.nnet3.lattice.LatticePath;
import ristretto.nnet3.matrix.Matrix;

/**
 * Viterbi beam search over a decoding graph, frame by frame, that keeps the paths near the best one
 * as a lattice:
 *
 * <pre>{@code
 * var search = new BeamSearch(graph, transitions, SearchOptions.DEFAULT);
 * while (more) {
 *   search.advance(scores);                 // any number of frames
 *   show(search.bestPath(false).words());   // best words so far
 * }
 * search.finish();
 * CompactLattice lattice = search.lattice();
 * }</pre>
 *
 * <p>Inputs of the graph are transitions, numbered from 1, and outputs are words; 0 is epsilon. One
 * object serves successive utterances ({@link #start}); it is not thread-safe.
 *
 * <p>Source: Kaldi, {@code decoder/lattice-faster-decoder.cc}.
 */
public final class BeamSearch {
  /** Change of an extra cost that matters, as a part of the lattice's beam. */
  private static final double PRUNE_SCALE = 0.1;

  private final Fst graph;
  private final int[] pdfs;
  private final int outputs;
  private final SearchOptions options;

  /** Token of each state of the graph at the last frame; null for states that are not active. */
  private Token[] active;

  private Token[] next;
  private final List<Frame> frames = new ArrayList<>();
  private double adaptiveBeam;
  private boolean finished;

  /** Cost of ending of each token of the last frame; empty if no token is in a final state. */
  private Map<Token, Float> endCosts = Map.of();

  /** Best path to a state at a frame. */
  private static final class Token {
    final int state;
    double cost;

    /** Least cost of a path through this token, less the cost of the best path. */
    double extra;

    Link links;
    Token before;
    Link entered;

    Token(int state, double cost) {
      this.state = state;
      this.cost = cost;
    }
  }

  /** Arc that was followed from a token. */
  private record Link(Token target, int input, int output, float graph, float acoustic, Link next) {
    Link before(Link other) {
      return new Link(target, input, output, graph, acoustic, other);
    }
  }

  /** Tokens after a number of frames, and what changed since they were pruned. */
  private static final class Frame {
    final List<Token> tokens = new ArrayList<>();
    boolean linksChanged = true;
    boolean tokensChanged = true;
  }

  /**
   * Creates a search, ready for an utterance.
   *
   * @throws ComputationException if the graph has no start state, or inputs that are not
   *     transitions
   */
  public BeamSearch(Fst graph, Transitions transitions, SearchOptions options) {
    if (graph.start() < 0 || graph.largestInput() > transitions.count()) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[search] a decoding graph must have a start state, and inputs that are transitions"
                  + " of the model; got %s, largest input %d of %d transitions; use the model that"
                  + " the graph was made with.",
              graph.start() < 0 ? "no start state" : "a start state",
              graph.largestInput(),
              transitions.count()));
    }
    this.graph = graph;
    this.options = options;
    this.outputs = transitions.model().distributions();
    pdfs = new int[transitions.count() + 1];
    for (int k = 1; k < pdfs.length; k++) {
      pdfs[k] = transitions.distribution(k);
    }
    active = new Token[graph.states()];
    next = new Token[graph.states()];
    start();
  }

  /** Graph that is searched. */
  public Fst graph() {
    return graph;
  }

  /** Forgets all frames; a new utterance begins. */
  public void start() {
    Arrays.fill(active, null);
    Arrays.fill(next, null);
    frames.clear();
    endCosts = Map.of();
    finished = false;
    adaptiveBeam = options.beam();
    frames.add(new Frame());
    frames.getLast().tokens.add(active[graph.start()] = new Token(graph.start(), 0));
    followEpsilons(options.beam());
  }

  /** Number of frames so far. */
  public int frames() {
    return frames.size() - 1;
  }

  /**
   * Searches further frames.
   *
   * @param scores scaled log-likelihoods, one row per frame and one column per distribution
   */
  public void advance(Matrix scores) {
    if (finished || scores.rows() > 0 && scores.cols() != outputs) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[search] scores must have the distributions of the model, %d columns, and precede"
                  + " the end of the utterance; got %d columns, %s the end; use the model's own"
                  + " network, or call start.",
              outputs,
              scores.cols(),
              finished ? "after" : "before"));
    }
    for (int row = 0; row < scores.rows(); row++) {
      if (frames() % options.pruneInterval() == 0) {
        prune(options.latticeBeam() * PRUNE_SCALE);
      }
      double cutoff = followInputs(scores.data(), row * scores.cols());
      followEpsilons(cutoff);
    }
  }

  /** Marks the end of the utterance: paths that do not end in a final state are dropped. */
  public void finish() {
    if (!finished) {
      finished = true;
      endCosts = endCosts();
      pruneLast();
      for (int f = frames() - 1; f >= 0; f--) {
        pruneLinks(f, 0);
        frames.get(f + 1).tokens.removeIf(token -> Double.isInfinite(token.extra));
      }
      frames.getFirst().tokens.removeIf(token -> Double.isInfinite(token.extra));
    }
  }

  /** Returns true if a path ends in a final state of the graph. */
  public boolean reachedEnd() {
    return !(finished ? endCosts : endCosts()).isEmpty();
  }

  private Map<Token, Float> endCosts() {
    var costs = new HashMap<Token, Float>();
    for (Token token : frames.getLast().tokens) {
      if (graph.isFinal(token.state)) {
        costs.put(token, graph.finalCost(token.state));
      }
    }
    return costs;
  }

  /**
   * Returns the best path.
   *
   * @param ended true to prefer paths that end in a final state, if there are any
   * @return the path; empty if the beam dropped all paths
   */
  public Optional<LatticePath> bestPath(boolean ended) {
    Map<Token, Float> ends = ended ? finished ? endCosts : endCosts() : Map.of();
    Token best = null;
    double least = Double.POSITIVE_INFINITY;
    for (Token token : frames.getLast().tokens) {
      double cost = token.cost + end(token, ends);
      if (cost < least) {
        least = cost;
        best = token;
      }
    }
    return Optional.ofNullable(best).map(token -> path(token, end(token, ends)));
  }

  private static double end(Token token, Map<Token, Float> ends) {
    return ends.isEmpty() ? 0 : ends.getOrDefault(token, Float.POSITIVE_INFINITY);
  }

  private static LatticePath path(Token last, double end) {
    var arcs = new ArrayDeque<CompactLattice.Arc>();
    for (Token token = last; token.before != null; token = token.before) {
      arcs.addFirst(arc(token.entered, arcs.size()));
    }
    return new LatticePath(
        List.copyOf(arcs), new CompactLattice.Weight((float) end, 0, new int[0]));
  }

  private static CompactLattice.Arc arc(Link link, int target) {
    int[] transitions = link.input == 0 ? new int[0] : new int[] {link.input};
    var weight = new CompactLattice.Weight(link.graph, link.acoustic, transitions);
    return new CompactLattice.Arc(link.output, weight, target);
  }

  /** Cost above which tokens are not followed; sets the beam of the next frame. */
  private double cutoff(List<Token> tokens) {
    double best = tokens.stream().mapToDouble(token -> token.cost).min().orElse(0);
    double cutoff = best + options.beam();
    adaptiveBeam = options.beam();
    int least = options.minActive();
    int most = options.maxActive();
    if (most == Integer.MAX_VALUE && least == 0) {
      return cutoff;
    }
    double[] costs = tokens.stream().mapToDouble(token -> token.cost).sorted().toArray();
    double tight = costs.length > most ? costs[most] : Double.POSITIVE_INFINITY;
    double loose = costs.length > least ? costs[least] : Double.POSITIVE_INFINITY;
    double other = tight < cutoff ? tight : Math.max(loose, cutoff);
    if (other != cutoff) {
      adaptiveBeam = other - best + options.beamDelta();
    }
    return other;
  }

  private static float acoustic(float[] scores, int at) {
    return -scores[at];
  }

  /** Follows arcs with inputs into the next frame; returns the cutoff of the next frame. */
  private double followInputs(float[] scores, int row) {
    List<Token> tokens = frames.getLast().tokens;
    double cutoff = cutoff(tokens);
    double nextCutoff = Double.POSITIVE_INFINITY;
    Token best = null;
    for (Token token : tokens) {
      best = best == null || token.cost < best.cost ? token : best;
    }
    if (best != null) {
      for (int k = graph.firstArc(best.state); k < graph.firstArc(best.state + 1); k++) {
        if (graph.input(k) != 0) {
          double cost = best.cost + graph.cost(k) + acoustic(scores, row + pdfs[graph.input(k)]);
          nextCutoff = Math.min(nextCutoff, cost + adaptiveBeam);
        }
      }
    }
    var frame = new Frame();
    for (Token token : tokens) {
      active[token.state] = null;
      if (!(token.cost <= cutoff)) {
        continue;
      }
      for (int k = graph.firstArc(token.state); k < graph.firstArc(token.state + 1); k++) {
        int input = graph.input(k);
        if (input == 0) {
          continue;
        }
        float acoustic = acoustic(scores, row + pdfs[input]);
        double cost = token.cost + acoustic + graph.cost(k);
        if (!(cost < nextCutoff)) {
          continue;
        }
        nextCutoff = Math.min(nextCutoff, cost + adaptiveBeam);
        enter(frame, next, token, k, acoustic, cost);
      }
    }
    frames.add(frame);
    Token[] free = active;
    active = next;
    next = free;
    return nextCutoff;
  }

  /** Adds a link to the token of an arc's target; returns the token if it is new or cheaper. */
  private Token enter(Frame frame, Token[] of, Token from, int arc, float acoustic, double cost) {
    int state = graph.target(arc);
    Token token = of[state];
    boolean better = token == null || cost < token.cost;
    if (token == null) {
      token = of[state] = new Token(state, cost);
      frame.tokens.add(token);
    }
    from.links =
        new Link(token, graph.input(arc), graph.output(arc), graph.cost(arc), acoustic, from.links);
    if (!better) {
      return null;
    }
    token.cost = cost;
    token.before = from;
    token.entered = from.links;
    return token;
  }

  /** Follows arcs without inputs within the last frame. */
  private void followEpsilons(double cutoff) {
    Frame frame = frames.getLast();
    var queue = new ArrayDeque<>(frame.tokens);
    while (!queue.isEmpty()) {
      Token token = queue.removeLast();
      if (!(token.cost < cutoff)) {
        continue;
      }
      token.links = null;
      for (int k = graph.firstArc(token.state); k < graph.firstArc(token.state + 1); k++) {
        double cost = token.cost + graph.cost(k);
        if (graph.input(k) == 0 && cost < cutoff) {
          Token changed = enter(frame, active, token, k, 0, cost);
          if (changed != null) {
            queue.addLast(changed);
          }
        }
      }
    }
  }

  /** Drops links and tokens that no path within the lattice's beam has. */
  private void prune(double delta) {
    for (int f = frames() - 1; f >= 0; f--) {
      Frame frame = frames.get(f);
      if (frame.linksChanged) {
        frame.linksChanged = false;
        Pruned pruned = pruneLinks(f, delta);
        if (pruned.extras && f > 0) {
          frames.get(f - 1).linksChanged = true;
        }
        frame.tokensChanged |= pruned.links;
      }
      Frame later = frames.get(f + 1);
      if (f + 1 < frames() && later.tokensChanged) {
        later.tokens.removeIf(token -> Double.isInfinite(token.extra));
        later.tokensChanged = false;
      }
    }
  }

  /** Changes of a pruning: of extra costs by more than the tolerance, and of links. */
  private record Pruned(boolean extras, boolean links) {}

  private Pruned pruneLinks(int f, double delta) {
    boolean extras = false;
    boolean links = false;
    boolean changed = true;
    while (changed) {
      changed = false;
      for (Token token : frames.get(f).tokens) {
        double extra = Double.POSITIVE_INFINITY;
        Link kept = null;
        boolean dropped = false;
        for (Link link = token.links; link != null; link = link.next) {
          double more = extra(token, link);
          if (more > options.latticeBeam()) {
            dropped = true;
          } else {
            kept = link.before(kept);
            extra = Math.min(extra, Math.max(more, 0));
          }
        }
        if (dropped) {
          token.links = kept;
          links = true;
        }
        changed |= differs(extra, token.extra, delta);
        token.extra = extra;
      }
      extras |= changed;
    }
    return new Pruned(extras, links);
  }

  private static boolean differs(double a, double b, double delta) {
    return a != b && !(Math.abs(a - b) <= delta);
  }

  /** Least cost of a path with a link, less the cost of the best path. */
  private static double extra(Token token, Link link) {
    return link.target.extra + (token.cost + link.acoustic + link.graph - link.target.cost);
  }

  /** Prunes the last frame by the costs of ending. */
  private void pruneLast() {
    List<Token> tokens = frames.getLast().tokens;
    double best = Double.POSITIVE_INFINITY;
    for (Token token : tokens) {
      best = Math.min(best, token.cost + end(token, endCosts));
    }
    boolean changed = true;
    while (changed) {
      changed = false;
      for (Token token : tokens) {
        double extra = token.cost + end(token, endCosts) - best;
        Link kept = null;
        for (Link link = token.links; link != null; link = link.next) {
          double more = extra(token, link);
          if (!(more > options.latticeBeam())) {
            kept = link.before(kept);
            extra = Math.min(extra, Math.max(more, 0));
          }
        }
        token.links = kept;
        if (extra > options.latticeBeam()) {
          extra = Double.POSITIVE_INFINITY;
        }
        changed |= differs(extra, token.extra, 0);
        token.extra = extra;
      }
    }
  }

  /**
   * Returns the lattice of all paths that are left, with an arc for each arc of the graph that was
   * followed. If no path ends in a final state, paths may end in each state of the last frame.
   *
   * @return the lattice; without states if the beam dropped all paths
   */
  public CompactLattice lattice() {
    var numbers = new HashMap<Token, Integer>();
    for (Frame frame : frames) {
      for (Token token : frame.tokens) {
        numbers.put(token, numbers.size());
      }
    }
    if (frames.getLast().tokens.isEmpty()) {
      return new CompactLattice(-1, List.of());
    }
    var states = new ArrayList<CompactLattice.State>();
    Map<Token, Float> ends = finished ? endCosts : endCosts();
    for (Frame frame : frames) {
      for (Token token : frame.tokens) {
        var arcs = new ArrayList<CompactLattice.Arc>();
        for (Link link = token.links; link != null; link = link.next) {
          arcs.add(arc(link, numbers.get(link.target)));
        }
        double end = end(token, ends);
        boolean last = frame == frames.getLast() && !Double.isInfinite(end);
        states.add(
            new CompactLattice.State(
                last ? new CompactLattice.Weight((float) end, 0, new int[0]) : null, arcs));
      }
    }
    return new CompactLattice(0, states).trimmed();
  }
}
