package ristretto.expr;

import java.lang.ref.WeakReference;

/**
 * Repeatable assignment, kept by the expression object, so that assigning a prebuilt expression
 * again needs no lookup in the plan cache. Immutable; holds the target weakly.
 */
final class Replay {
  /** Marker of an expression that was assigned once before. */
  static final Replay NONE = new Replay();

  private final Context context;
  private final WeakReference<Tensor<?>> target;
  private final Prepared plan;
  private final Storage[] storages;
  private final long[] scalars;

  private Replay() {
    context = null;
    target = new WeakReference<>(null);
    plan = null;
    storages = null;
    scalars = null;
  }

  Replay(Context context, Tensor<?> target, Prepared plan, ExprKey key) {
    this.context = context;
    this.target = new WeakReference<>(target);
    this.plan = plan;
    this.storages = key.copyStorages();
    this.scalars = key.copyScalars();
    // The expression must not keep the target's memory alive.
    for (int k = 0; k < storages.length; k++) {
      storages[k] = storages[k] == target.storage() ? null : storages[k];
    }
  }

  boolean fits(Context other, Tensor<?> to) {
    return context == other && target.refersTo(to);
  }

  int kernels() {
    return plan.kernels();
  }

  void run(Tensor<?> to) {
    plan.run(context, storages, to.storage(), scalars);
  }
}
