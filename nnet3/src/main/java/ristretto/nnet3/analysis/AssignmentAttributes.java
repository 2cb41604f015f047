package ristretto.nnet3.analysis;

import java.util.BitSet;
import java.util.List;

/**
 * Reads and writes of a fused assignment. A scatter also reads its target, part of which it keeps.
 *
 * @param variablesRead see {@link ComputationVariables}; for a read through an index vector, all
 *     variables that it may select
 * @param variablesSurelyRead variables read without an index vector
 */
record AssignmentAttributes(
    BitSet variablesRead,
    BitSet variablesSurelyRead,
    BitSet variablesWritten,
    BitSet memoriesRead,
    BitSet memoriesWritten) {

  static AssignmentAttributes of(FusedAssignment f, ComputationVariables variables) {
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
    return new AssignmentAttributes(
        read, surely, written, memories(f.reads()), memories(f.writes()));
  }

  private static BitSet memories(List<Access> accesses) {
    var all = new BitSet();
    accesses.forEach(a -> all.set(a.memory()));
    return all;
  }
}
