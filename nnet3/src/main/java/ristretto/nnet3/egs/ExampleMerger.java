package ristretto.nnet3.egs;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ObjIntConsumer;
import java.util.stream.Collectors;
import ristretto.nnet3.io.FloatText;

/**
 * Collects examples of the same structure into minibatches.
 *
 * @param <E> kind of example
 */
public final class ExampleMerger<E extends Example<E>> {
  private final MinibatchSizes sizes;
  private final ObjIntConsumer<E> minibatches;
  private final Map<Object, List<E>> waiting = new LinkedHashMap<>();
  private final Map<Object, Counts> counts = new LinkedHashMap<>();

  /** Number of minibatches per batch size, for examples of one structure. */
  private static final class Counts {
    final int size;
    final Map<Integer, Integer> minibatches = new TreeMap<>();
    int discarded;

    Counts(int size) {
      this.size = size;
    }

    /** Number of examples in minibatches. */
    long merged() {
      return minibatches.entrySet().stream().mapToLong(e -> e.getKey() * e.getValue()).sum();
    }

    @Override
    public String toString() {
      return minibatches.entrySet().stream()
          .map(e -> e.getKey() + "->" + e.getValue())
          .collect(Collectors.joining(",", size + "={", ",d=" + discarded + "}"));
    }
  }

  /**
   * Creates a merger that passes each minibatch and its number of examples to {@code minibatches}.
   */
  public ExampleMerger(MinibatchSizes sizes, ObjIntConsumer<E> minibatches) {
    this.sizes = sizes;
    this.minibatches = minibatches;
  }

  /** Adds an example, and makes a minibatch if enough examples of its structure are there. */
  public void accept(E example) {
    Object structure = example.structure();
    List<E> same = waiting.computeIfAbsent(structure, _ -> new ArrayList<>());
    same.add(example);
    if (sizes.now(example.size(), same.size()) > 0) {
      waiting.remove(structure);
      merge(structure, same);
    }
  }

  /**
   * Makes smaller minibatches of the remaining examples as far as sizes allow, and discards the
   * rest; called after the last example.
   */
  public void finish() {
    waiting.forEach((structure, same) -> {
      int at = 0;
      while (at < same.size()) {
        int size = sizes.atEnd(same.get(0).size(), same.size() - at);
        if (size == 0) {
          break;
        }
        merge(structure, same.subList(at, at + size));
        at += size;
      }
      counts(structure, same).discarded += same.size() - at;
    });
    waiting.clear();
  }

  private Counts counts(Object structure, List<E> same) {
    return counts.computeIfAbsent(structure, _ -> new Counts(same.get(0).size()));
  }

  private void merge(Object structure, List<E> same) {
    counts(structure, same).minibatches.merge(same.size(), 1, Integer::sum);
    minibatches.accept(same.getFirst().with(same.subList(1, same.size())), same.size());
  }

  /** Number of minibatches made. */
  public int written() {
    return counts.values().stream()
        .flatMap(c -> c.minibatches.values().stream())
        .mapToInt(Integer::intValue)
        .sum();
  }

  /** Statistics of example and minibatch sizes, as lines in Kaldi's form. */
  public List<String> report() {
    List<Counts> all =
        counts.values().stream().sorted(Comparator.comparingInt(c -> c.size)).toList();
    long merged = 0;
    long discarded = 0;
    double inputs = 0;
    int kinds = 0;
    for (Counts each : all) {
      merged += each.merged();
      discarded += each.discarded;
      inputs += (double) each.size * (each.merged() + each.discarded);
      kinds += each.minibatches.size();
    }
    double examples = merged + discarded;
    return List.of(
        "Merged specific eg types as follows [format: <eg-size1>={<mb-size1>-><num-minibatches1>,"
            + "<mbsize2>-><num-minibatches2>.../d=<num-discarded>},<egs-size2>={...},... (note,"
            + "egs-size == number of input frames including context).",
        all.stream().map(Counts::toString).collect(Collectors.joining(",")),
        String.format(
            Locale.ROOT,
            "Processed %.0f egs of avg. size %s into %d minibatches, discarding %s%% of egs.  Avg"
                + " minibatch size was %s, #distinct types of egs/minibatches was %d/%d",
            examples,
            FloatText.of((float) (inputs / examples), 4),
            written(),
            FloatText.of((float) (discarded * 100 / examples), 4),
            FloatText.of((float) merged / written(), 4),
            all.size(),
            kinds));
  }
}
