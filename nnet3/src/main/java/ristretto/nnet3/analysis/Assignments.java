package ristretto.nnet3.analysis;

import java.util.List;

/**
 * A computation as assignments to matrices.
 *
 * @param memories all matrices
 * @param fused what runs, in order
 * @param lines the assignments before they were fused, in order
 * @param slotBytes how large the place is that the temporaries of each slot share
 */
public record Assignments(
    List<Memory> memories, List<Fused> fused, List<Line> lines, List<Long> slotBytes) {
  public Assignments {
    memories = List.copyOf(memories);
    fused = List.copyOf(fused);
    lines = List.copyOf(lines);
    slotBytes = List.copyOf(slotBytes);
  }

  /** How many places there are, in words. */
  public String places() {
    return slotBytes.size() + (slotBytes.size() == 1 ? " place" : " places");
  }

  /**
   * An assignment as the lowering made it.
   *
   * @param node whose value it computes, and of which times
   * @param target what it writes
   * @param expression what it writes there, beginning with {@code =} or {@code +=}
   * @param fused numbers of what executes it
   * @param isInlined whether its readers compute it, so that it is nowhere in memory
   * @param memory the target's number
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
