package ristretto.expr.program;

import java.lang.ref.WeakReference;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.memory.Storage;
import ristretto.expr.plan.ExprKey;

/**
 * Repetition of the assignment of one expression object to one target, without a lookup by
 * structure. Keeps neither the expression nor its operands alive.
 */
public final class Replay {
  private final WeakReference<Term> expr;
  private final WeakReference<StorageView> target;
  private final CompiledPlan plan;

  /** Bound storages by argument; null for the storage of the target. */
  private final WeakReference<Storage>[] storages;

  private final long[] scalars;

  public Replay(StorageView target, Term expr, CompiledPlan plan, ExprKey key) {
    this.expr = new WeakReference<>(expr);
    this.target = new WeakReference<>(target);
    this.plan = plan;
    @SuppressWarnings({"unchecked", "rawtypes"})
    WeakReference<Storage>[] all = new WeakReference[key.storageCount()];
    for (int k = 0; k < all.length; k++) {
      Storage s = key.storage(k);
      all[k] = s == target.storage() ? null : new WeakReference<>(s);
    }
    this.storages = all;
    this.scalars = key.copyScalars();
  }

  public boolean fits(StorageView to, Term e) {
    return expr.refersTo(e) && target.refersTo(to);
  }

  public int kernels() {
    return plan.kernels();
  }

  /**
   * Sets the arguments of the plan; the caller keeps the expression, and so its operands,
   * reachable.
   */
  public CompiledPlan bind(StorageView to) {
    for (int k = 0; k < storages.length; k++) {
      plan.bind(k, storages[k] == null ? to.storage() : storages[k].get());
    }
    return plan.bind(scalars);
  }
}
