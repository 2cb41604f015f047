package ristretto.kernels.source;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import ristretto.kernels.ir.Operand;

/**
 * Operands of which a work item accesses several adjacent elements of the last dimension at once.
 * These operands are contiguous along that dimension and aligned to the vector width.
 */
final class Vectors {
  /** Vector size in bytes. */
  private static final int BYTES = 16;

  /** Elements per vector; 1 if vectors have no benefit. */
  final int width;

  private final Set<Operand.Memory> whole;

  private Vectors(int width, Set<Operand.Memory> whole) {
    this.width = width;
    this.whole = whole;
  }

  /**
   * Chooses the vector width and the operands that are accessed in vectors.
   *
   * @param full the kernel's own extents
   * @param stores stores that run for every element; either all of them are vectors or none
   */
  static Vectors of(Space space, long[] full, List<Operand> inputs, List<Operand.Memory> stores) {
    var single = new Vectors(1, Set.of());
    if (space.extents.length == 0) {
      return single;
    }
    var near = new HashSet<Operand.Memory>();
    for (Operand operand : inputs) {
      if (operand instanceof Operand.Memory m && near(space, full, m)) {
        near.add(m);
      }
    }
    if (!stores.stream().allMatch(m -> near(space, full, m))) {
      return single;
    }
    near.addAll(stores);
    int widest = near.stream().mapToInt(m -> m.storage().bytes()).max().orElse(BYTES);
    int width = BYTES / widest;
    while (width > 1 && space.extents[space.extents.length - 1] % width != 0) {
      width /= 2;
    }
    int chosen = width;
    var whole = new HashSet<Operand.Memory>();
    near.stream().filter(m -> aligned(space, m, chosen)).forEach(whole::add);
    boolean useful = 2 * whole.size() > near.size() && whole.containsAll(stores);
    return useful && width > 1 ? new Vectors(width, whole) : single;
  }

  private static boolean near(Space space, long[] full, Operand.Memory m) {
    long[] strides = space.strides(m.map());
    return m.gather().isEmpty()
        && strides[strides.length - 1] == 1
        && m.bounds().stream().noneMatch(b -> Space.excludes(b, full[b.dim()]));
  }

  private static boolean aligned(Space space, Operand.Memory m, int width) {
    long[] strides = space.strides(m.map());
    boolean aligned = m.map().offset() % width == 0;
    for (int d = 0; d < strides.length - 1; d++) {
      aligned &= strides[d] % width == 0;
    }
    return aligned;
  }

  /** Returns true if this operand is accessed in vectors of {@link #width} elements. */
  boolean covers(Operand operand) {
    return operand instanceof Operand.Memory m && whole.contains(m);
  }
}
