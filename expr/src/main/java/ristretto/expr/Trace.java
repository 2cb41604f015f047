package ristretto.expr;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import ristretto.expr.graph.FormulaText;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Traversal;
import ristretto.expr.index.IndexMap;
import ristretto.expr.memory.MemoryPlan;
import ristretto.expr.memory.Storage;
import ristretto.expr.plan.Step;
import ristretto.expr.program.CompiledPlan;
import ristretto.expr.program.KernelAccesses;
import ristretto.expr.recording.Recorder;
import ristretto.expr.recording.Update;
import ristretto.expr.type.Shape;
import ristretto.kernels.ir.Kernel;

/**
 * Trace of a program: recorded assignments, the kernels that execute them, and the elements that
 * each kernel reads and writes. For tools that print, check or draw programs.
 */
public final class Trace {
  private final List<Memory> memories;
  private final List<Work> works;
  private final List<Assigned> assigned;
  private final Map<Storage, Integer> numbers = new LinkedHashMap<>();

  /**
   * Memory of a tensor or temporary.
   *
   * @param number index in {@link #memories}
   * @param shape shape of a temporary, or of the largest tensor over the memory in the program
   * @param slot number of the shared buffer that holds a temporary; -1 for persistent memory and
   *     for temporaries within such memory
   * @param within number of the persistent memory that holds a temporary until that memory is
   *     written, or -1
   * @param offset byte offset of a temporary in its buffer
   * @param isUsed true if a kernel reads or writes the memory; false for values that stay in
   *     registers
   */
  public record Memory(
      int number,
      String dtype,
      Shape shape,
      long bytes,
      int slot,
      int within,
      long offset,
      boolean isUsed) {
    Memory as(int other, int place, boolean used) {
      return new Memory(other, dtype, shape, bytes, slot, place, offset, used);
    }

    /** Returns true for a temporary, whose elements are undefined between runs. */
    public boolean isTemporary() {
      return slot >= 0 || within >= 0;
    }
  }

  /**
   * Accessed elements of a memory: {@code offset + sum of strides[d] * i[d]} for i within the
   * extents.
   *
   * @param memory number of the memory
   * @param gathered true if indices read at run time select among the elements
   */
  public record Access(
      int memory, long offset, List<Long> extents, List<Long> strides, boolean gathered) {
    /** Copies the lists. */
    public Access {
      extents = List.copyOf(extents);
      strides = List.copyOf(strides);
    }

    Access moved(int[] numbers) {
      int to = memory < 0 ? memory : numbers[memory];
      return new Access(to, offset, extents, strides, gathered);
    }
  }

  /**
   * Kernel, or host code of an operator.
   *
   * @param kind map, row, gemm, ..., or host
   * @param what description of the computation, for people
   * @param space extents of the iteration space; m, n and k for a matrix product
   * @param assignments numbers of the assignments that it executes, fully or in part
   */
  public record Work(
      String name,
      String kind,
      String what,
      List<Long> space,
      List<Access> reads,
      List<Access> writes,
      List<Integer> assignments) {
    /** Copies the lists. */
    public Work {
      space = List.copyOf(space);
      reads = List.copyOf(reads);
      writes = List.copyOf(writes);
      assignments = List.copyOf(assignments);
    }

    Work moved(int[] numbers, int first) {
      return new Work(
          name,
          kind,
          what,
          space,
          reads.stream().map(a -> a.moved(numbers)).toList(),
          writes.stream().map(a -> a.moved(numbers)).toList(),
          assignments.stream().map(k -> k + first).toList());
    }
  }

  /**
   * Recorded assignment.
   *
   * @param number number of the assignment, shared by the pairs of one {@link Context#assignAll}
   * @param label label set by {@link Context#label}, or null
   * @param target elements written
   * @param expression formats the assigned expression, with the caller's names of memory
   * @param isInlined true if the kernels of its readers compute the value, so that it never is in
   *     memory
   * @param works numbers of the kernels that execute the assignment, or its readers if it is
   *     inlined
   */
  public record Assigned(
      int number,
      Object label,
      Access target,
      Function<Function<Access, String>, String> expression,
      boolean isInlined,
      List<Integer> works) {
    /** Copies the lists. */
    public Assigned {
      works = List.copyOf(works);
    }

    Assigned moved(int[] numbers, int first, int firstWork) {
      return new Assigned(
          number + first,
          label,
          target.moved(numbers),
          names -> expression.apply(a -> names.apply(a.moved(numbers))),
          isInlined,
          works.stream().map(k -> k + firstWork).toList());
    }
  }

  Trace(
      List<Recorder.Assigned> recorded,
      List<Step.Lowered> steps,
      List<Storage> storages,
      CompiledPlan plan) {
    for (int k = 0; k < storages.size(); k++) {
      numbers.put(storages.get(k), k);
    }
    works = steps.stream().map(Trace::work).toList();
    Map<Storage, StorageView> largest = largest(recorded);
    var used = new TreeSet<Integer>();
    works.forEach(w -> w.reads.forEach(a -> used.add(a.memory)));
    works.forEach(w -> w.writes.forEach(a -> used.add(a.memory)));
    var all = new ArrayList<Memory>();
    for (int k = 0; k < storages.size(); k++) {
      all.add(memory(k, storages.get(k), largest.get(storages.get(k)), plan, used.contains(k)));
    }
    for (Storage s : largest.keySet()) {
      if (!numbers.containsKey(s)) {
        numbers.put(s, all.size());
        all.add(memory(all.size(), s, largest.get(s), plan, false));
      }
    }
    memories = List.copyOf(all);
    assigned = assignments(recorded);
  }

  /** Largest tensor over each memory among the operands of the assignments. */
  private static Map<Storage, StorageView> largest(List<Recorder.Assigned> recorded) {
    var all = new LinkedHashMap<Storage, StorageView>();
    for (Recorder.Assigned a : recorded) {
      for (Update p : a.pairs()) {
        var tensors = new ArrayList<StorageView>(Traversal.leaves(p.expr()));
        tensors.add(p.target());
        for (StorageView t : tensors) {
          all.merge(t.storage(), t.root(), (x, y) -> x.shape().size() >= y.shape().size() ? x : y);
        }
      }
    }
    return all;
  }

  private static Memory memory(
      int number, Storage storage, StorageView largest, CompiledPlan plan, boolean isUsed) {
    String dtype = largest == null ? "" : largest.dtype().toString();
    if (storage instanceof Storage.Planned p) {
      MemoryPlan.Placement place = plan.temporaries().place(number);
      int within = place == null ? -1 : plan.temporaries().within(place);
      return new Memory(
          number,
          p.dtype().toString(),
          p.shape(),
          p.bytes(),
          place == null || within >= 0 ? -1 : place.buffer(),
          within,
          place == null ? 0 : place.offset(),
          isUsed);
    }
    Shape shape = largest == null ? Shape.SCALAR : largest.shape();
    long bytes = largest == null ? 0 : shape.size() * largest.dtype().bytes();
    return new Memory(number, dtype, shape, bytes, -1, -1, 0, isUsed);
  }

  private static Work work(Step.Lowered step) {
    return switch (step) {
      case Step.HostStep h ->
          new Work("host", "host", h.what(), List.of(), List.of(), List.of(), List.of());
      case Step.KernelStep s -> {
        Kernel kernel = s.kernel();
        var accesses = KernelAccesses.of(kernel);
        yield new Work(
            kernel.name(),
            kernel.kind(),
            s.what(),
            KernelAccesses.list(kernel.space().toArray()),
            accesses.reads().stream().map(Trace::access).toList(),
            accesses.writes().stream().map(Trace::access).toList(),
            s.from());
      }
    };
  }

  private static Access access(KernelAccesses.Access a) {
    return new Access(a.memory(), a.offset(), a.extents(), a.strides(), a.gathered());
  }

  private List<Assigned> assignments(List<Recorder.Assigned> recorded) {
    var direct = new ArrayList<TreeSet<Integer>>();
    recorded.forEach(_ -> direct.add(new TreeSet<>()));
    for (int w = 0; w < works.size(); w++) {
      for (int a : works.get(w).assignments) {
        direct.get(a).add(w);
      }
    }
    // Backwards, because an inlined assignment needs the kernels of its readers, which follow.
    var result = new ArrayList<Assigned>();
    var readers = new IdentityHashMap<Storage, TreeSet<Integer>>();
    for (int k = recorded.size() - 1; k >= 0; k--) {
      List<Update> pairs = recorded.get(k).pairs();
      StorageView first = pairs.get(0).target();
      boolean inlined = direct.get(k).isEmpty() && first.shape().size() > 0;
      TreeSet<Integer> mine =
          inlined ? readers.getOrDefault(first.storage(), new TreeSet<>()) : direct.get(k);
      for (Update p : pairs.reversed()) {
        for (StorageView t : Traversal.leaves(p.expr())) {
          readers.computeIfAbsent(t.storage(), _ -> new TreeSet<>()).addAll(mine);
        }
        result.add(assigned(p, k, recorded.get(k).label(), inlined, List.copyOf(mine)));
      }
    }
    return List.copyOf(result.reversed());
  }

  private Assigned assigned(
      Update p, int number, Object label, boolean inlined, List<Integer> mine) {
    StorageView target = p.target();
    return new Assigned(
        number,
        label,
        access(target),
        names -> new FormulaText(t -> names.apply(access(t))).of(p.expr(), target),
        inlined,
        mine);
  }

  private Access access(StorageView t) {
    IndexMap map = t.map();
    return new Access(
        numbers.getOrDefault(t.storage(), -1),
        map.offset,
        KernelAccesses.list(map.dims),
        KernelAccesses.list(map.strides),
        false);
  }

  private Trace(
      List<Memory> memories,
      List<Work> works,
      List<Assigned> assigned,
      Map<Storage, Integer> numbers) {
    this.memories = List.copyOf(memories);
    this.works = List.copyOf(works);
    this.assigned = List.copyOf(assigned);
    this.numbers.putAll(numbers);
  }

  /** Concatenates the traces of this program and the next, matching memory that both use. */
  public Trace then(Trace next) {
    var all = new ArrayList<>(memories);
    var known = new LinkedHashMap<>(numbers);
    var moved = new int[next.memories.size()];
    next.numbers.forEach((storage, number) -> {
      Memory m = next.memories.get(number);
      Integer here = known.get(storage);
      if (here == null) {
        here = all.size();
        all.add(m.as(here, m.within, m.isUsed));
        known.put(storage, here);
      } else {
        Memory mine = all.get(here);
        boolean larger = m.shape.size() > mine.shape.size();
        all.set(here, (larger ? m : mine).as(here, -1, m.isUsed || mine.isUsed));
      }
      moved[number] = here;
    });
    for (Memory m : next.memories) {
      if (m.within >= 0) {
        int here = moved[m.number];
        all.set(here, all.get(here).as(here, moved[m.within], m.isUsed));
      }
    }
    int last = assigned.isEmpty() ? 0 : assigned.get(assigned.size() - 1).number + 1;
    var work = new ArrayList<>(works);
    for (Work w : next.works) {
      work.add(w.moved(moved, last));
    }
    var more = new ArrayList<>(assigned);
    for (Assigned a : next.assigned) {
      more.add(a.moved(moved, last, works.size()));
    }
    return new Trace(all, work, more, known);
  }

  /** Memory of a tensor; empty if the program does not use the tensor. */
  public Optional<Memory> memory(Tensor<?> t) {
    return Optional.ofNullable(numbers.get(t.storage())).map(memories::get);
  }

  /** Memories by number. */
  public List<Memory> memories() {
    return memories;
  }

  /** Kernels in launch order. */
  public List<Work> works() {
    return works;
  }

  /** Assignments in the order of recording. */
  public List<Assigned> assigned() {
    return assigned;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "Trace[%d assignments, %d kernels]", assigned.size(), works.size());
  }
}
