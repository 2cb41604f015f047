package ristretto.expr.recording;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import ristretto.expr.graph.Barrier.CustomBarrier;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.graph.Traversal;
import ristretto.expr.memory.Storage;
import ristretto.kernels.ShapeException;

/** Content of a recording: assignments, parts and loops. */
public final class Recorded {
  private final List<Recorder.Assigned> assigned;
  private final List<Integer> parts;
  private final List<RecordedLoop> loops;
  private Recorded whole;

  /**
   * Keeps copies of the lists.
   *
   * @param assigned assignments in order; loop bodies are there once
   * @param parts position of the first assignment of each part, if there are several
   * @param loops loops in order; see {@link ristretto.expr.Context#repeat}
   */
  public Recorded(List<Recorder.Assigned> assigned, List<Integer> parts, List<RecordedLoop> loops) {
    this.assigned = List.copyOf(assigned);
    this.parts = List.copyOf(parts);
    this.loops = List.copyOf(loops);
  }

  /**
   * Content of a recorder.
   *
   * @throws ShapeException if memory that an iteration of a loop has made is used outside of it
   */
  public static Recorded of(Recorder recorder) {
    return of(recorder, recorder.assigned());
  }

  /** Content of a recorder with other operands. */
  public static Recorded of(Recorder recorder, List<Recorder.Assigned> assigned) {
    var recorded = new Recorded(assigned, recorder.parts(), recorder.loops());
    recorded.requireOwn(recorder.dropped());
    return recorded;
  }

  public List<Recorder.Assigned> assigned() {
    return assigned;
  }

  public List<Integer> parts() {
    return parts;
  }

  public List<RecordedLoop> loops() {
    return loops;
  }

  /** Requires that memory made by an iteration is used in that iteration only. */
  private void requireOwn(Set<Storage> dropped) {
    var makers = new IdentityHashMap<Storage, RecordedLoop>();
    loops.forEach(loop -> loop.made().forEach(storage -> makers.put(storage, loop)));
    if (loops.isEmpty() || makers.isEmpty() && dropped.isEmpty()) {
      return;
    }
    for (int k = 0; k < assigned.size(); k++) {
      int position = k;
      Consumer<StorageView> require =
          t -> {
            if (isOutside(makers.get(t.storage()), position)
                || dropped.contains(t.storage())
                    && loops.stream().anyMatch(loop -> isOutside(loop, position))) {
              throw notOwn((Storage.Planned) t.storage());
            }
          };
      for (Update p : assigned.get(k).pairs()) {
        require.accept(p.target());
        Traversal.leaves(p.expr()).forEach(require);
      }
    }
  }

  private static boolean isOutside(RecordedLoop loop, int position) {
    return loop != null && (position < loop.first() || loop.end() <= position);
  }

  private static ShapeException notOwn(Storage.Planned memory) {
    return new ShapeException(
        ("[repeat] a tensor made by an iteration after the first must be used in that iteration"
                + " only; got %s%s; make it before the loop and write to its parts.")
            .formatted(memory.dtype(), memory.shape()));
  }

  /** Assignments of a part, with all iterations of its loops. */
  public List<Recorder.Assigned> part(int part) {
    Recorded all = whole();
    int end = part + 1 < all.parts.size() ? all.parts.get(part + 1) : all.assigned.size();
    return all.assigned.subList(all.parts.get(part), end);
  }

  /**
   * Number of the assignment at a position, if the assignments of all iterations are counted; in a
   * loop, that of the first iteration.
   */
  public int number(int position) {
    int number = position;
    for (RecordedLoop loop : loops) {
      number += loop.end() <= position ? loop.further() : 0;
    }
    return number;
  }

  /** Numbers of the assignment at a position in all iterations. */
  public IntStream numbers(int position) {
    int first = number(position);
    for (RecordedLoop loop : loops) {
      if (loop.first() <= position && position < loop.end()) {
        return IntStream.range(0, loop.times()).map(k -> first + k * loop.size());
      }
    }
    return IntStream.of(first);
  }

  /**
   * This recording as it can be planned: with unrolled loops if a body has an operator of a user,
   * whose code on the host knows the tensors of one iteration only.
   */
  public Recorded plannable() {
    return loops.stream().anyMatch(this::hasOwnOperators) ? whole() : this;
  }

  private boolean hasOwnOperators(RecordedLoop loop) {
    boolean[] found = {false};
    for (Recorder.Assigned a : assigned.subList(loop.first(), loop.end())) {
      for (Update p : a.pairs()) {
        Traversal.visit(
            p.expr(), Term::operands, e -> found[0] |= e.operation() instanceof CustomBarrier);
      }
    }
    return found[0];
  }

  /** This recording with unrolled loops. */
  public synchronized Recorded whole() {
    if (whole == null) {
      whole = loops.isEmpty() ? this : unrolled();
    }
    return whole;
  }

  private Recorded unrolled() {
    var all = new ArrayList<Recorder.Assigned>();
    int done = 0;
    for (RecordedLoop loop : loops) {
      all.addAll(assigned.subList(done, loop.first()));
      for (int k = 0; k < loop.times(); k++) {
        all.addAll(loop.iteration(assigned, k));
      }
      done = loop.end();
    }
    all.addAll(assigned.subList(done, assigned.size()));
    return new Recorded(all, parts.stream().map(this::number).toList(), List.of());
  }
}
