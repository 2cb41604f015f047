package ristretto.nnet3.fst;

import java.util.Locale;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.io.KaldiInput;

/**
 * Reads transducers: OpenFst's binary types vector, const and compact_acceptor with standard arcs,
 * and OpenFst's text.
 *
 * <p>Source: OpenFst 1.7.2, {@code fst.h}, {@code vector-fst.h}, {@code const-fst.h}, {@code
 * compact-fst.h}.
 */
public final class ReadFst {
  private static final int ALIGNED = 4;
  private static final int ALIGNMENT = 16;
  private static final int MOST_STATES = 1 << 28;

  /** Bytes of an arc, and of an element of a compact acceptor. */
  private static final int ARC = 16;

  private static final int ELEMENT = 12;
  private static final int CONST_STATE = 20;

  private static final Pattern NUMBER =
      Pattern.compile("[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?");

  /** Most states of a text for each of its lines; others than these would be unconnected. */
  private static final int STATES_A_LINE = 16;

  private final KaldiInput in;
  private final long begin;
  private int flags;
  private long properties;
  private int version;
  private int start;
  private int states;

  private ReadFst(KaldiInput in) {
    this.in = in;
    this.begin = in.offset();
  }

  /** Reads the transducer of a file, binary or text. */
  public static Fst load(String rxfilename) {
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      return any(in);
    }
  }

  /** Reads a transducer in binary form or text. */
  static Fst any(KaldiInput in) {
    return FstHeader.isNext(in) ? binary(in) : text(in);
  }

  /** Reads a transducer in binary form, of OpenFst's type vector, const or compact_acceptor. */
  public static Fst binary(KaldiInput in) {
    return new ReadFst(in).binary();
  }

  private Fst binary() {
    long at = in.offset();
    FstHeader header = FstHeader.read(in);
    if (!header.arcs().equals("standard")) {
      throw in.malformed(at, "an FST must have standard arcs", quoted(header.arcs()));
    }
    version = header.version();
    flags = header.flags();
    properties = header.properties();
    long counts = in.offset() - 3 * Long.BYTES;
    long first = header.start();
    long number = header.states();
    String type = header.type();
    boolean vector = type.equals("vector");
    if (number > MOST_STATES || number < (vector ? -1 : 0) || first < -1) {
      throw in.malformed(
          counts, "an FST must have at most " + MOST_STATES + " states", number + " states");
    }
    states = (int) number;
    start = (int) first;
    Fst fst =
        switch (type) {
          case "vector" -> vector();
          case "const" -> constant();
          case "compact_acceptor" -> compact();
          default ->
              throw in.malformed(
                  at,
                  "an FST must have the type vector, const or compact_acceptor; convert it with"
                      + " fstconvert",
                  quoted(type));
        };
    if (start >= fst.states()) {
      throw in.malformed(
          counts,
          String.format(Locale.ROOT, "the start must be one of the %d states", fst.states()),
          Integer.toString(start));
    }
    return fst;
  }

  private FstBuilder builder() {
    var to = new FstBuilder();
    to.properties(properties);
    return to;
  }

  private Fst vector() {
    if (states >= 0) {
      in.need(12L * states, states + " states");
    }
    FstBuilder to = builder();
    for (int s = 0; states < 0 ? in.peekRaw() >= 0 : s < states; s++) {
      to.finalCost(s, real("a final cost"));
      long at = in.offset();
      long count = in.readRaw(Long.BYTES, "the number of arcs of a state");
      if (count < 0 || count > Integer.MAX_VALUE / ARC) {
        throw in.malformed(at, "a state must have at most 2^27 arcs", count + " arcs");
      }
      in.need(count * ARC, count + " arcs");
      for (long k = 0; k < count; k++) {
        arc(to, s, states < 0 ? MOST_STATES : states);
      }
    }
    if (start >= 0 && start < to.states()) {
      to.start(start);
    }
    return checked(to.build());
  }

  private Fst constant() {
    align();
    in.need((long) states * CONST_STATE, states + " states");
    FstBuilder to = builder();
    var counts = new int[states];
    long total = 0;
    for (int s = 0; s < states; s++) {
      to.finalCost(s, real("a final cost"));
      long at = in.offset();
      long first = integer("the first arc of a state") & 0xFFFFFFFFL;
      counts[s] = integer("the number of arcs of a state");
      integer("the number of epsilons");
      integer("the number of epsilons");
      if (counts[s] < 0 || first != total) {
        throw in.malformed(at, "the arcs of states must be consecutive", "arc " + first);
      }
      total += counts[s];
    }
    align();
    in.need(total * ARC, total + " arcs");
    for (int s = 0; s < states; s++) {
      for (int k = 0; k < counts[s]; k++) {
        arc(to, s, states);
      }
    }
    if (start >= 0 && start < states) {
      to.start(start);
    }
    return to.build();
  }

  private Fst compact() {
    align();
    in.need((states + 1L) * Integer.BYTES, states + " states");
    int[] offsets = in.readRawInts(states + 1, "the offsets of states");
    long at = in.offset();
    for (int s = 0; s <= states; s++) {
      if (offsets[s] < 0 || (s == 0 ? offsets[s] != 0 : offsets[s] < offsets[s - 1])) {
        throw in.malformed(at, "the elements of states must be consecutive", "others");
      }
    }
    align();
    in.need((long) offsets[states] * ELEMENT, offsets[states] + " elements");
    FstBuilder to = builder();
    for (int s = 0; s < states; s++) {
      to.finalCost(s, Float.POSITIVE_INFINITY);
      for (int k = offsets[s]; k < offsets[s + 1]; k++) {
        at = in.offset();
        int label = integer("a label");
        float cost = real("a cost");
        int target = integer("a state");
        if (label == -1 && k == offsets[s]) {
          to.finalCost(s, cost);
        } else {
          check(at, label, label, target, states);
          to.arc(s, label, label, cost, target);
        }
      }
    }
    if (start >= 0 && start < states) {
      to.start(start);
    }
    return to.build();
  }

  private void arc(FstBuilder to, int source, int limit) {
    long at = in.offset();
    int input = integer("an input label");
    int output = integer("an output label");
    float cost = real("a cost");
    int target = integer("a state");
    check(at, input, output, target, limit);
    to.arc(source, input, output, cost, target);
  }

  private void check(long at, int input, int output, int target, int limit) {
    if (input < 0 || output < 0) {
      throw in.malformed(
          at, "labels must not be negative", Integer.toString(Math.min(input, output)));
    }
    if (target < 0 || target >= limit) {
      throw in.malformed(
          at,
          String.format(Locale.ROOT, "arcs must lead to one of the %d states", limit),
          "state " + target);
    }
  }

  /** Refuses states that only arcs of a file without the number of its states name. */
  private Fst checked(Fst fst) {
    for (int k = 0; states < 0 && k < fst.arcs(); k++) {
      check(begin, fst.input(k), fst.output(k), fst.target(k), fst.states());
    }
    return fst;
  }

  private void align() {
    if ((flags & ALIGNED) != 0 || version == 1) {
      while ((in.offset() - begin) % ALIGNMENT != 0) {
        in.readRaw(1, "padding");
      }
    }
  }

  private int integer(String what) {
    return (int) in.readRaw(Integer.BYTES, what);
  }

  private float real(String what) {
    return Float.intBitsToFloat(integer(what));
  }

  private static String quoted(String text) {
    return '"' + Excerpt.of(text) + '"';
  }

  /**
   * Reads lines of OpenFst's text up to a blank line or the end: {@code source target input output
   * [cost]} for an arc, and {@code state [cost]} for a final state. The first line's state is the
   * start.
   */
  public static Fst text(KaldiInput in) {
    return text(in, ReadFst::number, ReadFst::number);
  }

  /**
   * Reads OpenFst's text with names as labels.
   *
   * @param inputs gives the number of an input label
   * @param outputs gives the number of an output label
   */
  public static Fst text(
      KaldiInput in, ToIntFunction<String> inputs, ToIntFunction<String> outputs) {
    var to = new FstBuilder();
    in.peek();
    long begin = in.offset();
    for (long lines = 1; ; lines++) {
      long at = in.offset();
      String line = in.readLine();
      if (line == null || line.isBlank()) {
        if (to.states() > lines * STATES_A_LINE) {
          throw in.malformed(
              begin,
              "states must be numbered from 0 without large gaps",
              to.states() + " states in " + (lines - 1) + " lines");
        }
        return to.build();
      }
      String[] words = line.strip().split("[ \t]+", -1);
      try {
        int source = number(words[0]);
        switch (words.length) {
          case 1 -> to.finalCost(source, 0);
          case 2 -> to.finalCost(source, cost(words[1]));
          case 4, 5 ->
              to.arc(
                  source,
                  inputs.applyAsInt(words[2]),
                  outputs.applyAsInt(words[3]),
                  words.length == 4 ? 0 : cost(words[4]),
                  number(words[1]));
          default -> throw new NumberFormatException();
        }
        if (lines == 1) {
          to.start(source);
        }
      } catch (NumberFormatException e) {
        var malformed =
            in.malformed(
                at,
                "a line of an FST must be \"source target input output [cost]\" or \"state"
                    + " [cost]\"",
                quoted(line));
        malformed.initCause(e);
        throw malformed;
      }
    }
  }

  /**
   * Returns the label that a word of a text is.
   *
   * @throws NumberFormatException if it is not a number from 0
   */
  public static int number(String word) {
    int n = Integer.parseInt(word);
    if (n < 0 || n >= MOST_STATES) {
      throw new NumberFormatException(word);
    }
    return n;
  }

  private static float cost(String word) {
    return switch (word) {
      case "Infinity", "inf" -> Float.POSITIVE_INFINITY;
      case "-Infinity", "-inf" -> Float.NEGATIVE_INFINITY;
      default -> {
        if (!NUMBER.matcher(word).matches()) {
          throw new NumberFormatException(word);
        }
        yield Float.parseFloat(word);
      }
    };
  }
}
