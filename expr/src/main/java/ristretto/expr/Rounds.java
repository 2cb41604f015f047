package ristretto.expr;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Rounds of a body that does the same in each of them, with operands further on by the same
 * distance each time; see {@link Context#repeat}. Of many rounds the first ones are recorded, and
 * with them how the others go on.
 */
final class Rounds {
  /**
   * So many rounds show how all others go on: the first may make what all of them use, and each
   * other one is compared with the one before it.
   */
  static final int SHOWN = 4;

  private final int times;
  private final BiFunction<Object, Integer, Object> labels;
  private final List<Integer> starts = new ArrayList<>();
  private final List<Set<Storage>> made = new ArrayList<>();
  private int end;

  /** How much further on tensors of the last round are than those of the one before, or null. */
  private Map<Tensor<?>, Long> further;

  /**
   * @param times how many rounds there are
   * @param labels says what a label of a round is so many rounds later
   */
  Rounds(int times, BiFunction<Object, Integer, Object> labels) {
    this.times = times;
    this.labels = labels;
  }

  /** The next round begins with an assignment. */
  void begin(int assignment) {
    starts.add(assignment);
    made.add(Collections.newSetFromMap(new IdentityHashMap<>()));
  }

  /** A round makes memory. */
  void made(Storage storage) {
    made.get(made.size() - 1).add(storage);
  }

  void end(int assignment) {
    end = assignment;
  }

  /** How many rounds are recorded. */
  int recorded() {
    return starts.size();
  }

  /** Whether there are more rounds than are recorded. */
  boolean isShort() {
    return further != null;
  }

  /** How many rounds are not recorded. */
  int missing() {
    return isShort() ? times - recorded() : 0;
  }

  /** The first assignment of a round. */
  int start(int round) {
    return round < starts.size() ? starts.get(round) : end;
  }

  /** The end of the last round that is recorded. */
  int end() {
    return end;
  }

  /** How many assignments the last round has that is recorded. */
  int size() {
    return end - start(recorded() - 1);
  }

  /** What a recorded round made. */
  Set<Storage> made(int round) {
    return made.get(round);
  }

  /** Whether the rounds so far show how those after them go on, which then need no recording. */
  boolean show(List<Recorder.Assigned> assigned) {
    if (recorded() != SHOWN || times <= SHOWN) {
      return false;
    }
    int last = SHOWN - 1;
    Alike before = alike(assigned, last - 1);
    Alike now = before == null ? null : alike(assigned, last);
    if (now == null || !now.further().equals(before.further())) {
      return false;
    }
    further = now.tensors();
    return true;
  }

  private Alike alike(List<Recorder.Assigned> assigned, int round) {
    return Alike.of(
        assigned.subList(start(round - 1), start(round)),
        made.get(round - 1),
        assigned.subList(start(round), start(round + 1)),
        made.get(round));
  }

  /** What a label is so many rounds later. */
  Object later(Object label, int by) {
    return by == 0 ? label : labels.apply(label, by);
  }

  /** The assignments of a round so many rounds after the last one that is recorded. */
  List<Recorder.Assigned> later(List<Recorder.Assigned> assigned, int by) {
    var copies = new IdentityHashMap<Expr<?>, Expr<?>>();
    var own = new IdentityHashMap<Storage, Storage>();
    for (Storage s : made.get(recorded() - 1)) {
      var planned = (Storage.Planned) s;
      own.put(s, new Storage.Planned(s.context(), planned.dtype(), planned.shape()));
    }
    var all = new ArrayList<Recorder.Assigned>();
    for (Recorder.Assigned a : assigned.subList(start(recorded() - 1), end)) {
      var pairs = new ArrayList<Pair<?>>();
      for (Pair<?> p : a.pairs()) {
        pairs.add(
            Pair.untyped(
                (Tensor<?>) later(p.target(), copies, own, by), later(p.expr(), copies, own, by)));
      }
      all.add(new Recorder.Assigned(pairs, a.fresh(), later(a.label(), by), a.inPlace()));
    }
    return all;
  }

  private Expr<?> later(
      Expr<?> e, Map<Expr<?>, Expr<?>> copies, Map<Storage, Storage> own, int by) {
    return Recorder.rebuild(
        e,
        copies,
        t -> {
          Storage storage = own.get(t.storage());
          if (storage != null) {
            return t.on(storage);
          }
          long far = by * further.getOrDefault(t, 0L);
          return far == 0 ? t : t.with(t.layout().map().further(far));
        });
  }
}
