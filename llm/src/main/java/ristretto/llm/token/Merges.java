package ristretto.llm.token;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Merges adjacent pieces of a text: of all pairs that may be merged, the one with the least
 * priority, and of several the first, until there is none. Takes time proportional to n log n.
 */
final class Merges {
  /** Priorities of pairs. */
  @FunctionalInterface
  interface Priority {
    /** Priority of merging two pieces; the least goes first. NaN if they must not be merged. */
    double of(String left, String right);
  }

  /**
   * Pair of adjacent pieces that may be merged.
   *
   * @param left index of the first character of the left piece
   * @param right of the right one
   * @param length of both in characters
   */
  private record Pair(int left, int right, int length, double priority) {}

  private final String text;
  private final Priority priority;

  /** Length of the piece that begins at a character; 0 if none does. */
  private final int[] lengths;

  /** Begin of the piece before the one that begins at a character; -1 for none. */
  private final int[] before;

  private final PriorityQueue<Pair> open =
      new PriorityQueue<>(Comparator.comparingDouble(Pair::priority).thenComparingInt(Pair::left));

  private Merges(String text, Priority priority) {
    this.text = text;
    this.priority = priority;
    this.lengths = new int[text.length()];
    this.before = new int[text.length()];
  }

  /** Pieces of a text, which are its characters at first. */
  static List<String> of(String text, Priority priority) {
    return new Merges(text, priority).run();
  }

  private List<String> run() {
    int n = text.length();
    int last = -1;
    for (int at = 0; at < n; at += lengths[at]) {
      lengths[at] = Character.charCount(text.codePointAt(at));
      before[at] = last;
      last = at;
    }
    for (int at = 0; at < n; at += lengths[at]) {
      offer(at);
    }
    while (!open.isEmpty()) {
      Pair p = open.poll();
      if (isStale(p)) {
        continue;
      }
      lengths[p.left] = p.length;
      lengths[p.right] = 0;
      int next = p.left + p.length;
      if (next < n) {
        before[next] = p.left;
      }
      offer(p.left);
      if (before[p.left] >= 0) {
        offer(before[p.left]);
      }
    }
    var pieces = new ArrayList<String>();
    for (int at = 0; at < n; at += lengths[at]) {
      pieces.add(text.substring(at, at + lengths[at]));
    }
    return pieces;
  }

  /** Returns true if one of the two pieces was merged with another one since. */
  private boolean isStale(Pair p) {
    return lengths[p.left] == 0
        || lengths[p.right] == 0
        || p.left + lengths[p.left] != p.right
        || lengths[p.left] + lengths[p.right] != p.length;
  }

  /** Offers the pair of the piece at an index and the next one. */
  private void offer(int at) {
    int right = at + lengths[at];
    if (right < text.length()) {
      int end = right + lengths[right];
      double value = priority.of(text.substring(at, right), text.substring(right, end));
      if (!Double.isNaN(value)) {
        open.add(new Pair(at, right, end - at, value));
      }
    }
  }
}
