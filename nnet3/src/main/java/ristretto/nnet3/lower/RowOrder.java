package ristretto.nnet3.lower;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.take;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.ProgramTemplate;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Index;
import ristretto.nnet3.graph.NodeRows;
import ristretto.nnet3.graph.RepresentativeSequence;
import ristretto.nnet3.step.DeviceParameters;
import ristretto.nnet3.step.RowMap;
import ristretto.nnet3.step.SequencesUnknownException;

/**
 * Conversion between the user's matrices, with rows as in the request, and values {@code x[rows,
 * sequences, columns]}.
 */
final class RowOrder {
  private final DeviceParameters deviceParameters;
  private final RepresentativeSequence sequences;
  private final Map<Integer, Integer> numbers = new HashMap<>();
  private final boolean isKnown;

  /** Partly known matrices: the rows known so far, before reordering. */
  private final Map<Tensor<F32>, Tensor<F32>> parts = new IdentityHashMap<>();

  RowOrder(DeviceParameters deviceParameters, RepresentativeSequence sequences) {
    this.deviceParameters = deviceParameters;
    this.sequences = sequences;
    this.isKnown = ProgramTemplate.isKnown(sequences.count());
    // an unknown number of sequences is planned with the row order of two sequences
    List<Integer> all = isKnown ? sequences.numbers() : List.of(0, 1);
    for (int n : all) {
      numbers.put(n, numbers.size());
    }
  }

  /** Number of sequences in the index lists of the request. */
  private int asked() {
    return sequences.regular() ? numbers.size() : 1;
  }

  /** Gathers all rows by a permutation. */
  private Expr<F32> inOrder(Expr<F32> rows, int[] from) {
    if (!isKnown) {
      throw new SequencesUnknownException();
    }
    return take(rows, deviceParameters.indexes(from), 0);
  }

  /**
   * Converts a user's matrix to a value {@code x[rows, sequences, columns]}.
   *
   * @param asked indexes of the matrix rows
   * @param rows rows of the value
   */
  Expr<F32> in(Expr<F32> matrix, List<Index> asked, NodeRows rows) {
    long n = sequences.count();
    long dim = matrix.shape().dim(1);
    var from = new int[asked.size()];
    for (int k = 0; k < from.length; k++) {
      from[place(asked.get(k), rows) * asked() + number(asked.get(k))] = k;
    }
    if (isIdentity(from)) {
      return matrix.reshape(rows.size(), n, dim);
    }
    if (n > 1 && isSequenceMajor(from, rows.size())) {
      Expr<F32> value = matrix.reshape(n, rows.size(), dim).permute(1, 0, 2);
      var order = new int[rows.size()];
      for (int k = 0; k < order.length; k++) {
        order[k] = from[k * asked()];
      }
      return RowMap.of(order, order.length).read(deviceParameters, value);
    }
    return inOrder(matrix, from).reshape(rows.size(), n, dim);
  }

  /**
   * Assigns a value to the matrix rows that belong to it.
   *
   * @param asked indexes of the matrix rows
   * @param rows all rows of the node, each shared by all sequences
   * @param at position of the value's first row in {@code rows}
   */
  void out(Tensor<F32> matrix, Expr<F32> value, List<Index> asked, NodeRows rows, int at) {
    Context context = deviceParameters.context();
    long n = sequences.count();
    long dim = value.shape().dim(2);
    long end = at + value.shape().dim(0);
    int[] from = order(asked, rows, false);
    if (isIdentity(from)) {
      context.assign(matrix.reshape(rows.size(), n, dim).slice(range(at, end)), value);
    } else if (isIdentity(order(asked, rows, true))) {
      Tensor<F32> places = matrix.reshape(n, rows.size(), dim).permute(1, 0, 2);
      context.assign(places.slice(range(at, end)), value);
    } else {
      Tensor<F32> all = inMemory(matrix, value, rows, at).reshape(from.length, dim);
      if (end == rows.size()) {
        context.assign(matrix, inOrder(all, from));
      }
    }
  }

  /**
   * Converts a value with the rows {@code rows} to a matrix with the rows {@code asked}, in memory
   * of its own.
   */
  Tensor<F32> out(Expr<F32> value, List<Index> asked, NodeRows rows) {
    long dim = value.shape().dim(2);
    if (isIdentity(order(asked, rows, false))) {
      Tensor<F32> memory =
          value instanceof Tensor<F32> t ? t : deviceParameters.context().eval(value);
      return memory.reshape(rowCount(asked), dim);
    }
    Tensor<F32> matrix = deviceParameters.context().empty(F32, rowCount(asked), dim);
    out(matrix, value, asked, rows, 0);
    return matrix;
  }

  private long rowCount(List<Index> asked) {
    return isKnown ? asked.size() : asked.size() / 2 * sequences.count();
  }

  /**
   * For each matrix row, its row number in the value, stored row by row or sequence by sequence.
   */
  private int[] order(List<Index> asked, NodeRows rows, boolean bySequence) {
    var order = new int[asked.size()];
    for (int k = 0; k < order.length; k++) {
      int place = place(asked.get(k), rows);
      int number = number(asked.get(k));
      order[k] = bySequence ? number * rows.size() + place : place * asked() + number;
    }
    return order;
  }

  /** Returns the value of all rows of a matrix, collected from partial values. */
  private Tensor<F32> inMemory(Tensor<F32> matrix, Expr<F32> value, NodeRows rows, int at) {
    Context context = deviceParameters.context();
    long count = value.shape().dim(0);
    if (count == rows.size()) {
      return context.eval(value);
    }
    Tensor<F32> all =
        parts.computeIfAbsent(
            matrix, _ -> context.empty(F32, rows.size(), sequences.count(), value.shape().dim(2)));
    context.assign(all.slice(range(at, at + count)), value);
    return all;
  }

  /** Returns true if the rows of each sequence are consecutive, in one order for all sequences. */
  private static boolean isSequenceMajor(int[] from, int places) {
    int n = from.length / places;
    for (int p = 0; p < places; p++) {
      for (int k = 0; k < n; k++) {
        if (from[p * n + k] != from[p * n] + k * places || from[p * n] >= places) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean isIdentity(int[] map) {
    for (int k = 0; k < map.length; k++) {
      if (map[k] != k) {
        return false;
      }
    }
    return true;
  }

  private int number(Index row) {
    return sequences.regular() ? numbers.get(row.n()) : 0;
  }

  private int place(Index row, NodeRows rows) {
    return rows.find(sequences.regular() ? new Index(0, row.t(), row.x()) : row);
  }
}
