package ristretto.nnet3.egs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjIntConsumer;
import ristretto.nnet3.Index;

/** Collects examples of the same structure into minibatches. */
public final class ExampleMerger {
  private final MinibatchSizes sizes;
  private final ObjIntConsumer<NnetExample> minibatches;
  private final Map<List<Part>, List<NnetExample>> waiting = new LinkedHashMap<>();
  private int merged;
  private int discarded;

  /** What inputs and outputs must have in common to be merged. */
  private record Part(String name, int cols, List<Index> indexes) {}

  /** With what takes the minibatches, and how many examples are in each. */
  public ExampleMerger(MinibatchSizes sizes, ObjIntConsumer<NnetExample> minibatches) {
    this.sizes = sizes;
    this.minibatches = minibatches;
  }

  /** Takes an example, and makes a minibatch if there are enough. */
  public void accept(NnetExample example) {
    List<Part> structure =
        example.io().stream()
            .map(io -> new Part(io.name(), io.features().cols(), io.indexes()))
            .toList();
    List<NnetExample> same = waiting.computeIfAbsent(structure, _ -> new ArrayList<>());
    same.add(example);
    if (sizes.now(example.size(), same.size()) > 0) {
      waiting.remove(structure);
      merge(same);
    }
  }

  /** No more come: makes smaller minibatches as far as sizes allow, and discards the rest. */
  public void finish() {
    for (List<NnetExample> same : waiting.values()) {
      int at = 0;
      while (at < same.size()) {
        int size = sizes.atEnd(same.get(0).size(), same.size() - at);
        if (size == 0) {
          break;
        }
        merge(same.subList(at, at + size));
        at += size;
      }
      discarded += same.size() - at;
    }
    waiting.clear();
  }

  private void merge(List<NnetExample> same) {
    merged += same.size();
    minibatches.accept(NnetExample.merge(same), same.size());
  }

  /** How many examples are in minibatches. */
  public int merged() {
    return merged;
  }

  /** How many examples were too few for a minibatch. */
  public int discarded() {
    return discarded;
  }
}
