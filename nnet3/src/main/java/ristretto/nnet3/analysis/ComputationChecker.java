package ristretto.nnet3.analysis;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import ristretto.nnet3.ComputationException;

/**
 * Checks that a computation reads nothing that is not there, and overwrites nothing that is needed.
 * What it finds is a mistake of whoever made the computation.
 */
public final class ComputationChecker {
  private static final String REPORT = " Report it with what nnet3-compile prints.";

  private final Assignments assignments;
  private final Analyzer analyzer;

  private ComputationChecker(Assignments assignments, Analyzer analyzer) {
    this.assignments = assignments;
    this.analyzer = analyzer;
  }

  /**
   * Checks everything.
   *
   * @throws ComputationException for the first mistake
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
    return new ComputationException("[check] " + form.formatted(arguments) + REPORT);
  }

  /** Everything lies within its matrix. */
  private static void indexes(Assignments assignments) {
    for (Fused f : assignments.fused()) {
      for (List<Access> list : List.of(f.reads(), f.writes())) {
        for (Access a : list) {
          if (a.memory() < 0 || a.memory() >= assignments.memories().size()) {
            throw broken(
                "assignments must be of the computation's %d matrices; got matrix %d in %s.",
                assignments.memories().size(), a.memory(), f.label());
          }
          Memory m = assignments.memories().get(a.memory());
          for (Region r : a.regions()) {
            if (r.fromRow() < 0
                || r.toRow() > Math.max(1, m.rows())
                || r.fromColumn() < 0
                || r.toColumn() > Math.max(1, m.columns())) {
              throw broken(
                  "what is read or written must lie within its matrix; got %s of %s with %d rows"
                      + " and %d columns in %s.",
                  r, m.name(), m.rows(), m.columns(), f.label());
            }
          }
        }
      }
    }
  }

  private Memory memory(int number) {
    return assignments.memories().get(number);
  }

  /** Temporaries at one place hold nothing at the same time, and fit there. */
  private void lifetimes() {
    var bySlot = new ArrayList<List<Memory>>();
    assignments.slotBytes().forEach(_ -> bySlot.add(new ArrayList<>()));
    for (Memory m : assignments.memories()) {
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
      for (Memory other : bySlot.get(m.slot())) {
        if (m.overlaps(other)) {
          meet(m, other);
        }
      }
      bySlot.get(m.slot()).add(m);
    }
  }

  private void meet(Memory a, Memory b) {
    int from = Math.max(analyzer.firstAccess(a.number()), analyzer.firstAccess(b.number()));
    int to = Math.min(end(a), end(b));
    if (from <= to && !(from == to && isHandedOver(assignments.fused().get(from), a, b))) {
      throw broken(
          "temporaries at one place must not live at the same time; got %s, from %d to %d, and %s,"
              + " from %d to %d, in place %d.",
          b.name(),
          analyzer.firstAccess(b.number()),
          analyzer.lastAccess(b.number()),
          a.name(),
          analyzer.firstAccess(a.number()),
          analyzer.lastAccess(a.number()),
          a.slot());
    }
  }

  /** After which nothing reads it; results stay. */
  private int end(Memory m) {
    return m.isTemporary() ? analyzer.lastAccess(m.number()) : Integer.MAX_VALUE;
  }

  /**
   * Whether an element-wise kernel, or one of rows, reads each element of the one that ends there
   * only where it writes the other one's.
   */
  private boolean isHandedOver(Fused f, Memory a, Memory b) {
    // what begins there may end there too, where nothing reads it
    boolean aBegins = analyzer.firstAccess(a.number()) == f.number();
    int begins = (aBegins ? a : b).number();
    int ends = (aBegins ? b : a).number();
    boolean inPlace = f.kind().equals("map") || f.kind().equals("row");
    if (!inPlace
        || a.offset() != b.offset()
        || analyzer.firstAccess(begins) != f.number()
        || analyzer.firstAccess(ends) == f.number()
        || end(aBegins ? b : a) != f.number()) {
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

  /** What is read was written before; what the user wants is written at the end. */
  private void undefined() {
    ComputationVariables variables = analyzer.variables();
    var defined = new BitSet();
    for (int v = 0; v < variables.count(); v++) {
      defined.set(v, memory(variables.memory(v)).isGiven());
    }
    for (Fused f : assignments.fused()) {
      AssignmentAttributes a = analyzer.attributes(f.number());
      var missing = (BitSet) a.variablesSurelyRead().clone();
      for (Access r : f.reads()) {
        var named = new BitSet();
        variables.add(r, named);
        // an index names some of these, so some must be there
        if (r.isUnordered() && !named.intersects(defined)) {
          missing.or(named);
        }
      }
      missing.andNot(defined);
      if (!missing.isEmpty()) {
        int v = missing.nextSetBit(0);
        throw broken(
            "what is read must have been written before; got %s of %s, which %s reads.",
            variables.region(v), memory(variables.memory(v)).name(), f.label());
      }
      defined.or(a.variablesWritten());
    }
    for (int v = defined.nextClearBit(0); v < variables.count(); v = defined.nextClearBit(v + 1)) {
      Memory m = memory(variables.memory(v));
      if (m.role() == Memory.Role.OUTPUT) {
        throw broken(
            "all of an output must be written; got none that writes %s of %s.",
            variables.region(v), m.name());
      }
    }
  }

  /** No value is changed after it was read by others than those that add to it. */
  private void rewrites() {
    ComputationVariables variables = analyzer.variables();
    for (int v = 0; v < variables.count(); v++) {
      if (memory(variables.memory(v)).role() == Memory.Role.PARAMETER) {
        continue;
      }
      int reader = -1;
      for (int k : analyzer.variableAccesses(v)) {
        boolean writes = analyzer.attributes(k).variablesWritten().get(v);
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

  /** A kernel's threads run in any order: none reads or writes what another writes. */
  private void races() {
    for (Fused f : assignments.fused()) {
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

  private ComputationException race(Fused f, Access w, String verb) {
    return broken(
        "what a kernel writes it must not read or write at another index; got %s of %s, which %s"
            + " writes and %s elsewhere.",
        w.regions().get(0), memory(w.memory()).name(), f.label(), verb);
  }
}
