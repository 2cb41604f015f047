package ristretto.kernels.cpu.operands;

import java.util.List;
import ristretto.kernels.ir.Operand;

/**
 * Index ranges in which an operand is read, one per dimension; elsewhere the operand is zero.
 * {@link IterationSpace} updates the ranges as it changes the dimensions.
 */
final class Box {
  long[] from;
  long[] to;
  boolean empty;

  private Box(long[] from, long[] to) {
    this.from = from;
    this.to = to;
  }

  /** Intersects {@code bounds} with the extents; null if they exclude nothing. */
  static Box of(List<Operand.Bound> bounds, long[] extents) {
    boolean everything = true;
    for (Operand.Bound b : bounds) {
      everything &= b.from() <= 0 && b.to() >= extents[b.dim()];
    }
    if (everything) {
      return null;
    }
    Box box = new Box(new long[extents.length], extents.clone());
    for (Operand.Bound b : bounds) {
      box.from[b.dim()] = Math.max(box.from[b.dim()], b.from());
      box.to[b.dim()] = Math.min(box.to[b.dim()], b.to());
    }
    for (int d = 0; d < extents.length; d++) {
      box.empty |= box.from[d] >= box.to[d];
    }
    return box;
  }

  boolean limits(int dim, long extent) {
    return from[dim] > 0 || to[dim] < extent;
  }
}
