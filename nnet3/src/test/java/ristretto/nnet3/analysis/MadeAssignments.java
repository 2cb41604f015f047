package ristretto.nnet3.analysis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.Trace;

/** A computation made by hand. */
final class MadeAssignments {
  private final List<MatrixInfo> memories = new ArrayList<>();
  private final List<FusedAssignment> fused = new ArrayList<>();
  private final List<Long> places = new ArrayList<>();

  /** A matrix; temporaries have places of their own unless {@code slot} is given. */
  int memory(String name, MatrixInfo.Role role, int rows, int columns, int... slot) {
    long bytes = 4L * rows * columns;
    int place = -1;
    if (role == MatrixInfo.Role.TEMPORARY) {
      place = slot.length == 0 ? places.size() : slot[0];
      if (place == places.size()) {
        places.add(bytes);
      }
    }
    memories.add(
        new MatrixInfo(
            memories.size(),
            name,
            role,
            List.of((long) rows, (long) columns),
            "",
            rows,
            columns,
            bytes,
            place,
            0,
            null));
    return memories.size() - 1;
  }

  /** Rows and columns of a matrix, ends excluded. */
  Access part(int memory, int fromRow, int toRow, int fromColumn, int toColumn) {
    MatrixInfo m = memories.get(memory);
    return Access.of(
        new Trace.Access(
            memory,
            (long) fromRow * m.columns() + fromColumn,
            List.of((long) toRow - fromRow, (long) toColumn - fromColumn),
            List.of((long) m.columns(), 1L),
            false),
        m);
  }

  /** Some rows of a matrix, as an index vector says. */
  Access gathered(int memory, int count) {
    MatrixInfo m = memories.get(memory);
    long columns = m.columns();
    return Access.of(
        new Trace.Access(
            memory,
            0,
            List.of((long) count, columns, (long) m.rows()),
            List.of(0L, 1L, columns),
            true),
        m);
  }

  Access all(int memory) {
    return part(memory, 0, memories.get(memory).rows(), 0, memories.get(memory).columns());
  }

  /** A matrix that there is none of. */
  static Access beyond(int memory) {
    return new Access(
        new Trace.Access(memory, 0, List.of(1L), List.of(1L), false),
        List.of(new SubMatrix(memory, 0, 1, 0, 1)),
        true);
  }

  MadeAssignments map(String node, Access write, Access... reads) {
    return add(node, "map", List.of(write), reads);
  }

  MadeAssignments add(String node, String kind, List<Access> writes, Access... reads) {
    fused.add(
        new FusedAssignment(
            fused.size(),
            node,
            kind + "_" + node,
            kind,
            node,
            List.of(),
            Arrays.asList(reads),
            writes));
    return this;
  }

  MadeAssignments place(int slot, long bytes) {
    places.set(slot, bytes);
    return this;
  }

  Assignments assignments() {
    return new Assignments(memories, fused, List.of(), places);
  }
}
