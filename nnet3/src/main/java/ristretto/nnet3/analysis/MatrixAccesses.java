package ristretto.nnet3.analysis;

import java.util.List;
import java.util.TreeSet;

/** Readers and writers of each matrix. */
public final class MatrixAccesses {
  private final List<MatrixInfo> memories;
  private final List<TreeSet<Integer>> readers;
  private final List<TreeSet<Integer>> writers;
  private final List<FusedAssignment> fused;

  /** Collects the readers and writers of all fused assignments. */
  public MatrixAccesses(List<MatrixInfo> memories, List<FusedAssignment> fused) {
    this.memories = memories;
    this.fused = fused;
    readers = memories.stream().map(_ -> new TreeSet<Integer>()).toList();
    writers = memories.stream().map(_ -> new TreeSet<Integer>()).toList();
    for (FusedAssignment f : fused) {
      f.reads().forEach(a -> readers.get(a.memory()).add(f.number()));
      f.writes().forEach(a -> writers.get(a.memory()).add(f.number()));
    }
  }

  /** Returns the matrices, each stored value with the reason why it is in memory. */
  public List<MatrixInfo> reasons() {
    return memories.stream()
        .map(m ->
            new MatrixInfo(
                m.number(),
                m.name(),
                m.role(),
                m.shape(),
                m.holds(),
                m.rows(),
                m.columns(),
                m.bytes(),
                m.slot(),
                m.offset(),
                reason(m)))
        .toList();
  }

  private MatrixInfo.Reason reason(MatrixInfo m) {
    TreeSet<Integer> by = writers.get(m.number());
    if (m.role() == MatrixInfo.Role.OUTPUT) {
      return MatrixInfo.Reason.OUTPUT;
    }
    if (m.role() == MatrixInfo.Role.KEPT) {
      return m.holds().isEmpty() ? MatrixInfo.Reason.OUTPUT : MatrixInfo.Reason.BACKWARD;
    }
    if (m.role() != MatrixInfo.Role.TEMPORARY || by.isEmpty()) {
      return null;
    }
    TreeSet<Integer> of = readers.get(m.number());
    // A matrix that is read before its last part is written belongs to a recurrence.
    if (!of.isEmpty() && of.first() < by.last() && isReadBetween(m.number())) {
      return MatrixInfo.Reason.RECURRENCE;
    }
    boolean isMade = by.stream().allMatch(k -> fused.get(k).kind().equals("map"));
    boolean isOperand = of.stream().anyMatch(k -> fused.get(k).kind().equals("gemm"));
    return isMade && isOperand ? MatrixInfo.Reason.OPERAND : MatrixInfo.Reason.RESULT;
  }

  /** Returns true if a kernel that does not write the matrix reads it before its last writer. */
  private boolean isReadBetween(int number) {
    int last = writers.get(number).last();
    return readers.get(number).headSet(last).stream()
        .anyMatch(k -> !writers.get(number).contains(k));
  }
}
