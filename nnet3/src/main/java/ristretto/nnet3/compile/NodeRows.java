package ristretto.nnet3.compile;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.nnet3.Index;

/** The rows of a node in all its steps, in the order in which memory has them. */
final class NodeRows {
  private final List<Index> rows;
  private final Map<Index, Integer> places = new HashMap<>();

  NodeRows(List<Index> rows) {
    this.rows = rows;
    for (int k = 0; k < rows.size(); k++) {
      places.put(rows.get(k), k);
    }
  }

  int size() {
    return rows.size();
  }

  List<Index> rows() {
    return rows;
  }

  /** The place of a row, or -1. */
  int find(Index row) {
    return places.getOrDefault(row, -1);
  }

  /** Whether the rows lie one after the other, in their order. */
  boolean isRun(List<Index> part) {
    int first = find(part.get(0));
    for (int k = 1; k < part.size(); k++) {
      if (find(part.get(k)) != first + k) {
        return false;
      }
    }
    return true;
  }
}
