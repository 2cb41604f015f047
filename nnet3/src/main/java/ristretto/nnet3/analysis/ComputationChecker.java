package ristretto.nnet3.analysis;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import ristretto.nnet3.ComputationException;

/**
 * Verifier of computations: no uninitialized reads, no lost values, no races. A violation is a bug
 * of the compiler, not of the user.
 */
public final class ComputationChecker {
  private static final String REPORT = " Report it with the output of nnet3-compile.";

  private final Assignments assignments;
  private final Analyzer analyzer;

  private ComputationChecker(Assignments assignments, Analyzer analyzer) {
    this.assignments = assignments;
    this.analyzer = analyzer;
  }

  /**
   * Checks a computation.
   *
   * @throws ComputationException for the first violation
   */
  public static void check(Assignments assignments) {
    indexes(assignments);
    var checker = new ComputationChecker(assignments, new Analyzer(assignments));
    checker.lifetimes();
    checker.undefined();
    checker.rewrites();
    checker.races();
  }

  private static ComputationException broken(String form, Object... arguments) {
    return new ComputationException(
        "[check] " + String.format(Locale.ROOT, form, arguments) + REPORT);
  }

  /** Checks that each access lies within its matrix. */
  private static void indexes(Assignments assignments) {
    for (FusedAssignment f : assignments.fused()) {
      for (List<Access> list : List.of(f.reads(), f.writes())) {
        for (Access a : list) {
          if (a.memory() < 0 || a.memory() >= assignments.memories().size()) {
            throw broken(
                "assignments must refer to the computation's %d matrices; got matrix %d in %s.",
                assignments.memories().size(), a.memory(), f.label());
          }
          MatrixInfo m = assignments.memories().get(a.memory());
          for (SubMatrix r : a.regions()) {
            if (r.fromRow() < 0
                || r.toRow() > Math.max(1, m.rows())
                || r.fromColumn() < 0
                || r.toColumn() > Math.max(1, m.columns())) {
              throw broken(
                  "each access must lie within its matrix; got %s of %s with %d rows"
                      + " and %d columns in %s.",
                  r, m.name(), m.rows(), m.columns(), f.label());
            }
          }
        }
      }
    }
  }

  private MatrixInfo memory(int number) {
    return assignments.memories().get(number);
  }

  /**
   * Checks that temporaries of one slot have disjoint live ranges or disjoint bytes, and fit into
   * the slot.
   */
  private void lifetimes() {
    var bySlot = new ArrayList<List<Placed>>();
    assignments.slotBytes().forEach(_ -> bySlot.add(new ArrayList<>()));
    for (MatrixInfo m : assignments.memories()) {
      boolean shares = m.isTemporary() || m.slot() >= 0;
      if (!shares || analyzer.firstAccess(m.number()) < 0) {
        continue;
      }
      if (m.slot() < 0 || m.slot() >= bySlot.size()) {
        throw broken(
            "temporaries must have one of the %d places; got place %d for %s.",
            bySlot.size(), m.slot(), m.name());
      }
      if (m.offset() + m.bytes() > assignments.slotBytes().get(m.slot())) {
        throw broken(
            "a temporary must fit into its place; got %d bytes of %s in place %d of %d bytes.",
            m.offset() + m.bytes(), m.name(), m.slot(), assignments.slotBytes().get(m.slot()));
      }
      Placed placed = placed(m);
      for (Placed other : bySlot.get(m.slot())) {
        if (m.overlaps(other.memory)) {
          meet(placed, other);
        }
      }
      bySlot.get(m.slot()).add(placed);
    }
  }

  /** Live range of a matrix: from its definition to its last use. */
  private record Life(int first, int last) {}

  /** Matrix with its live ranges; several if it is redefined as a whole. */
  private record Placed(MatrixInfo memory, List<Life> lives) {}

  private Placed placed(MatrixInfo m) {
    var lives = new ArrayList<Life>();
    int first = analyzer.firstAccess(m.number());
    int last = first;
    for (int k : analyzer.memoryAccesses(m.number())) {
      if (k != first && m.isTemporary() && isMadeAnew(m.number(), k)) {
        lives.add(new Life(first, last));
        first = k;
      }
      last = k;
    }
    // results stay live
    lives.add(new Life(first, m.isTemporary() ? last : Integer.MAX_VALUE));
    return new Placed(m, lives);
  }

  /** Returns true if the fused assignment redefines a matrix: writes all of it and reads none. */
  private boolean isMadeAnew(int memory, int fused) {
    ComputationVariables variables = analyzer.variables();
    AssignmentAttributes attributes = analyzer.attributes(fused);
    int next = variables.first(memory);
    while (next < variables.count() && variables.memory(next) == memory) {
      next++;
    }
    return !attributes.memoriesRead().get(memory)
        && attributes.variablesWritten().nextClearBit(variables.first(memory)) >= next;
  }

  private void meet(Placed one, Placed other) {
    for (Life a : one.lives) {
      for (Life b : other.lives) {
        int from = Math.max(a.first, b.first);
        int to = Math.min(a.last, b.last);
        if (from <= to
            && !(from == to
                && isHandedOver(assignments.fused().get(from), one.memory, a, other.memory, b))) {
          throw broken(
              "temporaries in the same place must not be live at the same time; got %s, from %d to"
                  + " %d, and %s, from %d to %d, in place %d.",
              other.memory.name(),
              b.first,
              Math.min(b.last, analyzer.lastAccess(other.memory.number())),
              one.memory.name(),
              a.first,
              Math.min(a.last, analyzer.lastAccess(one.memory.number())),
              one.memory.slot());
        }
      }
    }
  }

  /**
   * Returns true if an element-wise or row kernel may write one matrix over the other: it reads
   * each element of the ending matrix only at the index where it writes the beginning one.
   */
  private static boolean isHandedOver(
      FusedAssignment f, MatrixInfo a, Life lifeOfA, MatrixInfo b, Life lifeOfB) {
    // the matrix that begins here may also end here, if nothing reads it
    boolean aBegins = lifeOfA.first == f.number();
    int begins = (aBegins ? a : b).number();
    int ends = (aBegins ? b : a).number();
    Life beginning = aBegins ? lifeOfA : lifeOfB;
    Life ending = aBegins ? lifeOfB : lifeOfA;
    boolean inPlace = f.kind().equals("map") || f.kind().equals("row");
    if (!inPlace
        || a.offset() != b.offset()
        || beginning.first != f.number()
        || ending.first == f.number()
        || ending.last != f.number()) {
      return false;
    }
    List<Access> writes = f.writes().stream().filter(w -> w.memory() == begins).toList();
    return writes.size() == 1
        && f.writes().stream().noneMatch(w -> w.memory() == ends)
        && f.reads().stream().noneMatch(r -> r.memory() == begins)
        && f.reads().stream()
            .filter(r -> r.memory() == ends)
            .allMatch(r -> !r.isUnordered() && r.isAtSamePlaceAs(writes.get(0)));
  }

  /**
   * Checks that each value is written before it is read, and that outputs are written completely.
   */
  private void undefined() {
    ComputationVariables variables = analyzer.variables();
    var defined = new BitSet();
    for (int v = 0; v < variables.count(); v++) {
      defined.set(v, memory(variables.memory(v)).isGiven());
    }
    for (FusedAssignment f : assignments.fused()) {
      AssignmentAttributes a = analyzer.attributes(f.number());
      var missing = (BitSet) a.variablesSurelyRead().clone();
      for (Access r : f.reads()) {
        var named = new BitSet();
        variables.add(r, named);
        // the index vector selects some of these variables, so at least one must be defined
        if (r.isUnordered() && !named.intersects(defined)) {
          missing.or(named);
        }
      }
      missing.andNot(defined);
      if (!missing.isEmpty()) {
        int v = missing.nextSetBit(0);
        throw broken(
            "each read must follow a write of its elements; got %s of %s, which %s reads.",
            variables.region(v), memory(variables.memory(v)).name(), f.label());
      }
      defined.or(a.variablesWritten());
    }
    for (int v = defined.nextClearBit(0); v < variables.count(); v = defined.nextClearBit(v + 1)) {
      MatrixInfo m = memory(variables.memory(v));
      if (m.role() == MatrixInfo.Role.OUTPUT) {
        throw broken(
            "each element of an output must be written; got none that writes %s of %s.",
            variables.region(v), m.name());
      }
    }
  }

  /**
   * Checks that no value changes after it was read, except by assignments that add to it;
   * temporaries may be redefined as a whole.
   */
  private void rewrites() {
    ComputationVariables variables = analyzer.variables();
    for (int v = 0; v < variables.count(); v++) {
      if (memory(variables.memory(v)).role() == MatrixInfo.Role.PARAMETER) {
        continue;
      }
      int reader = -1;
      for (int k : analyzer.variableAccesses(v)) {
        boolean writes = analyzer.attributes(k).variablesWritten().get(v);
        int m = variables.memory(v);
        if (writes && reader >= 0 && memory(m).isTemporary() && isMadeAnew(m, k)) {
          reader = -1;
        }
        if (writes && reader >= 0) {
          throw broken(
              "a value must not change after it was read; got %s of %s, which %s reads and %s"
                  + " writes later.",
              variables.region(v),
              memory(variables.memory(v)).name(),
              assignments.fused().get(reader).label(),
              assignments.fused().get(k).label());
        }
        if (!writes && reader < 0 && analyzer.attributes(k).variablesSurelyRead().get(v)) {
          reader = k;
        }
      }
    }
  }

  /**
   * Checks that a kernel does not read or write at another index what it writes, since its threads
   * run in any order.
   */
  private void races() {
    for (FusedAssignment f : assignments.fused()) {
      for (int k = 0; k < f.writes().size(); k++) {
        Access w = f.writes().get(k);
        for (Access r : f.reads()) {
          boolean inOrder = f.kind().equals("scatter") || r.isSameAs(w);
          if (r.memory() == w.memory() && !inOrder && r.meets(w) && overlap(r, w)) {
            throw race(f, w, "reads");
          }
        }
        for (Access other : f.writes().subList(0, k)) {
          boolean same = other.memory() == w.memory();
          if (same && !other.isSameAs(w) && other.meets(w) && overlap(other, w)) {
            throw race(f, w, "writes");
          }
        }
      }
    }
  }

  private static boolean overlap(Access a, Access b) {
    return a.isExact() && b.isExact() || a.isUnordered() || b.isUnordered();
  }

  private ComputationException race(FusedAssignment f, Access w, String verb) {
    return broken(
        "a kernel must not access the elements it writes at another index; got %s of %s, which %s"
            + " writes and %s elsewhere.",
        w.regions().get(0), memory(w.memory()).name(), f.label(), verb);
  }
}
