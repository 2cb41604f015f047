package ristretto.expr;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Two rounds of assignments that do the same, apart from where their operands lie: those of the
 * second one may be further on. Memory that a round writes and has not made is further on by the
 * same distance wherever the round touches it, so that nothing overlaps in one round that does not
 * in another.
 */
final class Alike {
  /** Distances of different operands in one piece of memory. */
  private static final long SEVERAL = Long.MIN_VALUE;

  private final Set<Storage> madeBefore;
  private final Set<Storage> made;
  private final Map<Expr<?>, Expr<?>> before = new IdentityHashMap<>();
  private final Map<Storage, Storage> storages = new IdentityHashMap<>();
  private final Map<Tensor<?>, Long> tensors = new IdentityHashMap<>();
  private final Map<Storage, Long> distances = new IdentityHashMap<>();
  private final List<Long> further = new ArrayList<>();

  private Alike(Set<Storage> madeBefore, Set<Storage> made) {
    this.madeBefore = madeBefore;
    this.made = made;
  }

  /**
   * Compares two rounds.
   *
   * @return null if they differ
   */
  static Alike of(
      List<Recorder.Assigned> before,
      Set<Storage> madeBefore,
      List<Recorder.Assigned> now,
      Set<Storage> made) {
    var both = new Alike(madeBefore, made);
    return both.same(before, now) ? both : null;
  }

  /** How much further on each operand is, in the order in which they are found. */
  List<Long> further() {
    return further;
  }

  /** The same by tensors of the second round. */
  Map<Tensor<?>, Long> tensors() {
    return tensors;
  }

  private boolean same(List<Recorder.Assigned> a, List<Recorder.Assigned> b) {
    if (a.size() != b.size() || madeBefore.size() != made.size()) {
      return false;
    }
    for (int k = 0; k < a.size(); k++) {
      List<Pair<?>> old = a.get(k).pairs();
      List<Pair<?>> fresh = b.get(k).pairs();
      if (a.get(k).fresh() != b.get(k).fresh()
          || a.get(k).inPlace() != b.get(k).inPlace()
          || old.size() != fresh.size()) {
        return false;
      }
      for (int p = 0; p < old.size(); p++) {
        if (!same(old.get(p).target(), fresh.get(p).target())
            || !same(old.get(p).expr(), fresh.get(p).expr())) {
          return false;
        }
      }
    }
    for (Recorder.Assigned assigned : b) {
      for (Pair<?> p : assigned.pairs()) {
        if (distances.get(p.target().storage()) == SEVERAL) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean same(Expr<?> a, Expr<?> b) {
    Expr<?> known = before.get(b);
    if (known != null) {
      return known == a;
    }
    before.put(b, a);
    if (a.getClass() != b.getClass()
        || a.dtype() != (Object) b.dtype()
        || !a.shape().equals(b.shape())) {
      return false;
    }
    if (b instanceof Tensor<?> to && a instanceof Tensor<?> from) {
      if (from.isCopy() != to.isCopy()) {
        return false;
      }
      if (!to.isCopy()) {
        return sameTensor(from, to);
      }
    }
    if (a.inputs().size() != b.inputs().size()
        || a != b && !(a.key().equals(b.key()) && numbers(a).equals(numbers(b)))) {
      return false;
    }
    for (int k = 0; k < a.inputs().size(); k++) {
      if (!same(a.inputs().get(k), b.inputs().get(k))) {
        return false;
      }
    }
    return true;
  }

  private boolean sameTensor(Tensor<?> a, Tensor<?> b) {
    IndexMap from = a.layout().map();
    IndexMap to = b.layout().map();
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
    further.add(distance);
    tensors.put(b, distance);
    distances.merge(b.storage(), distance, (x, y) -> x.equals(y) ? x : (Long) SEVERAL);
    return true;
  }

  private static List<Object> numbers(Expr<?> e) {
    var all = new ArrayList<Object>();
    e.scalars(
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
