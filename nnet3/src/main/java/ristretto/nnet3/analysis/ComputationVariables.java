package ristretto.nnet3.analysis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;

/**
 * Partition of the matrices into rectangles (variables), cut at the boundaries of every rectangle
 * that is read or written; each access is a union of whole variables.
 */
final class ComputationVariables {
  private final List<int[]> rows = new ArrayList<>();
  private final List<int[]> columns = new ArrayList<>();
  private final int[] first;

  ComputationVariables(Assignments assignments) {
    var rowCuts = new ArrayList<TreeSet<Integer>>();
    var columnCuts = new ArrayList<TreeSet<Integer>>();
    for (MatrixInfo m : assignments.memories()) {
      rowCuts.add(new TreeSet<>(List.of(0, Math.max(1, m.rows()))));
      columnCuts.add(new TreeSet<>(List.of(0, Math.max(1, m.columns()))));
    }
    for (FusedAssignment f : assignments.fused()) {
      for (List<Access> list : List.of(f.reads(), f.writes())) {
        for (Access a : list) {
          for (SubMatrix r : a.regions()) {
            rowCuts.get(r.memory()).addAll(List.of(r.fromRow(), r.toRow()));
            columnCuts.get(r.memory()).addAll(List.of(r.fromColumn(), r.toColumn()));
          }
        }
      }
    }
    first = new int[rowCuts.size() + 1];
    for (int m = 0; m < rowCuts.size(); m++) {
      rows.add(rowCuts.get(m).stream().mapToInt(k -> k).toArray());
      columns.add(columnCuts.get(m).stream().mapToInt(k -> k).toArray());
      first[m + 1] = first[m] + (rows.get(m).length - 1) * (columns.get(m).length - 1);
    }
  }

  /** Returns the number of variables. */
  int count() {
    return first[first.length - 1];
  }

  /**
   * Returns the number of the first variable of a matrix; the variables of a matrix have
   * consecutive numbers.
   */
  int first(int memory) {
    return first[memory];
  }

  /** Returns the matrix that contains a variable. */
  int memory(int variable) {
    int at = Arrays.binarySearch(first, variable);
    int m = at >= 0 ? at : -at - 2;
    while (first[m + 1] == first[m]) {
      m++;
    }
    return m;
  }

  /** Returns the rectangle of a variable. */
  SubMatrix region(int variable) {
    int m = memory(variable);
    int across = columns.get(m).length - 1;
    int row = (variable - first[m]) / across;
    int column = (variable - first[m]) % across;
    return new SubMatrix(
        m,
        rows.get(m)[row],
        rows.get(m)[row + 1],
        columns.get(m)[column],
        columns.get(m)[column + 1]);
  }

  /** Adds the variables of an access to a set. */
  void add(Access access, BitSet to) {
    for (SubMatrix r : access.regions()) {
      int[] down = rows.get(r.memory());
      int[] across = columns.get(r.memory());
      int fromRow = Arrays.binarySearch(down, r.fromRow());
      int toRow = Arrays.binarySearch(down, r.toRow());
      int from = Arrays.binarySearch(across, r.fromColumn());
      int until = Arrays.binarySearch(across, r.toColumn());
      for (int row = fromRow; row < toRow; row++) {
        int at = first[r.memory()] + row * (across.length - 1);
        to.set(at + from, at + until);
      }
    }
  }

  @Override
  public String toString() {
    return count() + " variables in " + rows.size() + " matrices";
  }
}
