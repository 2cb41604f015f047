package ristretto.expr.recording;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.memory.Storage;

/**
 * Loop of a recording, whose body is recorded once: offsets of operands are those of the first
 * iteration and advance by the motion of their index maps.
 *
 * @param first position of the first assignment of the body
 * @param size number of assignments of the body
 * @param times trip count
 * @param made memory that the body makes for each iteration
 * @param labels maps a label of the body and an iteration number to the label in that iteration
 */
public record RecordedLoop(
    int first, int size, int times, Set<Storage> made, BiFunction<Object, Integer, Object> labels) {
  public int end() {
    return first + size;
  }

  /** Number of assignments of all iterations but the first. */
  int further() {
    return (times - 1) * size;
  }

  /** Assignments of an iteration. */
  List<Recorder.Assigned> iteration(List<Recorder.Assigned> assigned, int iteration) {
    var copies = new IdentityHashMap<Term, Term>();
    var own = new IdentityHashMap<Storage, Storage>();
    if (iteration > 0) {
      for (Storage s : made) {
        var planned = (Storage.Planned) s;
        own.put(s, new Storage.Planned(s.owner(), planned.dtype(), planned.shape()));
      }
    }
    var all = new ArrayList<Recorder.Assigned>();
    for (Recorder.Assigned a : assigned.subList(first, end())) {
      var pairs = new ArrayList<Update>();
      for (Update p : a.pairs()) {
        pairs.add(new Update(at(iteration, p.target(), own), at(iteration, p.expr(), copies, own)));
      }
      Object label = iteration == 0 ? a.label() : labels.apply(a.label(), iteration);
      all.add(new Recorder.Assigned(pairs, a.fresh(), label, a.inPlace(), a.round()));
    }
    return all;
  }

  private static Term at(int iteration, Term e, Map<Term, Term> copies, Map<Storage, Storage> own) {
    return Recorder.rebuild(e, copies, m -> at(iteration, m, own));
  }

  private static StorageView at(int iteration, StorageView m, Map<Storage, Storage> own) {
    Storage storage = own.get(m.storage());
    if (storage != null) {
      return m.on(storage);
    }
    return m.map().motion == 0 ? m : m.with(m.map().at(iteration));
  }

  /** Set of storages by identity. */
  static Set<Storage> storages() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }
}
