package ristretto.nnet3.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.nnet3.Cindex;

/** Numbering of rows of nodes (cindexes), in the order of insertion. */
final class CindexTable {
  private final Map<Cindex, Integer> numbers = new HashMap<>();
  private final List<Cindex> all = new ArrayList<>();

  /** Returns the number of a row, assigning the next one to a new row. */
  int add(Cindex c) {
    Integer known = numbers.putIfAbsent(c, all.size());
    if (known != null) {
      return known;
    }
    all.add(c);
    return all.size() - 1;
  }

  /** Returns the number of a row, or -1. */
  int find(Cindex c) {
    return numbers.getOrDefault(c, -1);
  }

  Cindex get(int number) {
    return all.get(number);
  }

  int size() {
    return all.size();
  }
}
