package ristretto.nnet3.chain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Consumer;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.FstBuilder;
import ristretto.nnet3.io.FloatText;

/**
 * Estimate of an n-gram model of phones without smoothing, as an acceptor. Histories that lose
 * least of the likelihood are merged with their suffixes until a number of states is left.
 *
 * <p>Source: Kaldi, {@code chain/language-model.cc}.
 */
public final class PhoneLanguageModel {
  /** Label of the begin and the end of a sentence. */
  private static final int BOUNDARY = 0;

  private static final int STAGES = 4;
  private static final float SIMILAR = 0.001f;
  private static final int DIGITS = 6;

  /**
   * OpenFst's properties of the result: a mutable acceptor without epsilons, with sorted labels and
   * no useless states.
   */
  private static final long PROPERTIES = 0x5005A810003L;

  private final Options options;
  private final List<State> states = new ArrayList<>();
  private final Map<List<Integer>, Integer> byHistory = new HashMap<>();
  private final PriorityQueue<Entry> queue =
      new PriorityQueue<>(
          Comparator.comparing(Entry::change).thenComparing(Entry::state).reversed());
  private int active;

  /**
   * Options with Kaldi's names.
   *
   * @param ngramOrder longest n-gram
   * @param noPruneNgramOrder n-grams of this order are all kept
   * @param numExtraLmStates states for longer histories
   */
  public record Options(int ngramOrder, int noPruneNgramOrder, int numExtraLmStates) {
    /** Kaldi's defaults. */
    public static final Options DEFAULT = new Options(4, 3, 1000);

    /**
     * Checks ranges.
     *
     * @throws ShapeException if a value is out of range
     */
    public Options {
      if (ngramOrder < 2 || noPruneNgramOrder < 1 || noPruneNgramOrder > ngramOrder) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[chain] ngram-order must be 2 or more, and no-prune-ngram-order from 1 to it; got"
                    + " %d and %d; give others.",
                ngramOrder,
                noPruneNgramOrder));
      }
      if (numExtraLmStates < 0) {
        throw new ShapeException(
            "[chain] num-extra-lm-states must be 0 or more; got %s; give another."
                .formatted(numExtraLmStates));
      }
    }
  }

  /** Counts of phones after a history. */
  private static final class State {
    private final List<Integer> history;

    /** State of the history without its first phone; -1 if this one is not merged with it. */
    private final int suffix;

    private final Map<Integer, Integer> counts = new TreeMap<>();
    private int total;

    /** Counts of this state and of those that may be merged with it, at first. */
    private int withLonger;

    private boolean mergeable;

    State(List<Integer> history, int suffix) {
      this.history = history;
      this.suffix = suffix;
    }

    private float logLikelihood() {
      double sum = 0;
      for (int count : counts.values()) {
        sum += Math.log((double) count / total) * count;
      }
      return (float) sum;
    }
  }

  /** Candidate to be merged, with the change of the log-likelihood. */
  private record Entry(float change, int state) {}

  /** Creates a model without counts. */
  public PhoneLanguageModel(Options options) {
    this.options = options;
  }

  /**
   * Counts the phones of a sentence.
   *
   * @throws ShapeException if a phone is not above 0
   */
  public void add(int... phones) {
    List<Integer> history = List.of(BOUNDARY);
    for (int phone : phones) {
      if (phone <= 0) {
        throw new ShapeException(
            "[chain] phones must be above 0; got %s; leave epsilons out.".formatted(phone));
      }
      count(history, phone);
      history = longer(history, phone);
    }
    count(history, BOUNDARY);
  }

  private List<Integer> longer(List<Integer> history, int phone) {
    var next = new ArrayList<>(history);
    next.add(phone);
    return List.copyOf(next.size() == options.ngramOrder ? next.subList(1, next.size()) : next);
  }

  private void count(List<Integer> history, int phone) {
    State state = states.get(find(history));
    state.counts.merge(phone, 1, Integer::sum);
    state.total++;
  }

  /** Index of the state of a history; a new state comes before that of its suffix. */
  private int find(List<Integer> history) {
    Integer known = byHistory.get(history);
    if (known != null) {
      return known;
    }
    int index = states.size();
    byHistory.put(history, index);
    states.add(null);
    boolean isLong = history.size() >= options.noPruneNgramOrder;
    int suffix = isLong ? find(history.subList(1, history.size())) : -1;
    states.set(index, new State(history, suffix));
    return index;
  }

  /**
   * Returns the model; to be called once.
   *
   * @param log receives lines about the estimate
   * @throws ComputationException if nothing was counted
   */
  public Fst estimate(Consumer<String> log) {
    if (states.isEmpty()) {
      throw new ComputationException(
          "[chain] a phone language model must have phones to count; got none; give another"
              + " table.");
    }
    log.accept(
        String.format(
            Locale.ROOT,
            "Estimating language model with --no-prune-ngram-order=%d, --ngram-order=%d,"
                + " --num-extra-lm-states=%d",
            options.noPruneNgramOrder,
            options.ngramOrder,
            options.numExtraLmStates));
    for (State state : states) {
      active += state.total == 0 ? 0 : 1;
      state.withLonger += state.total;
      for (int s = state.suffix; s >= 0; s = states.get(s).suffix) {
        states.get(s).withLonger += state.total;
      }
    }
    int length = options.noPruneNgramOrder - 1;
    int basic = (int) states.stream().filter(s -> s.history.size() == length).count();
    merge(basic, log);
    return toFst(log);
  }

  private void merge(int basic, Consumer<String> log) {
    int before = active;
    int wanted = basic + options.numExtraLmStates;
    for (int stage = 1; stage <= STAGES; stage++) {
      merge(before + (wanted - before) * stage / STAGES);
    }
    log.accept(
        String.format(
            Locale.ROOT,
            "In LM [hard] backoff, target num states was %d + --num-extra-lm-states=%d = %d, pruned"
                + " from %d to %d",
            basic,
            options.numExtraLmStates,
            wanted,
            before,
            active));
  }

  /** Merges states until so many are left, or none may be merged. */
  private void merge(int wanted) {
    queue.clear();
    for (int s = 0; s < states.size(); s++) {
      State state = states.get(s);
      state.mergeable = isMergeable(state);
      if (state.mergeable) {
        queue.add(new Entry(change(state), s));
      }
    }
    while (active > wanted && !queue.isEmpty()) {
      Entry first = queue.remove();
      float now = change(states.get(first.state));
      if (Math.abs(now - first.change) <= SIMILAR * (Math.abs(now) + Math.abs(first.change))) {
        mergeWithSuffix(states.get(first.state));
      } else {
        queue.add(new Entry(now, first.state));
      }
    }
  }

  private boolean isMergeable(State state) {
    if (state.suffix < 0 || state.total == 0 || state.total != state.withLonger) {
      return false;
    }
    if (state.history.size() < options.ngramOrder - 1) {
      for (int phone : state.counts.keySet()) {
        Integer next = byHistory.get(longer(state.history, phone));
        if (next != null && states.get(next).withLonger != 0) {
          return false;
        }
      }
    }
    return true;
  }

  /** Change of the log-likelihood if a state is merged with its suffix. */
  private float change(State state) {
    State suffix = states.get(state.suffix);
    if (suffix.total == 0) {
      return -1e-15f * state.total;
    }
    var sum = new State(List.of(), -1);
    addCounts(suffix, sum);
    addCounts(state, sum);
    float change = sum.logLikelihood() - state.logLikelihood() - suffix.logLikelihood();
    return Math.min(0, change);
  }

  private static void addCounts(State from, State to) {
    from.counts.forEach((phone, count) -> to.counts.merge(phone, count, Integer::sum));
    to.total += from.total;
  }

  private void mergeWithSuffix(State state) {
    State suffix = states.get(state.suffix);
    active -= suffix.total == 0 ? 0 : 1;
    addCounts(state, suffix);
    state.counts.clear();
    state.total = 0;
    state.withLonger = 0;
    state.mergeable = false;
    if (!suffix.mergeable && isMergeable(suffix)) {
      suffix.mergeable = true;
      queue.add(new Entry(change(suffix), state.suffix));
    }
  }

  /** State of the longest suffix of a history that has counts. */
  private int reached(List<Integer> history) {
    List<Integer> suffix = history;
    while (true) {
      Integer state = byHistory.get(suffix);
      if (state != null && states.get(state).total > 0) {
        return state;
      }
      suffix = suffix.subList(1, suffix.size());
    }
  }

  private Fst toFst(Consumer<String> log) {
    var numbers = new int[states.size()];
    Arrays.fill(numbers, -1);
    int count = 0;
    for (int s = 0; s < numbers.length; s++) {
      numbers[s] = states.get(s).total > 0 ? count++ : -1;
    }
    var fst = new FstBuilder();
    fst.properties(PROPERTIES);
    fst.start(numbers[reached(List.of(BOUNDARY))]);
    double sum = 0;
    int seen = 0;
    int arcs = 0;
    for (State state : states) {
      sum += state.logLikelihood();
      seen += state.total;
      for (var each : state.counts.entrySet()) {
        int phone = each.getKey();
        int from = numbers[byHistory.get(state.history)];
        float cost = (float) -Math.log((double) each.getValue() / state.total);
        if (phone == BOUNDARY) {
          fst.finalCost(from, cost);
        } else {
          fst.arc(from, phone, phone, cost, numbers[reached(longer(state.history, phone))]);
          arcs++;
        }
      }
    }
    log.accept("Total number of phone instances seen was " + seen);
    log.accept(
        "Perplexity on training data is: " + FloatText.of((float) Math.exp(-sum / seen), DIGITS));
    log.accept(
        "Note: perplexity on unseen data will be infinity as there is no smoothing.  This is by"
            + " design, to reduce the number of arcs.");
    log.accept(
        String.format(
            Locale.ROOT, "Created phone language model with %d states and %d arcs.", count, arcs));
    return fst.build();
  }
}
