package ristretto.nnet3.lattice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.fst.FstHeader;
import ristretto.nnet3.io.KaldiInput;

/**
 * Reads lattices in Kaldi's text and binary forms: compact ones and those with an arc per frame.
 */
final class ReadLattice {
  private static final int MOST = 1 << 28;

  /** States of a text for each of its lines; others than these would be unconnected. */
  private static final int STATES_A_LINE = 16;

  private final KaldiInput in;
  private final List<List<CompactLattice.Arc>> arcs = new ArrayList<>();
  private final List<CompactLattice.Weight> ends = new ArrayList<>();

  private ReadLattice(KaldiInput in) {
    this.in = in;
  }

  static CompactLattice read(KaldiInput in) {
    var reader = new ReadLattice(in);
    return FstHeader.isNext(in) ? reader.binary() : reader.text();
  }

  private void state(int s) {
    while (arcs.size() <= s) {
      arcs.add(new ArrayList<>());
      ends.add(null);
    }
  }

  private CompactLattice lattice(int start) {
    var states = new ArrayList<CompactLattice.State>();
    for (int s = 0; s < arcs.size(); s++) {
      states.add(new CompactLattice.State(ends.get(s), arcs.get(s)));
    }
    return new CompactLattice(states.isEmpty() ? -1 : start, states);
  }

  private CompactLattice binary() {
    long at = in.offset();
    FstHeader header = FstHeader.read(in);
    boolean compact = header.arcs().equals("compactlattice44");
    if (!header.type().equals("vector") || !compact && !header.arcs().equals("lattice4")) {
      throw in.malformed(
          at,
          "a lattice must be a vector FST of lattice4 or compactlattice44 arcs",
          "\"" + Excerpt.of(header.type()) + "\" of \"" + Excerpt.of(header.arcs()) + '"');
    }
    long states = header.states();
    if (states < 0 || states > MOST || header.start() < -1 || header.start() >= states) {
      throw in.malformed(
          at,
          "a lattice must have at most 2^28 states, one of which is the start",
          String.format(Locale.ROOT, "%d states and the start %d", states, header.start()));
    }
    in.need(16 * states, states + " states");
    state((int) states - 1);
    for (int s = 0; s < states; s++) {
      CompactLattice.Weight end = weight(compact, 0);
      ends.set(s, Float.isInfinite(end.graph()) ? null : end);
      at = in.offset();
      long count = in.readRaw(Long.BYTES, "the number of arcs of a state");
      if (count < 0 || count > MOST) {
        throw in.malformed(at, "a state must have at most 2^28 arcs", count + " arcs");
      }
      in.need(20 * count, count + " arcs");
      for (long k = 0; k < count; k++) {
        at = in.offset();
        int input = (int) in.readRaw(Integer.BYTES, "a label");
        int output = (int) in.readRaw(Integer.BYTES, "a label");
        CompactLattice.Weight weight = weight(compact, input);
        int target = (int) in.readRaw(Integer.BYTES, "a state");
        add(at, s, output, weight, target, states);
      }
    }
    return lattice((int) header.start());
  }

  private void add(
      long at, int source, int label, CompactLattice.Weight weight, int target, long states) {
    if (label < 0 || target < 0 || target >= states) {
      throw in.malformed(
          at,
          "labels must not be negative, and arcs must lead to a state",
          String.format(Locale.ROOT, "label %d and state %d", label, target));
    }
    arcs.get(source).add(new CompactLattice.Arc(label, weight, target));
  }

  private CompactLattice.Weight weight(boolean compact, int transition) {
    float graph = Float.intBitsToFloat((int) in.readRaw(Integer.BYTES, "a cost"));
    float acoustic = Float.intBitsToFloat((int) in.readRaw(Integer.BYTES, "a cost"));
    int[] transitions = transition == 0 ? new int[0] : new int[] {transition};
    if (compact) {
      long at = in.offset();
      int count = (int) in.readRaw(Integer.BYTES, "the number of transitions");
      if (count < 0) {
        throw in.malformed(at, "the number of transitions must not be negative", "" + count);
      }
      in.need((long) count * Integer.BYTES, count + " transitions");
      transitions = in.readRawInts(count, "transitions");
    }
    return new CompactLattice.Weight(graph, acoustic, transitions);
  }

  private CompactLattice text() {
    in.peek();
    long begin = in.offset();
    int start = -1;
    for (long lines = 1; ; lines++) {
      long at = in.offset();
      String line = in.readLine();
      if (line == null || line.isBlank()) {
        break;
      }
      try {
        int source = line(line.strip().split("[ \t]+", -1), lines * STATES_A_LINE);
        start = lines == 1 ? source : start;
      } catch (NumberFormatException e) {
        var malformed =
            in.malformed(
                at,
                "a line of a lattice must be \"source target label"
                    + " [graph-cost,acoustic-cost,transition_transition_...]\" or \"state"
                    + " [costs]\", with at most 16 states for each line",
                '"' + Excerpt.of(line) + '"');
        malformed.initCause(e);
        throw malformed;
      }
    }
    if (start < 0) {
      throw in.malformed(begin, "a lattice must have states", "none");
    }
    return lattice(start);
  }

  private int line(String[] words, long limit) {
    int source = number(words[0], limit);
    state(source);
    switch (words.length) {
      case 1 -> ends.set(source, new CompactLattice.Weight(0, 0, new int[0]));
      case 2 -> ends.set(source, weight(words[1], 0));
      case 3 -> arc(source, words, 2, "0,0,", 0, limit);
      case 4 -> {
        if (words[3].indexOf(',') >= 0) {
          arc(source, words, 2, words[3], 0, limit);
        } else {
          arc(source, words, 3, "0,0", number(words[2], MOST), limit);
        }
      }
      case 5 -> arc(source, words, 3, words[4], number(words[2], MOST), limit);
      default -> throw new NumberFormatException();
    }
    return source;
  }

  private void arc(
      int source, String[] words, int label, String weight, int transition, long limit) {
    int target = number(words[1], limit);
    state(target);
    arcs.get(source)
        .add(
            new CompactLattice.Arc(number(words[label], MOST), weight(weight, transition), target));
  }

  private static int number(String word, long limit) {
    int n = Integer.parseInt(word);
    if (n < 0 || n >= limit) {
      throw new NumberFormatException(word);
    }
    return n;
  }

  private static CompactLattice.Weight weight(String text, int transition) {
    String[] parts = text.split(",", -1);
    if (parts.length < 2 || parts.length > 3) {
      throw new NumberFormatException(text);
    }
    int[] transitions = transition == 0 ? new int[0] : new int[] {transition};
    if (parts.length == 3 && !parts[2].isEmpty()) {
      transitions =
          Arrays.stream(parts[2].split("_", -1)).mapToInt(word -> number(word, MOST)).toArray();
    }
    return new CompactLattice.Weight(cost(parts[0]), cost(parts[1]), transitions);
  }

  private static float cost(String word) {
    return word.equals("Infinity") ? Float.POSITIVE_INFINITY : Float.parseFloat(word);
  }
}
