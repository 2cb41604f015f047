package ristretto.expr.recording;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.formula.ScalarSink;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.index.IndexMap;
import ristretto.expr.memory.Storage;
import ristretto.expr.type.DType;

/**
 * Motion of operands between two iterations of a loop: the distance from each tensor of the first
 * iteration to the tensor in its place in the second.
 *
 * <p>Memory that an iteration writes and has not made moves by one distance wherever the iteration
 * accesses it, so that accesses overlap in each iteration alike.
 */
final class LoopMotion {
  /** Distance of storages that are accessed at several distances. */
  private static final long SEVERAL = Long.MIN_VALUE;

  private final Set<Storage> madeBefore;
  private final Set<Storage> made;
  private final Map<Term, Term> before = new IdentityHashMap<>();
  private final Map<Storage, Storage> storages = new IdentityHashMap<>();

  /** Distance by tensor of the first iteration. */
  private final Map<StorageView, Long> tensors = new IdentityHashMap<>();

  private final Map<Storage, Long> byStorage = new IdentityHashMap<>();

  /** Distances in the order in which the tensors are found. */
  private final List<Long> distances = new ArrayList<>();

  private LoopMotion(Set<Storage> madeBefore, Set<Storage> made) {
    this.madeBefore = madeBefore;
    this.made = made;
  }

  /**
   * Compares two iterations.
   *
   * @param madeBefore memory made by the first iteration
   * @param made memory made by the second iteration
   * @return null if the iterations differ in more than distances
   */
  static LoopMotion between(
      List<Recorder.Assigned> before,
      Set<Storage> madeBefore,
      List<Recorder.Assigned> now,
      Set<Storage> made) {
    var motion = new LoopMotion(madeBefore, made);
    return motion.same(before, now) ? motion : null;
  }

  /** Distances of all operands, in the order of their reads. */
  List<Long> distances() {
    return distances;
  }

  /** Returns a tensor of the first iteration with its motion. */
  StorageView moving(StorageView t) {
    long distance = tensors.getOrDefault(t, 0L);
    return distance == 0 ? t : t.with(t.map().moving(distance));
  }

  private boolean same(List<Recorder.Assigned> a, List<Recorder.Assigned> b) {
    if (a.size() != b.size() || madeBefore.size() != made.size()) {
      return false;
    }
    for (int k = 0; k < a.size(); k++) {
      List<Update> old = a.get(k).pairs();
      List<Update> fresh = b.get(k).pairs();
      if (a.get(k).fresh() != b.get(k).fresh()
          || a.get(k).inPlace() != b.get(k).inPlace()
          || old.size() != fresh.size()) {
        return false;
      }
      for (int p = 0; p < old.size(); p++) {
        if (!sameMemory(old.get(p).target(), fresh.get(p).target())
            || !same(old.get(p).expr(), fresh.get(p).expr())) {
          return false;
        }
      }
    }
    for (Recorder.Assigned assigned : b) {
      for (Update p : assigned.pairs()) {
        if (byStorage.get(p.target().storage()) == SEVERAL) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean same(Term a, Term b) {
    Term known = before.get(b);
    if (known != null) {
      return known == a;
    }
    before.put(b, a);
    if (a.getClass() != b.getClass()
        || a.operation().getClass() != b.operation().getClass()
        || a.dtype() != (Object) b.dtype()
        || !a.shape().equals(b.shape())) {
      return false;
    }
    if (a.memory() != null) {
      return sameMemory(a.memory(), b.memory());
    }
    if (a.operands().size() != b.operands().size()
        || a != b
            && !(a.operation().key(a).equals(b.operation().key(b))
                && numbers(a).equals(numbers(b)))) {
      return false;
    }
    for (int k = 0; k < a.operands().size(); k++) {
      if (!same(a.operand(k), b.operand(k))) {
        return false;
      }
    }
    return true;
  }

  private boolean sameMemory(StorageView a, StorageView b) {
    IndexMap from = a.map();
    IndexMap to = b.map();
    long distance = to.offset - from.offset;
    Storage other = storages.putIfAbsent(b.storage(), a.storage());
    boolean own = made.contains(b.storage());
    if (other != null && other != a.storage()
        || own != madeBefore.contains(a.storage())
        || !own && a.storage() != b.storage()
        || own && distance != 0
        || !to.further(-distance).sameElements(from)
        || from.bounded()
        || to.bounded()) {
      return false;
    }
    Long known = tensors.putIfAbsent(a, distance);
    if (known != null && known != distance) {
      return false;
    }
    distances.add(distance);
    byStorage.merge(b.storage(), distance, (x, y) -> x.equals(y) ? x : (Long) SEVERAL);
    return true;
  }

  private static List<Object> numbers(Term e) {
    var all = new ArrayList<Object>();
    e.operation()
        .scalars(
            e,
            new ScalarSink() {
              @Override
              public void add(DType<?> dtype, double value) {
                all.add(value);
              }

              @Override
              public void add(long value) {
                all.add(value);
              }

              @Override
              public void addBits(DType<?> dtype, long bits) {
                all.add(bits);
              }
            });
    return all;
  }
}
