package ristretto.nnet3.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Data-flow analysis of a computation: reads and writes by variable and by matrix. */
public final class Analyzer {
  private final Assignments assignments;
  private final ComputationVariables variables;
  private final List<AssignmentAttributes> attributes;
  private final List<List<Integer>> variableAccesses = new ArrayList<>();
  private final List<List<Integer>> memoryAccesses = new ArrayList<>();

  /** Analyzes a computation. */
  public Analyzer(Assignments assignments) {
    this.assignments = assignments;
    variables = new ComputationVariables(assignments);
    attributes =
        assignments.fused().stream().map(f -> AssignmentAttributes.of(f, variables)).toList();
    for (int k = 0; k < variables.count(); k++) {
      variableAccesses.add(new ArrayList<>());
    }
    assignments.memories().forEach(_ -> memoryAccesses.add(new ArrayList<>()));
    for (int k = 0; k < attributes.size(); k++) {
      AssignmentAttributes a = attributes.get(k);
      int number = k;
      var touched = (java.util.BitSet) a.variablesRead().clone();
      touched.or(a.variablesWritten());
      touched.stream().forEach(v -> variableAccesses.get(v).add(number));
      var memories = (java.util.BitSet) a.memoriesRead().clone();
      memories.or(a.memoriesWritten());
      memories.stream().forEach(m -> memoryAccesses.get(m).add(number));
    }
  }

  ComputationVariables variables() {
    return variables;
  }

  AssignmentAttributes attributes(int fused) {
    return attributes.get(fused);
  }

  /** Returns the numbers of the fused assignments that read or write a variable, in order. */
  List<Integer> variableAccesses(int variable) {
    return variableAccesses.get(variable);
  }

  /** Returns the numbers of the fused assignments that read or write a matrix, in order. */
  public List<Integer> memoryAccesses(int memory) {
    return memoryAccesses.get(memory);
  }

  /** Returns the first fused assignment that reads or writes a matrix; -1 if there is none. */
  public int firstAccess(int memory) {
    List<Integer> all = memoryAccesses.get(memory);
    return all.isEmpty() ? -1 : all.get(0);
  }

  /** Returns the last fused assignment that reads or writes a matrix; -1 if there is none. */
  public int lastAccess(int memory) {
    List<Integer> all = memoryAccesses.get(memory);
    return all.isEmpty() ? -1 : all.get(all.size() - 1);
  }

  /**
   * Returns the reaching definitions of a fused assignment: for each matrix that it reads, the last
   * earlier writers of the elements read, in order.
   */
  public Map<Integer, List<Integer>> sources(int fused) {
    var all = new TreeMap<Integer, TreeSet<Integer>>();
    attributes.get(fused).variablesRead().stream()
        .forEach(v ->
            variableAccesses.get(v).stream()
                .filter(k -> k < fused && attributes.get(k).variablesWritten().get(v))
                .reduce((_, k) -> k)
                .ifPresent(
                    k -> all.computeIfAbsent(variables.memory(v), _ -> new TreeSet<>()).add(k)));
    var lists = new TreeMap<Integer, List<Integer>>();
    all.forEach((memory, writers) -> lists.put(memory, List.copyOf(writers)));
    return lists;
  }

  /** Returns all fused assignments that write a matrix, in order. */
  public List<Integer> writers(int memory) {
    return memoryAccesses.get(memory).stream()
        .filter(k -> attributes.get(k).memoriesWritten().get(memory))
        .toList();
  }

  /** Returns true if a temporary is live at a fused assignment. */
  boolean isLive(MatrixInfo m, int fused) {
    return m.isTemporary() && firstAccess(m.number()) <= fused && fused <= lastAccess(m.number());
  }

  /** Returns the bytes of live temporaries at each fused assignment. */
  public List<Long> liveBytes() {
    var all = new ArrayList<Long>();
    for (int k = 0; k < attributes.size(); k++) {
      long sum = 0;
      for (MatrixInfo m : assignments.memories()) {
        sum += firstAccess(m.number()) >= 0 && isLive(m, k) ? m.bytes() : 0;
      }
      all.add(sum);
    }
    return all;
  }

  /** Returns the maximum of the live bytes: a lower bound for any allocation of the temporaries. */
  public long peakBytes() {
    return liveBytes().stream().mapToLong(k -> k).max().orElse(0);
  }

  /** Returns the total bytes of the slots that temporaries share. */
  public long placeBytes() {
    return assignments.slotBytes().stream().mapToLong(k -> k).sum();
  }

  /** Returns the total bytes of all temporaries, as if no memory were shared. */
  public long temporaryBytes() {
    return assignments.memories().stream()
        .filter(m -> m.isTemporary() && firstAccess(m.number()) >= 0)
        .mapToLong(MatrixInfo::bytes)
        .sum();
  }
}
