package ristretto.nnet3.hmm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/**
 * Transition model: HMM states of phones with their distributions, and the transition
 * probabilities.
 */
public final class TransitionModel {
  private static final Logger LOG = LoggerFactory.getLogger(TransitionModel.class);
  private static final int SMALLEST = 2;

  private static final Comparator<Tuple> ORDER =
      Comparator.comparingInt(Tuple::phone)
          .thenComparingInt(Tuple::state)
          .thenComparingInt(Tuple::forward)
          .thenComparingInt(Tuple::selfLoop);

  private final Topology topology;
  private final List<Tuple> tuples;

  /** Log-probabilities of the transitions of all tuples, in order; element 0 is unused. */
  private final float[] logProbabilities;

  /**
   * HMM state with its distributions.
   *
   * @param phone phone of the state
   * @param state number of the state
   * @param forward distribution of leaving the state
   * @param selfLoop distribution of staying in the state
   */
  record Tuple(int phone, int state, int forward, int selfLoop) {}

  private TransitionModel(Topology topology, List<Tuple> tuples, float[] logProbabilities) {
    this.topology = topology;
    this.tuples = tuples;
    this.logProbabilities = logProbabilities;
  }

  /**
   * Creates the transition model of all states that a tree and a topology define, with the
   * probabilities of the topology.
   *
   * @throws ShapeException if the tree and the topology have no phones in common
   */
  public static TransitionModel of(ContextTree tree, Topology topology) {
    var tuples = new TreeSet<>(ORDER);
    Set<Integer> phones = topology.ofPhone().keySet();
    for (int phone : phones) {
      List<Topology.State> states = topology.of(phone);
      for (int s = 0; s < states.size(); s++) {
        Topology.State state = states.get(s);
        if (state.forward() == Topology.NONE) {
          continue;
        }
        int before = tuples.size();
        if (topology.isHmm()) {
          for (int pdf : tree.distributions(phone, state.forward())) {
            tuples.add(new Tuple(phone, s, pdf, pdf));
          }
        } else {
          for (var pair : tree.pairs(phones, phone, state.forward(), state.selfLoop())) {
            tuples.add(new Tuple(phone, s, pair.forward(), pair.selfLoop()));
          }
        }
        if (tuples.size() == before) {
          LOG.warn("The tree has no distributions for state {} of phone {}.", s, phone);
        }
      }
    }
    List<Float> probabilities = new ArrayList<>(List.of(0f));
    for (Tuple tuple : tuples) {
      for (var way : topology.of(tuple.phone).get(tuple.state).transitions()) {
        probabilities.add((float) Math.log(way.probability()));
      }
    }
    if (tuples.isEmpty()) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[am-nnet] a tree and a topology must have phones in common; got none of %d; give a"
                  + " matching pair.",
              phones.size()));
    }
    var values = new float[probabilities.size()];
    for (int k = 0; k < values.length; k++) {
      values[k] = probabilities.get(k);
    }
    return new TransitionModel(topology, List.copyOf(tuples), values);
  }

  /** Reads the transition model at the beginning of a file, such as {@code 0.trans_mdl}. */
  public static TransitionModel load(String rxfilename) {
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      return read(in);
    }
  }

  /** Reads a transition model from the current position. */
  public static TransitionModel read(KaldiInput in) {
    in.expectToken("<TransitionModel>");
    Topology topology = Topology.read(in);
    boolean two = Topology.among(in, "<Triples>", "<Tuples>").equals("<Tuples>");
    int count = in.readCount("states", 3 * SMALLEST);
    List<Tuple> tuples = new ArrayList<>();
    int ways = 0;
    for (int k = 0; k < count; k++) {
      in.peek();
      long at = in.offset();
      int phone = in.readInt();
      int state = in.readInt();
      int forward = in.readInt();
      tuples.add(new Tuple(phone, state, forward, two ? in.readInt() : forward));
      List<Topology.State> states = topology.of(phone);
      if (states == null || state < 0 || state >= states.size()) {
        throw in.malformed(
            at,
            "a phone and its state must be in the topology",
            String.format(Locale.ROOT, "state %d of phone %d", state, phone));
      }
      ways += states.get(state).transitions().size();
    }
    in.expectToken(two ? "</Tuples>" : "</Triples>");
    in.expectToken("<LogProbs>");
    in.peek();
    long at = in.offset();
    float[] values = in.readVector();
    if (values.length != ways + 1) {
      throw in.malformed(
          at,
          String.format(
              Locale.ROOT,
              "there must be a log-probability for each of %d transitions, after one unused"
                  + " element",
              ways),
          values.length + " numbers");
    }
    in.expectToken("</LogProbs>");
    in.expectToken("</TransitionModel>");
    return new TransitionModel(topology, tuples, values);
  }

  Topology topology() {
    return topology;
  }

  List<Tuple> tuples() {
    return tuples;
  }

  /** Log-probability of a transition, whose number starts at 1. */
  float logProbability(int transition) {
    return logProbabilities[transition];
  }

  /** Phones of the topology, in increasing order. */
  public int[] phones() {
    return topology.ofPhone().keySet().stream().mapToInt(Integer::intValue).toArray();
  }

  /** Returns the number of distributions (pdfs). */
  public int distributions() {
    int most = -1;
    for (Tuple tuple : tuples) {
      most = Math.max(most, Math.max(tuple.forward, tuple.selfLoop));
    }
    return most + 1;
  }

  /** Writes the transition model. */
  public void write(KaldiOutput out) {
    boolean one = topology.isHmm();
    out.writeToken("<TransitionModel>");
    out.endLine();
    topology.write(out);
    out.writeToken(one ? "<Triples>" : "<Tuples>");
    out.writeInt(tuples.size());
    out.endLine();
    for (Tuple tuple : tuples) {
      out.writeInt(tuple.phone);
      out.writeInt(tuple.state);
      out.writeInt(tuple.forward);
      if (!one) {
        out.writeInt(tuple.selfLoop);
      }
      out.endLine();
    }
    out.writeToken(one ? "</Triples>" : "</Tuples>");
    out.endLine();
    out.writeToken("<LogProbs>");
    out.endLine();
    out.writeVector(logProbabilities);
    out.writeToken("</LogProbs>");
    out.endLine();
    out.writeToken("</TransitionModel>");
    out.endLine();
  }
}
