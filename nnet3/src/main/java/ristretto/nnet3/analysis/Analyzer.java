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
        assignments.fused().stream()
            .map(f -> AssignmentAttributes.of(f, assignments, variables))
            .toList();
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
   * Returns the first fused assignment that accesses a matrix other than to fill it with constants;
   * -1 if there is none.
   */
  public int firstNontrivialAccess(int memory) {
    return memoryAccesses.get(memory).stream().filter(k -> !isFill(k)).findFirst().orElse(-1);
  }

  /**
   * Returns the last fused assignment that writes a matrix; the number of fused assignments for an
   * output of the user; -1 if there is none.
   */
  public int lastWriteAccess(int memory) {
    if (assignments.memories().get(memory).role() == Memory.Role.OUTPUT) {
      return attributes.size();
    }
    return memoryAccesses.get(memory).stream()
        .filter(k -> attributes.get(k).memoriesWritten().get(memory))
        .reduce(-1, (_, k) -> k);
  }

  /**
   * Returns the first fused assignment after {@code fused} that overwrites part of a matrix; the
   * number of fused assignments if there is none.
   */
  public int invalidated(int memory, int fused) {
    return memoryAccesses.get(memory).stream()
        .filter(k -> k > fused && attributes.get(k).memoriesWritten().get(memory))
        .findFirst()
        .orElse(attributes.size());
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

  private boolean isFill(int fused) {
    return assignments.fused().get(fused).kind().equals("map")
        && assignments.fused().get(fused).reads().isEmpty();
  }

  /**
   * Temporary whose memory the result of its last reader could reuse.
   *
   * @param fused the reader
   * @param from matrix that is read for the last time
   * @param to matrix that is written for the first time
   */
  public record InPlace(int fused, int from, int to) {}

  /**
   * Returns the opportunities for in-place execution: element-wise kernels whose result could
   * overwrite an operand.
   */
  public List<InPlace> inPlace() {
    var all = new ArrayList<InPlace>();
    for (Fused f : assignments.fused()) {
      if (!f.kind().equals("map")) {
        continue;
      }
      for (Access w : f.writes()) {
        for (Access r : f.reads()) {
          if (canBe(f, r, w)) {
            all.add(new InPlace(f.number(), r.memory(), w.memory()));
          }
        }
      }
    }
    return all;
  }

  private boolean canBe(Fused f, Access r, Access w) {
    Memory from = assignments.memories().get(r.memory());
    Memory to = assignments.memories().get(w.memory());
    boolean same =
        r.elements().offset() == w.elements().offset()
            && r.elements().extents().equals(w.elements().extents())
            && r.elements().strides().equals(w.elements().strides());
    boolean onlyRead =
        f.reads().stream().filter(a -> a.memory() == r.memory()).allMatch(a -> a.isSameAs(r));
    return same
        && onlyRead
        && r.isExact()
        && r.memory() != w.memory()
        && from.isTemporary()
        && to.isTemporary()
        && from.bytes() == to.bytes()
        && lastAccess(r.memory()) == f.number()
        && firstAccess(w.memory()) == f.number();
  }

  /** Returns true if a temporary is live at a fused assignment. */
  boolean isLive(Memory m, int fused) {
    return m.isTemporary() && firstAccess(m.number()) <= fused && fused <= lastAccess(m.number());
  }

  /** Returns the bytes of live temporaries at each fused assignment. */
  public List<Long> liveBytes() {
    var all = new ArrayList<Long>();
    for (int k = 0; k < attributes.size(); k++) {
      long sum = 0;
      for (Memory m : assignments.memories()) {
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
        .mapToLong(Memory::bytes)
        .sum();
  }
}
