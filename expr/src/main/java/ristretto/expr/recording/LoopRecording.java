package ristretto.expr.recording;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import ristretto.expr.graph.Term;
import ristretto.expr.memory.Storage;

/**
 * Loop that is being recorded; see {@link ristretto.expr.Context#repeat}. The first iteration stays
 * apart, since it may make what all iterations use. The second becomes the body; the motion of its
 * operands is their distance to those of the third, and the fourth must confirm that distance.
 */
final class LoopRecording {
  /** Number of iterations that are recorded to determine the motion of operands. */
  private static final int RECORDED = 4;

  private static final int BODY = 1;

  private final int times;
  private final BiFunction<Object, Integer, Object> labels;
  private final List<Integer> starts = new ArrayList<>();
  private final List<Set<Storage>> made = new ArrayList<>();
  private LoopMotion motion;

  /**
   * Starts a loop.
   *
   * @param times trip count
   * @param labels maps a label and a number of iterations to the label that many iterations later
   */
  LoopRecording(int times, BiFunction<Object, Integer, Object> labels) {
    this.times = times;
    this.labels = labels;
  }

  /** Starts an iteration at the next assignment. */
  void begin(int assignment) {
    starts.add(assignment);
    made.add(RecordedLoop.storages());
  }

  /** Notes memory that an iteration makes. */
  void made(Storage storage) {
    made.getLast().add(storage);
  }

  /**
   * Returns true if the iterations recorded so far determine the others, which then need no
   * recording: operands advance by constant strides.
   */
  boolean isDetermined(List<Recorder.Assigned> assigned) {
    if (starts.size() != RECORDED || times <= RECORDED) {
      return false;
    }
    LoopMotion first = motion(assigned, BODY);
    LoopMotion second = first == null ? null : motion(assigned, BODY + 1);
    motion = second != null && second.distances().equals(first.distances()) ? first : null;
    return motion != null;
  }

  private LoopMotion motion(List<Recorder.Assigned> assigned, int iteration) {
    return LoopMotion.between(
        iteration(assigned, iteration),
        made.get(iteration),
        iteration(assigned, iteration + 1),
        made.get(iteration + 1));
  }

  private List<Recorder.Assigned> iteration(List<Recorder.Assigned> assigned, int iteration) {
    int end = iteration + 1 < starts.size() ? starts.get(iteration + 1) : assigned.size();
    return assigned.subList(starts.get(iteration), end);
  }

  /**
   * Replaces the iterations that follow the first one by the body with moving operands, if the
   * recorded iterations determine it.
   *
   * @param dropped receives memory that the iterations that are dropped have made
   */
  Optional<RecordedLoop> close(List<Recorder.Assigned> assigned, Set<Storage> dropped) {
    if (motion == null) {
      return Optional.empty();
    }
    int first = starts.get(BODY);
    var copies = new IdentityHashMap<Term, Term>();
    var body = new ArrayList<Recorder.Assigned>();
    for (Recorder.Assigned a : iteration(assigned, BODY)) {
      body.add(
          a.with(
              a.pairs().stream()
                  .map(p ->
                      new Update(
                          motion.moving(p.target()),
                          Recorder.rebuild(p.expr(), copies, motion::moving)))
                  .toList()));
    }
    for (int iteration = BODY + 1; iteration < RECORDED; iteration++) {
      dropped.addAll(made.get(iteration));
    }
    assigned.subList(first, assigned.size()).clear();
    assigned.addAll(body);
    return Optional.of(new RecordedLoop(first, body.size(), times - BODY, made.get(BODY), labels));
  }

  /** Returns the label of the last iteration for a label of the last recorded one. */
  Object last(Object label) {
    return motion == null ? label : labels.apply(label, times - RECORDED);
  }
}
