package ristretto.expr.graph;

import ristretto.expr.formula.Reads;
import ristretto.expr.formula.ScalarSink;

/**
 * Operation of a {@link Term}: a value with equality by content, without operands. A {@link
 * Formula} is inlined into the kernels of its readers, a {@link Barrier} writes its result to
 * memory, and {@link StorageView} is a leaf.
 */
public sealed interface Operation permits Formula, Barrier, StorageView {
  /**
   * Cache key: an object with value equality that covers everything the computed values depend on
   * besides the operands, the dtype, the shape and launch scalars. Terms with equal keys and equal
   * operands share compiled kernels.
   */
  default Object key(Term term) {
    return this;
  }

  /**
   * Adds the launch scalars of a term to {@code sink}: numbers that may differ between launches of
   * one kernel, read by {@link Reads#number}. The key determines their count and dtypes.
   */
  default void scalars(Term term, ScalarSink sink) {}

  /** Name of the operation in explanations. */
  String text(Term term);
}
