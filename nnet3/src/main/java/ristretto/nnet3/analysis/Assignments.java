package ristretto.nnet3.analysis;

import java.util.List;

/**
 * Computation as assignments to matrices.
 *
 * @param memories all matrices
 * @param fused kernels, in order of execution
 * @param lines assignments before fusion, in order
 * @param slotBytes size of each slot of memory that temporaries share
 */
public record Assignments(
    List<MatrixInfo> memories,
    List<FusedAssignment> fused,
    List<Line> lines,
    List<Long> slotBytes) {
  public Assignments {
    memories = List.copyOf(memories);
    fused = List.copyOf(fused);
    lines = List.copyOf(lines);
    slotBytes = List.copyOf(slotBytes);
  }

  /** Returns the number of slots as text for reports. */
  public String places() {
    return slotBytes.size() + (slotBytes.size() == 1 ? " place" : " places");
  }

  /**
   * Assignment before fusion.
   *
   * @param node node whose value the assignment computes, and the times
   * @param target matrix that the assignment writes
   * @param expression assigned expression, beginning with {@code =} or {@code +=}
   * @param fused numbers of the fused assignments that execute the assignment
   * @param isInlined true if the kernels of its readers compute the value, which is then not in
   *     memory
   * @param memory number of the target matrix
   */
  public record Line(
      String node,
      String target,
      String expression,
      List<Integer> fused,
      boolean isInlined,
      int memory) {
    public Line {
      fused = List.copyOf(fused);
    }
  }
}
