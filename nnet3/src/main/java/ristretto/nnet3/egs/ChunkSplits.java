package ristretto.nnet3.egs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

/**
 * Candidate splits of utterances into chunk sizes, by utterance length. A split has any number of
 * chunks of the default size and at most two of other sizes. Its cost is the number of frames in
 * excess, or twice the number of frames missing; splits of nearly minimal cost are candidates, of
 * which {@link Chunker} takes one at random.
 */
final class ChunkSplits {
  /**
   * Exclusive limit of a candidate's cost above the minimum; below 2, the cost of a missing frame.
   */
  private static final double SLACK = 1.9999;

  private final ExampleGenerationOptions options;
  private final int usual;

  /**
   * Utterance length in frames beyond which splits differ only in the number of chunks of the
   * default size.
   */
  private final int longest;

  private final List<List<Integer>> all;
  private final List<List<List<Integer>>> byLength = new ArrayList<>();

  ChunkSplits(ExampleGenerationOptions options) {
    this.options = options;
    this.usual = options.sizes().get(0);
    this.longest = usual + 2 * Collections.max(options.sizes());
    this.all = all();
    for (int length = 0; length <= longest; length++) {
      byLength.add(cheapest(length));
    }
  }

  private List<List<Integer>> all() {
    List<Integer> others = new ArrayList<>(options.sizes());
    others.set(0, 0);
    var found = new TreeSet<List<Integer>>(ChunkSplits::compare);
    for (int first : others) {
      for (int second : others) {
        List<Integer> split = new ArrayList<>();
        for (int other : new int[] {first, second}) {
          if (other > 0) {
            split.add(other);
          }
        }
        while (duration(split) <= longest + usual) {
          Collections.sort(split);
          if (!split.isEmpty()) {
            found.add(List.copyOf(split));
          }
          split.add(usual);
          Collections.sort(split);
        }
      }
    }
    return List.copyOf(found);
  }

  private static int compare(List<Integer> a, List<Integer> b) {
    for (int k = 0; k < Math.min(a.size(), b.size()); k++) {
      if (!a.get(k).equals(b.get(k))) {
        return a.get(k) - b.get(k);
      }
    }
    return a.size() - b.size();
  }

  /** Number of frames that a split covers with the requested overlap. */
  private double duration(List<Integer> split) {
    double share = (double) options.overlap() / usual;
    double frames = 0;
    for (int k = 0; k < split.size(); k++) {
      frames += split.get(k);
      frames -= k == 0 ? 0 : share * Math.min(split.get(k - 1), split.get(k));
    }
    return frames;
  }

  private List<List<Integer>> cheapest(int length) {
    double least = Double.POSITIVE_INFINITY;
    for (List<Integer> split : all) {
      least = Math.min(least, cost(split, length));
    }
    List<List<Integer>> cheap = new ArrayList<>();
    for (List<Integer> split : all) {
      double cost = cost(split, length);
      if (cost < Double.POSITIVE_INFINITY && cost < least + SLACK) {
        cheap.add(split);
      }
    }
    return cheap;
  }

  private double cost(List<Integer> split, int length) {
    if (length < Collections.max(split)) {
      return Double.POSITIVE_INFINITY;
    }
    double duration = duration(split);
    return duration > length ? duration - length : 2 * (length - duration);
  }

  /**
   * Returns the candidate splits of an utterance, each in ascending order; none if the utterance is
   * too short.
   */
  List<List<Integer>> of(int length) {
    int rest = length;
    int more = 0;
    while (rest > longest) {
      rest -= usual - options.overlap();
      more++;
    }
    int usuals = more;
    return byLength.get(rest).stream()
        .map(split -> {
          List<Integer> grown = new ArrayList<>(split);
          grown.addAll(Collections.nCopies(usuals, usual));
          Collections.sort(grown);
          return grown;
        })
        .toList();
  }
}
