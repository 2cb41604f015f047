package ristretto.nnet3.hmm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.FstBuilder;

/**
 * Expands an acceptor of phones to one of transitions: each phone, in its context, becomes the
 * states of its topology. A transition that leaves a state comes before its self-loops, as in all
 * graphs of chain models.
 */
public final class PhonesToTransitions {
  private final ContextTree tree;
  private final Transitions transitions;
  private final double transitionScale;
  private final double selfLoopScale;

  /**
   * Creates the expansion.
   *
   * @param transitionScale factor of the log-probabilities of leaving a state in a certain way
   * @param selfLoopScale factor of the log-probabilities of staying in a state and of leaving it
   */
  public PhonesToTransitions(
      ContextTree tree, Transitions transitions, double transitionScale, double selfLoopScale) {
    this.tree = tree;
    this.transitions = transitions;
    this.transitionScale = transitionScale;
    this.selfLoopScale = selfLoopScale;
  }

  /**
   * Returns the acceptor of transitions, which may have epsilons; its states are numbered in
   * breadth-first order.
   *
   * @param phones acceptor of phones, which may have epsilons
   * @throws FileFormatException if the topology lacks a phone
   */
  public Fst apply(Fst phones) {
    return AddSelfLoops.apply(new Context(phones, false).run(), transitions, selfLoopScale, false);
  }

  /**
   * Returns the transducer of transitions to words, which may have epsilons; its states are
   * numbered in breadth-first order.
   *
   * @param phones transducer of phones to words, which may have epsilons
   * @throws FileFormatException if the topology lacks a phone
   */
  public Fst toWords(Fst phones) {
    return AddSelfLoops.apply(new Context(phones, true).run(), transitions, selfLoopScale, true);
  }

  /** State of the phones, and the last phones before it; {@code phones} is -1 after the end. */
  private record InContext(int phones, List<Integer> before, int padding) {}

  /** Phones in their contexts, each replaced by its topology without self-loops. */
  private final class Context {
    private static final int ENDED = -1;

    private final Fst phones;

    /** True if outputs are words; false if they are the transitions. */
    private final boolean words;

    private final FstBuilder builder = new FstBuilder();
    private final Map<InContext, Integer> numbers = new HashMap<>();
    private final List<InContext> states = new ArrayList<>();

    Context(Fst phones, boolean words) {
      this.phones = phones;
      this.words = words;
    }

    Fst run() {
      if (phones.start() < 0) {
        return phones;
      }
      int right = tree.width() - 1 - tree.center();
      List<Integer> nothing = new ArrayList<>();
      for (int k = 1; k < tree.width(); k++) {
        nothing.add(0);
      }
      builder.start(number(new InContext(phones.start(), List.copyOf(nothing), 0)));
      for (int n = 0; n < states.size(); n++) {
        InContext state = states.get(n);
        int from = numbers.get(state);
        if (state.phones == ENDED) {
          pad(state, from, right, 0);
          continue;
        }
        for (int k = phones.firstArc(state.phones); k < phones.firstArc(state.phones + 1); k++) {
          int phone = phones.input(k);
          if (phone == 0) {
            int to = number(new InContext(phones.target(k), state.before, 0));
            builder.arc(from, 0, word(k), phones.cost(k), to);
          } else {
            move(state, from, phone, word(k), phones.target(k), 0, phones.cost(k));
          }
        }
        if (phones.isFinal(state.phones)) {
          pad(state, from, right, phones.finalCost(state.phones));
        }
      }
      return builder.build();
    }

    private int word(int arc) {
      return words ? phones.output(arc) : 0;
    }

    private void pad(InContext state, int from, int right, float cost) {
      if (state.padding == right) {
        builder.finalCost(from, cost);
      } else {
        move(state, from, 0, 0, ENDED, state.padding + 1, cost);
      }
    }

    private int number(InContext state) {
      return numbers.computeIfAbsent(
          state,
          added -> {
            states.add(added);
            int next = builder.states();
            builder.state(next);
            return next;
          });
    }

    private void move(
        InContext state, int from, int phone, int word, int next, int padding, float cost) {
      var window = new int[tree.width()];
      for (int k = 0; k + 1 < window.length; k++) {
        window[k] = state.before.get(k);
      }
      window[window.length - 1] = phone;
      List<Integer> before = new ArrayList<>(state.before);
      before.add(phone);
      before.removeFirst();
      int to = number(new InContext(next, List.copyOf(before), padding));
      if (window[tree.center()] == 0) {
        builder.arc(from, 0, word, cost, to);
      } else {
        phone(window, from, to, word, cost);
      }
    }

    /** The first state of a topology is the state from which its phone is entered. */
    private void phone(int[] window, int from, int to, int word, float cost) {
      int phone = window[tree.center()];
      List<Topology.State> topology = transitions.model().topology().of(phone);
      if (topology == null) {
        throw new FileFormatException(
            "[chain] the topology must have all phones; got none for phone %s; use the topology of the phones' alignments."
                .formatted(phone));
      }
      var at = new int[topology.size()];
      Arrays.fill(at, -1);
      at[topology.size() - 1] = to;
      boolean returns = false;
      for (int s = 0; s < topology.size(); s++) {
        for (Topology.Transition way : topology.get(s).transitions()) {
          returns |= way.to() == 0 && s > 0;
        }
      }
      for (int s = 0; s + 1 < at.length; s++) {
        if (s > 0 || returns) {
          at[s] = builder.states();
          builder.state(at[s]);
        } else {
          at[s] = from;
        }
      }
      if (returns) {
        builder.arc(from, 0, word, cost, at[0]);
      }
      for (int s = 0; s + 1 < at.length; s++) {
        boolean enters = s == 0 && !returns;
        state(window, s, at, enters ? word : 0, enters ? cost : 0);
      }
    }

    private void state(int[] window, int s, int[] at, int word, float cost) {
      Topology.State state = transitions.model().topology().of(window[tree.center()]).get(s);
      boolean emits = state.forward() != Topology.NONE;
      int first = emits ? transitions.first(tree, window, s) : 0;
      for (int w = 0; w < state.transitions().size(); w++) {
        Topology.Transition way = state.transitions().get(w);
        if (way.to() == s) {
          continue;
        }
        double log =
            emits
                ? transitions.logProbability(first + w) - transitions.logProbabilityOfLeaving(first)
                : Math.log(way.probability());
        int label = emits ? first + w : 0;
        builder.arc(
            at[s],
            label,
            words ? word : label,
            cost - (float) (transitionScale * log),
            at[way.to()]);
      }
    }
  }
}
