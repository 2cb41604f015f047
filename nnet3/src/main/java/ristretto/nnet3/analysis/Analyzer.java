package ristretto.nnet3.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is read and written where, by variable and by matrix, and what follows from it. */
public final class Analyzer {
  private final Assignments assignments;
  private final ComputationVariables variables;
  private final List<AssignmentAttributes> attributes;
  private final List<List<Integer>> variableAccesses = new ArrayList<>();
  private final List<List<Integer>> memoryAccesses = new ArrayList<>();

  /** Of a computation. */
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

  /** Numbers of the fused assignments that read or write a variable, in order. */
  List<Integer> variableAccesses(int variable) {
    return variableAccesses.get(variable);
  }

  /** Numbers of the fused assignments that read or write a matrix, in order. */
  public List<Integer> memoryAccesses(int memory) {
    return memoryAccesses.get(memory);
  }

  /** The first that reads or writes a matrix; -1 if none does. */
  public int firstAccess(int memory) {
    List<Integer> all = memoryAccesses.get(memory);
    return all.isEmpty() ? -1 : all.get(0);
  }

  /** The last that reads or writes a matrix; -1 if none does. */
  public int lastAccess(int memory) {
    List<Integer> all = memoryAccesses.get(memory);
    return all.isEmpty() ? -1 : all.get(all.size() - 1);
  }

  /** The first that does more than to fill a matrix with constants; -1 if none does. */
  public int firstNontrivialAccess(int memory) {
    return memoryAccesses.get(memory).stream().filter(k -> !isFill(k)).findFirst().orElse(-1);
  }

  /** The last that writes a matrix; the end of all if the user reads it; -1 if none does. */
  public int lastWriteAccess(int memory) {
    if (assignments.memories().get(memory).role() == Memory.Role.OUTPUT) {
      return attributes.size();
    }
    return memoryAccesses.get(memory).stream()
        .filter(k -> attributes.get(k).memoriesWritten().get(memory))
        .reduce(-1, (_, k) -> k);
  }

  /** The first after {@code fused} that overwrites some of a matrix; the end of all if none. */
  public int invalidated(int memory, int fused) {
    return memoryAccesses.get(memory).stream()
        .filter(k -> k > fused && attributes.get(k).memoriesWritten().get(memory))
        .findFirst()
        .orElse(attributes.size());
  }

  /**
   * Who wrote what a fused assignment reads: of each matrix the last ones before it that wrote some
   * of that, in order.
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

  /** All that write a matrix, in order. */
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
   * A temporary whose place the result of its last reader could take.
   *
   * @param fused the reader
   * @param from what it reads for the last time
   * @param to what it writes for the first time
   */
  public record InPlace(int fused, int from, int to) {}

  /** Where a matrix could be written over another one, element by element. */
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

  /** Whether a matrix that does not outlive the computation holds something at a time. */
  boolean isLive(Memory m, int fused) {
    return m.isTemporary() && firstAccess(m.number()) <= fused && fused <= lastAccess(m.number());
  }

  /** Bytes of the temporaries that hold something at each fused assignment. */
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

  /** The most that temporaries need at one time, whatever the places they get. */
  public long peakBytes() {
    return liveBytes().stream().mapToLong(k -> k).max().orElse(0);
  }

  /** Bytes of the places that temporaries share. */
  public long placeBytes() {
    return assignments.slotBytes().stream().mapToLong(k -> k).sum();
  }

  /** Bytes of all temporaries together, as if none shared its place. */
  public long temporaryBytes() {
    return assignments.memories().stream()
        .filter(m -> m.isTemporary() && firstAccess(m.number()) >= 0)
        .mapToLong(Memory::bytes)
        .sum();
  }
}
