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
 * Decision tree that maps a phone in its context, and a pdf class, to a distribution (pdf).
 *
 * @param width number of phones in a window
 * @param center position of the central phone in the window
 * @param root root of the tree
 */
public record ContextTree(int width, int center, Question root) {
  /** Key of the pdf class in an event, next to the positions of phones. */
  static final int CLASS = -1;

  private static final int UNKNOWN = -1;
  private static final int MOST_WIDTH = 1000;

  /** Maximum depth; a tree grown from data has fewer levels. */
  private static final int DEEPEST = 1000;

  /** Node of the tree. */
  sealed interface Question {
    /**
     * Passes to {@code to} every distribution that the tree may assign to a partially known event;
     * an event maps positions to values, and a missing value matches all branches.
     */
    void answers(Map<Integer, Integer> event, IntConsumer to);
  }

  /**
   * Leaf.
   *
   * @param distribution number of the distribution
   */
  record Leaf(int distribution) implements Question {
    @Override
    public void answers(Map<Integer, Integer> event, IntConsumer to) {
      to.accept(distribution);
    }
  }

  /** Leaf without a distribution. */
  record Nothing() implements Question {
    @Override
    public void answers(Map<Integer, Integer> event, IntConsumer to) {}
  }

  /**
   * Branch by value.
   *
   * @param position position whose value is tested
   * @param next child for each value
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
   * Branch by membership of a set.
   *
   * @param position position whose value is tested
   * @param values the set
   * @param yes child for values in the set
   * @param no child for other values
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

  /** Reads a tree from a file. */
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

  /**
   * Returns the distributions of a window of phones, some of which may be unknown, and a pdf class.
   */
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

  /**
   * Returns the distribution of a window of phones, in which 0 stands for no phone, and a pdf
   * class; -1 if the tree has none.
   */
  int distribution(int[] window, int ofClass) {
    TreeSet<Integer> found = distributions(window, ofClass);
    return found.size() == 1 ? found.first() : UNKNOWN;
  }

  private int[] window(int phone) {
    var window = new int[width];
    Arrays.fill(window, UNKNOWN);
    window[center] = phone;
    return window;
  }

  /** Returns the distributions of a phone and a pdf class in any context. */
  Set<Integer> distributions(int phone, int ofClass) {
    return distributions(window(phone), ofClass);
  }

  /**
   * Distributions of leaving a state and of staying in it.
   *
   * @param forward distribution of leaving
   * @param selfLoop distribution of staying, or none
   */
  record Pair(int forward, int selfLoop) {}

  /** Returns the pairs of distributions that a state of a phone can have in any context. */
  Set<Pair> pairs(Set<Integer> phones, int phone, int forward, int selfLoop) {
    var found = new LinkedHashSet<Pair>();
    pairs(phones, window(phone), forward, selfLoop, found);
    return found;
  }

  /**
   * Adds the pairs of a window. While both distributions are ambiguous, they depend on the
   * neighbours, which are enumerated from the center outwards.
   */
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
    // phone 0 stands for no neighbour, at the edges of a sentence
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
