package ristretto.nnet3.graph;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.nnet3.Index;

/** Rows of a node in all of its steps, in memory order. */
public final class NodeRows {
  /** Maximum time range per row for which rows are looked up in an array. */
  private static final int SPARSEST = 64;

  private final List<Index> rows;

  /** Position plus 1 of each time from {@code first} on, or 0; for rows with a single n and x. */
  private final int[] byTime;

  private final int first;

  /** Position of each row, for all other rows. */
  private final Map<Index, Integer> places;

  public NodeRows(List<Index> rows) {
    this.rows = rows;
    long least = rows.stream().mapToLong(Index::t).min().orElse(0);
    long most = rows.stream().mapToLong(Index::t).max().orElse(0);
    boolean dense = most - least < (long) SPARSEST * (rows.size() + 1);
    for (Index row : rows) {
      dense &= row.n() == rows.get(0).n() && row.x() == rows.get(0).x();
    }
    first = (int) least;
    if (dense) {
      places = Map.of();
      byTime = new int[(int) (most - least) + 1];
      for (int k = 0; k < rows.size(); k++) {
        byTime[rows.get(k).t() - first] = k + 1;
      }
      return;
    }
    byTime = null;
    places = HashMap.newHashMap(rows.size());
    for (int k = 0; k < rows.size(); k++) {
      places.put(rows.get(k), k);
    }
  }

  public int size() {
    return rows.size();
  }

  public List<Index> rows() {
    return rows;
  }

  /** Returns the position of a row, or -1. */
  public int find(Index row) {
    if (byTime == null) {
      return places.getOrDefault(row, -1);
    }
    long at = (long) row.t() - first;
    boolean here = at >= 0 && at < byTime.length && !rows.isEmpty();
    return here && row.n() == rows.get(0).n() && row.x() == rows.get(0).x()
        ? byTime[(int) at] - 1
        : -1;
  }

  /** Returns true if the rows are consecutive and in this order. */
  public boolean isRun(List<Index> part) {
    int start = find(part.get(0));
    for (int k = 1; k < part.size(); k++) {
      if (find(part.get(k)) != start + k) {
        return false;
      }
    }
    return true;
  }
}
