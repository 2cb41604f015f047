package ristretto.nnet3.hmm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.TreeSet;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/**
 * HMM topology: the states of each phone and their transitions.
 *
 * @param entries topologies, each a list of states
 * @param ofPhone index in {@code entries} for each phone
 */
public record Topology(List<List<State>> entries, TreeMap<Integer, Integer> ofPhone) {
  /** Pdf class of a non-emitting state. */
  static final int NONE = -1;

  private static final int MOST_PHONES = 1 << 24;
  private static final int SMALLEST = 5;

  /**
   * HMM state of a phone.
   *
   * @param forward pdf class of leaving the state, or {@link #NONE}
   * @param selfLoop pdf class of staying in the state, or {@link #NONE}
   * @param transitions to other states and to the state itself
   */
  record State(int forward, int selfLoop, List<Transition> transitions) {
    State {
      transitions = List.copyOf(transitions);
    }
  }

  /**
   * Transition to a state.
   *
   * @param to target state
   * @param probability initial probability
   */
  record Transition(int to, float probability) {}

  /** Copies the lists and the map. */
  public Topology {
    entries = entries.stream().map(List::copyOf).toList();
    ofPhone = new TreeMap<>(ofPhone);
  }

  /** Reads a topology from a file of its own. */
  public static Topology load(String rxfilename) {
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      return read(in);
    }
  }

  static Topology read(KaldiInput in) {
    in.expectToken("<Topology>");
    long at = in.offset();
    Topology read = in.binary() ? readBinary(in) : readText(in);
    read.check(in, at);
    return read;
  }

  private static Topology readBinary(KaldiInput in) {
    int[] phones = in.readIntVector();
    int[] indices = in.readIntVector();
    var ofPhone = new TreeMap<Integer, Integer>();
    for (int phone : phones) {
      ofPhone.put(phone, phone >= 0 && phone < indices.length ? indices[phone] : NONE);
    }
    long at = in.offset();
    int count = in.readInt();
    boolean two = count == NONE;
    if (two) {
      at = in.offset();
      count = in.readInt();
    }
    notNegative(in, at, "topologies", count);
    List<List<State>> entries = new ArrayList<>();
    for (int e = 0; e < count; e++) {
      int states = in.readCount("states", SMALLEST);
      List<State> entry = new ArrayList<>();
      for (int s = 0; s < states; s++) {
        int forward = in.readInt();
        int selfLoop = two ? in.readInt() : forward;
        int ways = in.readCount("transitions", 2 * SMALLEST);
        List<Transition> transitions = new ArrayList<>();
        for (int w = 0; w < ways; w++) {
          int to = in.readInt();
          transitions.add(new Transition(to, in.readFloat()));
        }
        entry.add(new State(forward, selfLoop, transitions));
      }
      entries.add(entry);
    }
    in.expectToken("</Topology>");
    return new Topology(entries, ofPhone);
  }

  private static void notNegative(KaldiInput in, long at, String what, int count) {
    if (count < 0) {
      throw in.malformed(at, "the number of %s must be 0 or more".formatted(what), "" + count);
    }
  }

  private static Topology readText(KaldiInput in) {
    List<List<State>> entries = new ArrayList<>();
    var ofPhone = new TreeMap<Integer, Integer>();
    while (among(in, "<TopologyEntry>", "</Topology>").equals("<TopologyEntry>")) {
      in.expectToken("<ForPhones>");
      while (in.peekToken() != '/') {
        in.peek();
        long at = in.offset();
        int phone = in.readInt();
        if (phone <= 0 || phone >= MOST_PHONES || ofPhone.put(phone, entries.size()) != null) {
          throw in.malformed(
              at, "a phone must be a number above 0, in one topology only", "" + phone);
        }
      }
      in.expectToken("</ForPhones>");
      entries.add(states(in));
    }
    return new Topology(entries, ofPhone);
  }

  private static List<State> states(KaldiInput in) {
    List<State> states = new ArrayList<>();
    while (among(in, "<State>", "</TopologyEntry>").equals("<State>")) {
      in.peek();
      long at = in.offset();
      int number = in.readInt();
      if (number != states.size()) {
        throw in.malformed(
            at,
            String.format(
                Locale.ROOT, "states must be numbered consecutively, %d here", states.size()),
            "" + number);
      }
      int forward = NONE;
      int selfLoop = NONE;
      List<Transition> transitions = new ArrayList<>();
      String token = among(in, "<PdfClass>", "<ForwardPdfClass>", "<Transition>", "</State>");
      if (token.equals("<PdfClass>")) {
        forward = in.readInt();
        selfLoop = forward;
        token = among(in, "<Transition>", "</State>");
      } else if (token.equals("<ForwardPdfClass>")) {
        forward = in.readInt();
        in.expectToken("<SelfLoopPdfClass>");
        selfLoop = in.readInt();
        token = among(in, "<Transition>", "</State>");
      }
      while (token.equals("<Transition>")) {
        int to = in.readInt();
        transitions.add(new Transition(to, in.readFloat()));
        token = among(in, "<Transition>", "</State>");
      }
      states.add(new State(forward, selfLoop, transitions));
    }
    return states;
  }

  /** Reads a token, which must be one of {@code tokens}. */
  static String among(KaldiInput in, String... tokens) {
    in.peek();
    long at = in.offset();
    String token = in.readToken();
    if (!Arrays.asList(tokens).contains(token)) {
      throw in.malformed(
          at,
          "one of %s must come next".formatted(String.join(", ", tokens)),
          '"' + Excerpt.of(token) + '"');
    }
    return token;
  }

  /** Refuses an inconsistent topology. */
  private void check(KaldiInput in, long at) {
    if (entries.isEmpty() || !new TreeSet<>(ofPhone.values()).equals(numbers(entries.size()))) {
      throw in.malformed(
          at,
          "a topology must have entries, each for some phones",
          String.format(Locale.ROOT, "%d entries for %d phones", entries.size(), ofPhone.size()));
    }
    for (List<State> entry : entries) {
      check(entry, in, at);
    }
  }

  private static void check(List<State> entry, KaldiInput in, long at) {
    int last = entry.size() - 1;
    if (last < 1
        || !entry.get(last).transitions.isEmpty()
        || entry.get(last).forward != NONE
        || entry.get(last).selfLoop != NONE) {
      throw in.malformed(
          at,
          "an entry must have a last state without transitions and class, after others",
          String.format(Locale.ROOT, "%d states", entry.size()));
    }
    var classes = new TreeSet<Integer>();
    var reached = new TreeSet<Integer>();
    for (int s = 0; s <= last; s++) {
      State state = entry.get(s);
      if (state.forward < NONE || state.selfLoop < NONE) {
        throw wrong(in, at, s, "classes must be numbers from 0", "a negative one");
      }
      if (state.forward != NONE) {
        classes.add(state.forward);
        classes.add(state.selfLoop);
      }
      var targets = new TreeSet<Integer>();
      for (Transition way : state.transitions) {
        if (way.to < 0 || way.to > last || !targets.add(way.to)) {
          throw wrong(in, at, s, "transitions must go to different states", "one to " + way.to);
        }
        if (!(way.probability > 0 && way.probability <= 1)) {
          throw wrong(
              in, at, s, "probabilities must be above 0 and at most 1", "" + way.probability);
        }
        if (way.to == last && state.forward == NONE || way.to == s && state.selfLoop == NONE) {
          throw wrong(
              in,
              at,
              s,
              "a state without class must not loop or lead to the last state",
              "to " + way.to);
        }
      }
      if (s < last && targets.isEmpty()) {
        throw wrong(in, at, s, "states but the last one must have transitions", "none");
      }
      reached.addAll(targets);
    }
    reached.add(0);
    if (reached.size() != entry.size()) {
      throw in.malformed(
          at,
          "each state must be reachable",
          String.format(Locale.ROOT, "%d of %d", reached.size(), entry.size()));
    }
    classes.remove(NONE);
    if (classes.isEmpty() || !classes.equals(numbers(classes.size()))) {
      throw in.malformed(at, "classes must be numbered from 0 without gaps", "" + classes);
    }
  }

  private static FileFormatException wrong(
      KaldiInput in, long at, int state, String rule, String got) {
    return in.malformed(at, String.format(Locale.ROOT, "of state %d, %s", state, rule), got);
  }

  private static TreeSet<Integer> numbers(int count) {
    var numbers = new TreeSet<Integer>();
    for (int k = 0; k < count; k++) {
      numbers.add(k);
    }
    return numbers;
  }

  /** Returns true if the pdf classes of staying and leaving are equal in all states. */
  boolean isHmm() {
    return entries.stream().flatMap(List::stream).allMatch(s -> s.forward == s.selfLoop);
  }

  /** Returns the states of a phone; null if the phone has none. */
  List<State> of(int phone) {
    Integer index = ofPhone.get(phone);
    return index == null ? null : entries.get(index);
  }

  void write(KaldiOutput out) {
    out.writeToken("<Topology>");
    if (out.binary()) {
      writeBinary(out);
    } else {
      writeText(out);
    }
    out.writeToken("</Topology>");
    out.endLine();
  }

  private void writeBinary(KaldiOutput out) {
    out.writeIntVector(ofPhone.keySet().stream().mapToInt(Integer::intValue).toArray());
    var indices = new int[ofPhone.lastKey() + 1];
    Arrays.fill(indices, NONE);
    ofPhone.forEach((phone, index) -> indices[phone] = index);
    out.writeIntVector(indices);
    if (!isHmm()) {
      out.writeInt(NONE);
    }
    out.writeInt(entries.size());
    for (List<State> entry : entries) {
      out.writeInt(entry.size());
      for (State state : entry) {
        out.writeInt(state.forward);
        if (!isHmm()) {
          out.writeInt(state.selfLoop);
        }
        out.writeInt(state.transitions.size());
        for (Transition way : state.transitions) {
          out.writeInt(way.to);
          out.writeFloat(way.probability);
        }
      }
    }
  }

  private void writeText(KaldiOutput out) {
    out.endLine();
    for (int e = 0; e < entries.size(); e++) {
      int entry = e;
      line(out, "<TopologyEntry>");
      line(out, "<ForPhones>");
      ofPhone.forEach((phone, index) -> {
        if (index == entry) {
          out.writeInt(phone);
        }
      });
      out.endLine();
      line(out, "</ForPhones>");
      for (int s = 0; s < entries.get(e).size(); s++) {
        writeText(s, entries.get(e).get(s), out);
      }
      line(out, "</TopologyEntry>");
    }
  }

  private void writeText(int number, State state, KaldiOutput out) {
    out.writeToken("<State>");
    out.writeInt(number);
    if (state.forward != NONE) {
      out.writeToken(isHmm() ? "<PdfClass>" : "<ForwardPdfClass>");
      out.writeInt(state.forward);
      if (!isHmm()) {
        out.writeToken("<SelfLoopPdfClass>");
        out.writeInt(state.selfLoop);
      }
    }
    for (Transition way : state.transitions) {
      out.writeToken("<Transition>");
      out.writeInt(way.to);
      out.writeFloat(way.probability);
    }
    line(out, "</State>");
  }

  private static void line(KaldiOutput out, String token) {
    out.writeToken(token);
    out.endLine();
  }
}
