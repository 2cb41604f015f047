package ristretto.nnet3.lower;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.DeviceParameters;
import ristretto.nnet3.step.ForwardStep;
import ristretto.nnet3.step.TransposedGather;

/**
 * Derivatives of nodes in gather form: sums over the readers of a node of the derivatives of their
 * inputs.
 */
final class NodeDerivatives {
  private static final int SEVERAL = -2;

  private final DeviceParameters deviceParameters;
  private final long sequences;
  private final Map<Integer, List<Reading>> readings = new HashMap<>();

  private final Map<int[], int[]> transposed = new IdentityHashMap<>();

  private record Reading(NodeReader reader, NodeReader.Term term) {}

  NodeDerivatives(DeviceParameters deviceParameters, long sequences) {
    this.deviceParameters = deviceParameters;
    this.sequences = sequences;
  }

  void add(NodeReader reader) {
    for (NodeReader.Term term : reader.terms()) {
      readings
          .computeIfAbsent(term.term().node(), _ -> new ArrayList<>())
          .add(new Reading(reader, term));
    }
  }

  private List<Reading> readings(int node, IntPredicate by) {
    return readings.getOrDefault(node, List.of()).stream()
        .filter(reading -> by.test(reading.reader.node()))
        .toList();
  }

  /** Returns the first columns and ends of the column ranges that some readers read, ascending. */
  List<Integer> cuts(int node, IntPredicate by) {
    return readings(node, by).stream()
        .map(reading -> reading.term.term())
        .flatMap(term -> Stream.of(term.from(), term.from() + term.dim()))
        .distinct()
        .sorted()
        .toList();
  }

  /**
   * Returns the shape of a step in the backward pass: its forward shape, and the rows of its
   * readers that read its own rows.
   *
   * @return null if a reader reads one of the rows more than once
   */
  Loops.Shape shape(Step step, Loops.Shape forward) {
    var shape = new StepFingerprint(forward);
    int end = step.at() + step.rows().size();
    for (Reading reading : readings.getOrDefault(step.node(), List.of())) {
      int[] places = transposed(reading.term.term().places(), end);
      for (int k = step.at(); k < end; k++) {
        if (places[k] == SEVERAL) {
          return null;
        }
      }
      shape.places(places, step.at(), end);
    }
    return shape.numbers();
  }

  /** For each row of a source, the one row that reads it, -1 if none does, or {@link #SEVERAL}. */
  private int[] transposed(int[] places, int size) {
    int[] known = transposed.get(places);
    if (known == null || known.length < size) {
      known = new int[Math.max(size, Arrays.stream(places).max().orElse(0) + 1)];
      Arrays.fill(known, -1);
      for (int k = 0; k < places.length; k++) {
        if (places[k] >= 0) {
          known[places[k]] = known[places[k]] == -1 ? k : SEVERAL;
        }
      }
      transposed.put(places, known);
    }
    return known;
  }

  /** Summand: columns [from, to) of a node's derivative. */
  private record Summand(long from, long to, Expr<F32> dx) {}

  /**
   * Returns the derivative of columns of some rows of a node.
   *
   * @param first position of the first row
   * @return null if no known derivative depends on the rows
   */
  Expr<F32> of(int node, int first, int count, long from, long to) {
    return of(node, first, count, from, to, _ -> true);
  }

  /**
   * Returns the contribution of some readers to a derivative.
   *
   * @param by selects readers by node number
   */
  Expr<F32> of(int node, int first, int count, long from, long to, IntPredicate by) {
    var summands = new ArrayList<Summand>();
    var sums =
        new AccumulatedProducts(deviceParameters.context(), sequences, first, count, from, to);
    for (Reading reading : readings(node, by)) {
      GatherPlan.Term term = reading.term.term();
      for (BackwardStep.Piece piece : reading.reader.pieces()) {
        // The columns of a piece are columns of the reader's input; shifted, they are columns of
        // the node.
        long shift = term.from() - (long) reading.term.from();
        long lo = Math.max(Math.max(from, term.from()), piece.from() + shift);
        long hi = Math.min(Math.min(to, term.from() + (long) term.dim()), piece.to() + shift);
        if (lo >= hi) {
          continue;
        }
        if (AccumulatedProducts.canAdd(piece, List.of(reading.term))) {
          sums.add(piece, term, lo, hi, shift);
          continue;
        }
        Expr<F32> dx =
            ForwardStep.columns(piece.dx(), lo - shift - piece.from(), hi - shift - piece.from());
        Expr<F32> rows = TransposedGather.read(deviceParameters, dx, term.places(), first, count);
        if (rows != null) {
          summands.add(new Summand(lo, hi, term.scale() == 1 ? rows : rows.times(term.scale())));
        }
      }
    }
    if (!sums.isEmpty()) {
      return sums.inMemory(summands.isEmpty() ? null : sum(summands, count, from, to));
    }
    return summands.isEmpty() ? null : sum(summands, count, from, to);
  }

  private Expr<F32> sum(List<Summand> summands, int count, long from, long to) {
    var cuts = new TreeSet<Long>(List.of(from, to));
    for (Summand s : summands) {
      cuts.add(s.from);
      cuts.add(s.to);
    }
    var parts = new ArrayList<Expr<F32>>();
    for (long lo = from; lo < to; lo = cuts.higher(lo)) {
      long hi = cuts.higher(lo);
      Expr<F32> sum = null;
      for (Summand s : summands) {
        if (s.from <= lo && hi <= s.to) {
          Expr<F32> columns = ForwardStep.columns(s.dx, lo - s.from, hi - s.from);
          sum = sum == null ? columns : sum.plus(columns);
        }
      }
      parts.add(sum == null ? fill(F32, 0, count, sequences, hi - lo) : sum);
    }
    return ForwardStep.append(parts);
  }
}
