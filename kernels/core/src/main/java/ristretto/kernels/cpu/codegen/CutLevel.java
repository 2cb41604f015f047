package ristretto.kernels.cpu.codegen;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.cpu.strip.StripSpec.Access;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Cuts the rows of a level into segments, each of which becomes a loop. Among all cuts of the
 * sequence, dynamic programming finds the one with the least estimated cost of the loops' steps.
 *
 * <p>A step of vector code is bound by the issue of its instructions, by its divisions, or by the
 * latency of a long dependency chain, which the processor hides only as far as its window of
 * waiting instructions reaches. Chains therefore become short segments, and rows that are mostly
 * independent stay together, cut where few values are alive.
 *
 * <p>Scalar code is short-lived, so that its compile time matters: most of that is for loads and
 * stores.
 */
final class CutLevel {
  /** Most operations of a vector segment. */
  private static final int LONGEST = 64;

  /** Most instructions of a scalar segment: C1 and C2 compile such methods quickly. */
  private static final int LONGEST_SCALAR = 96;

  /** Compile time of a load or store in scalar code, in units of other operations. */
  private static final int SCALAR_ACCESS = 6;

  /** Number of waiting instructions that a core overlaps: about the size of its schedulers. */
  private static final double WINDOW = 128;

  /** Overhead of a loop, in instructions per step. */
  private static final double LOOP = 6;

  private final StripSpec spec;
  private final Tape tape;
  private final UseAnalysis uses;
  private final boolean scalar;
  private final List<Integer> rows;

  /** Position in {@link #rows} by row, -1 for rows that other levels compute. */
  private final int[] position;

  /** Last position that uses the value of a row; past the end if another level does. */
  private final int[] lastUse;

  /** One more than the start of the last piece that loads a row. */
  private final int[] loadedBy;

  private CutLevel(
      StripSpec spec, Tape tape, UseAnalysis uses, boolean scalar, List<Integer> rows) {
    this.spec = spec;
    this.tape = tape;
    this.uses = uses;
    this.scalar = scalar;
    this.rows = rows;
    this.position = new int[tape.size()];
    this.lastUse = new int[tape.size()];
    this.loadedBy = new int[tape.size()];
    Arrays.fill(position, -1);
    for (int k = 0; k < rows.size(); k++) {
      position[rows.get(k)] = k;
    }
    for (int row = 0; row < tape.size(); row++) {
      if (uses.computed(row)) {
        int at = position[row] < 0 ? rows.size() : position[row];
        uses.forEachOperand(row, o -> lastUse[o] = Math.max(lastUse[o], at));
      }
    }
  }

  /**
   * Cuts a level into segments.
   *
   * @param rows rows of one kind, operands before their uses
   */
  static List<List<Integer>> apply(
      StripSpec spec, Tape tape, UseAnalysis uses, boolean scalar, List<Integer> rows) {
    return new CutLevel(spec, tape, uses, scalar, rows).cheapest();
  }

  private List<List<Integer>> cheapest() {
    int n = rows.size();
    double[] best = new double[n + 1];
    int[] start = new int[n + 1];
    Arrays.fill(best, 1, n + 1, Double.POSITIVE_INFINITY);
    for (int from = 0; from < n; from++) {
      var piece = new Piece(from);
      for (int to = from + 1; to <= n; to++) {
        piece.add(to - 1);
        if (to > from + 1 && piece.tooLong()) {
          break;
        }
        double cost = best[from] + piece.cost(to);
        if (cost < best[to]) {
          best[to] = cost;
          start[to] = from;
        }
      }
    }
    var pieces = new ArrayList<List<Integer>>();
    for (int to = n; to > 0; to = start[to]) {
      pieces.addFirst(new ArrayList<>(rows.subList(start[to], to)));
    }
    return pieces;
  }

  /** Run of rows that grows at its end. */
  private final class Piece {
    private final int from;
    private final int[] finish = new int[LONGEST_SCALAR + 1];
    private int operations;
    private double instructions;
    private double divisions;
    private double loads;
    private int latency;

    Piece(int from) {
      this.from = from;
    }

    void add(int at) {
      int row = rows.get(at);
      int[] ready = {0};
      uses.forEachOperand(
          row,
          operand -> {
            if (position[operand] >= from) {
              int slot = position[operand] - from;
              ready[0] = Math.max(ready[0], slot < finish.length ? finish[slot] : 0);
            } else if (loadedBy[operand] <= from) {
              loadedBy[operand] = from + 1;
              loads += load(operand);
            }
          });
      operations += scalar ? FusedMultiplyAdd.operations(tape.node(row)) : 1;
      if (tape.node(row) instanceof Node.Apply n) {
        instructions += instructions(n);
        divisions += divisions(n);
      }
      int end = ready[0] + latency(tape.node(row));
      if (at - from < finish.length) {
        finish[at - from] = end;
      }
      latency = Math.max(latency, end);
    }

    boolean tooLong() {
      return scalar ? operations + SCALAR_ACCESS * loads > LONGEST_SCALAR : operations > LONGEST;
    }

    /** Returns the cycles of a step in vector code, or the compile time in scalar code. */
    double cost(int to) {
      double stores = 0;
      for (int k = from; k < to; k++) {
        int row = rows.get(k);
        if (lastUse[row] >= to) {
          stores += crossing(row);
        }
      }
      if (scalar) {
        return operations + SCALAR_ACCESS * (loads + stores);
      }
      double issued = instructions + 2 * loads + 5 * stores + LOOP;
      double waiting = latency * (instructions + loads + stores) / WINDOW;
      return Math.max(Math.max(issued / 2, divisions), waiting);
    }
  }

  private double load(int row) {
    return switch (tape.node(row)) {
      case Node.Const _ -> 0;
      case Node.Input in -> spec.inputs().get(in.slot()) == Access.SCALAR ? 0 : 1;
      default -> crossing(row);
    };
  }

  /**
   * Returns the cost of a load or store of a crossing row; a mask is converted to a vector and
   * back.
   */
  private double crossing(int row) {
    return tape.node(row).type() == ScalarType.BOOL ? 3 : 1;
  }

  private static double instructions(Node.Apply n) {
    boolean real = n.type().isFloat();
    return switch (n.op().cost()) {
      case FREE -> 0;
      case SIMPLE, SHIFT, SEQUENCE, DIVIDE, FUNCTION -> 1;
      case MULTIPLY -> real ? 1 : 2;
      case MULTIPLY_HIGH -> 6;
      case EXTREME -> real ? 4 : 1;
      case BLEND -> 2;
    };
  }

  /** Returns the cycles during which no other division can begin. */
  private static double divisions(Node.Apply n) {
    return n.op().cost() != Op.Cost.DIVIDE ? 0 : n.type().bytes() == 8 ? 24 : 16;
  }

  private static int latency(Node node) {
    if (!(node instanceof Node.Apply n)) {
      return 0;
    }
    boolean real = n.type().isFloat();
    return switch (n.op().cost()) {
      case FREE -> 0;
      case SIMPLE, SHIFT, SEQUENCE, FUNCTION -> real ? 4 : 1;
      case MULTIPLY, MULTIPLY_HIGH -> real ? 4 : 10;
      case EXTREME, BLEND -> real ? 8 : 2;
      case DIVIDE -> 20;
    };
  }
}
