package ristretto.nnet3.analysis;

import java.util.BitSet;
import java.util.List;

/**
 * Reads and writes of a fused assignment. A scatter also reads its target, part of which it keeps.
 *
 * @param variablesRead see {@link ComputationVariables}; for a read through an index vector, all
 *     variables that it may select
 * @param variablesSurelyRead variables read without an index vector
 * @param hasSideEffects true if the assignment changes the model or runs on the host
 */
record AssignmentAttributes(
    BitSet variablesRead,
    BitSet variablesSurelyRead,
    BitSet variablesWritten,
    BitSet memoriesRead,
    BitSet memoriesWritten,
    boolean hasSideEffects) {

  static AssignmentAttributes of(Fused f, Assignments all, ComputationVariables variables) {
    var read = new BitSet();
    var surely = new BitSet();
    var written = new BitSet();
    for (Access a : f.reads()) {
      variables.add(a, read);
      if (!a.isUnordered()) {
        variables.add(a, surely);
      }
    }
    for (Access a : f.writes()) {
      variables.add(a, written);
    }
    List<Memory> memories = all.memories();
    boolean effects =
        f.kind().equals("host")
            || f.writes().stream()
                .anyMatch(a -> memories.get(a.memory()).role() == Memory.Role.PARAMETER);
    return new AssignmentAttributes(
        read, surely, written, memories(f.reads()), memories(f.writes()), effects);
  }

  private static BitSet memories(List<Access> accesses) {
    var all = new BitSet();
    accesses.forEach(a -> all.set(a.memory()));
    return all;
  }
}
