package ristretto.expr.index;

import ristretto.kernels.ir.Longs;

/**
 * Linked list of view operations to apply, innermost first; null is the empty chain. Equality is by
 * content.
 */
public final class ViewChain {
  public final ViewOp op;
  public final ViewChain next;
  private final int hash;
  private final int length;

  public ViewChain(ViewOp op, ViewChain next) {
    this.op = op;
    this.next = next;
    this.hash = op.hashCode() + (next == null ? 0 : 31 * next.hash);
    this.length = 1 + length(next);
  }

  /** Applies the whole chain to a map; null if a reshape has no affine map. */
  public static IndexMap apply(ViewChain chain, IndexMap map) {
    for (ViewChain c = chain; c != null && map != null; c = c.next) {
      map = c.op.apply(map);
    }
    return map;
  }

  /** Applies a chain and then another chain to a map; null if a reshape has no affine map. */
  public static IndexMap apply(ViewChain chain, ViewChain then, IndexMap map) {
    IndexMap own = apply(chain, map);
    return own == null ? null : apply(then, own);
  }

  /** Number of operations in a chain. */
  public static int length(ViewChain chain) {
    return chain == null ? 0 : chain.length;
  }

  /** Returns {@code chain} preceded by a broadcast from {@code from} to {@code to}. */
  public static ViewChain expanding(Longs from, Longs to, ViewChain chain) {
    return from.equals(to) ? chain : new ViewChain(new ViewOp.Expand(to), chain);
  }

  @Override
  public boolean equals(Object o) {
    return this == o
        || o instanceof ViewChain c
            && hash == c.hash
            && op.equals(c.op)
            && (next == null ? c.next == null : next.equals(c.next));
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
