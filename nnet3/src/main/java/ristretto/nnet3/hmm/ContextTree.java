package ristretto.nnet3.hmm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import ristretto.nnet3.io.KaldiInput;

/**
 * A decision tree that tells which distribution belongs to a phone, with its neighbours, and a
 * class.
 *
 * @param width phones in a window
 * @param center position in it of the phone in question
 * @param root what to ask first
 */
public record ContextTree(int width, int center, Question root) {
  /** The position of the class, among those of phones. */
  static final int CLASS = -1;

  private static final int UNKNOWN = -1;
  private static final int MOST_WIDTH = 1000;

  /** More levels are no tree that was grown from data. */
  private static final int DEEPEST = 1000;

  /** What to ask of an event. */
  sealed interface Question {
    /** Tells all distributions that may belong to an event of which a part is known. */
    void answers(Map<Integer, Integer> event, IntConsumer to);
  }

  /**
   * Nothing: the answer.
   *
   * @param distribution its number
   */
  record Leaf(int distribution) implements Question {
    @Override
    public void answers(Map<Integer, Integer> event, IntConsumer to) {
      to.accept(distribution);
    }
  }

  /** There is no answer. */
  record Nothing() implements Question {
    @Override
    public void answers(Map<Integer, Integer> event, IntConsumer to) {}
  }

  /**
   * Which value it is.
   *
   * @param position of the value
   * @param next by value
   */
  record Table(int position, List<Question> next) implements Question {
    @Override
    public void answers(Map<Integer, Integer> event, IntConsumer to) {
      Integer value = event.get(position);
      if (value == null) {
        next.forEach(question -> question.answers(event, to));
      } else if (value >= 0 && value < next.size()) {
        next.get(value).answers(event, to);
      }
    }
  }

  /**
   * Whether the value is one of a set.
   *
   * @param position of the value
   * @param values the set
   * @param yes what to ask then
   * @param no what to ask else
   */
  record Split(int position, Set<Integer> values, Question yes, Question no) implements Question {
    @Override
    public void answers(Map<Integer, Integer> event, IntConsumer to) {
      Integer value = event.get(position);
      if (value == null || values.contains(value)) {
        yes.answers(event, to);
      }
      if (value == null || !values.contains(value)) {
        no.answers(event, to);
      }
    }
  }

  /** The tree in a file. */
  public static ContextTree load(String rxfilename) {
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      return read(in);
    }
  }

  static ContextTree read(KaldiInput in) {
    in.expectToken("ContextDependency");
    long at = in.offset();
    int width = in.readInt();
    int center = in.readInt();
    if (width < 1 || width > MOST_WIDTH || center < 0 || center >= width) {
      throw in.malformed(
          at,
          String.format(
              Locale.ROOT, "a window must have 1 to %d phones, and its center in it", MOST_WIDTH),
          String.format(Locale.ROOT, "%d phones with the center %d", width, center));
    }
    if (Topology.among(in, "ToLength", "ToPdf").equals("ToLength")) {
      question(in, 0);
      in.expectToken("ToPdf");
    }
    Question root = question(in, 0);
    in.expectToken("EndContextDependency");
    return new ContextTree(width, center, root);
  }

  private static Question question(KaldiInput in, int depth) {
    in.peek();
    long at = in.offset();
    if (depth > DEEPEST) {
      throw in.malformed(
          at, String.format(Locale.ROOT, "a tree must have at most %d levels", DEEPEST), "more");
    }
    return switch (Topology.among(in, "NULL", "CE", "TE", "SE")) {
      case "CE" -> {
        int distribution = in.readInt();
        if (distribution < 0) {
          throw in.malformed(at, "distributions must be numbered from 0", "" + distribution);
        }
        yield new Leaf(distribution);
      }
      case "TE" -> {
        int position = in.readInt();
        int count = in.readUnsignedCount("branches", 1);
        in.expectToken("(");
        List<Question> next = new ArrayList<>();
        for (int k = 0; k < count; k++) {
          next.add(question(in, depth + 1));
        }
        in.expectToken(")");
        yield new Table(position, next);
      }
      case "SE" -> {
        int position = in.readInt();
        Set<Integer> values =
            IntStream.of(in.readIntVector()).boxed().collect(Collectors.toUnmodifiableSet());
        in.expectToken("{");
        Question yes = question(in, depth + 1);
        Question no = question(in, depth + 1);
        in.expectToken("}");
        yield new Split(position, values, yes, no);
      }
      default -> new Nothing();
    };
  }

  /** Distributions of a window of phones, of which some may be unknown, and a class. */
  private TreeSet<Integer> distributions(int[] window, int ofClass) {
    var event = new TreeMap<Integer, Integer>();
    for (int k = 0; k < window.length; k++) {
      if (window[k] != UNKNOWN) {
        event.put(k, window[k]);
      }
    }
    event.put(CLASS, ofClass);
    var found = new TreeSet<Integer>();
    root.answers(event, found::add);
    return found;
  }

  private int[] window(int phone) {
    var window = new int[width];
    Arrays.fill(window, UNKNOWN);
    window[center] = phone;
    return window;
  }

  /** What a phone's distributions of a class can be, whatever is around it. */
  Set<Integer> distributions(int phone, int ofClass) {
    return distributions(window(phone), ofClass);
  }

  /**
   * A distribution for leaving a state, and one for staying.
   *
   * @param forward that for leaving
   * @param selfLoop that for staying, or none
   */
  record Pair(int forward, int selfLoop) {}

  /** What the distributions of a phone's state can be together. */
  Set<Pair> pairs(Set<Integer> phones, int phone, int forward, int selfLoop) {
    var found = new LinkedHashSet<Pair>();
    pairs(phones, window(phone), forward, selfLoop, found);
    return found;
  }

  /** Where both are open, they depend on the neighbours, which are filled in from the center. */
  private void pairs(
      Set<Integer> phones, int[] window, int forward, int selfLoop, Set<Pair> found) {
    Set<Integer> leaving = distributions(window, forward);
    Set<Integer> staying =
        selfLoop == Topology.NONE ? Set.of(Topology.NONE) : distributions(window, selfLoop);
    int open = nearestUnknown(window);
    if (leaving.size() <= 1 || staying.size() <= 1 || open < 0) {
      for (int one : leaving) {
        staying.forEach(other -> found.add(new Pair(one, other)));
      }
      return;
    }
    int[] filled = window.clone();
    // there may be none at the edges of a sentence
    filled[open] = 0;
    pairs(phones, filled, forward, selfLoop, found);
    for (int neighbour : phones) {
      filled[open] = neighbour;
      pairs(phones, filled, forward, selfLoop, found);
    }
  }

  private int nearestUnknown(int[] window) {
    int nearest = -1;
    for (int k = 0; k < window.length; k++) {
      boolean nearer = nearest < 0 || Math.abs(k - center) < Math.abs(nearest - center);
      if (window[k] == UNKNOWN && nearer) {
        nearest = k;
      }
    }
    return nearest;
  }
}
