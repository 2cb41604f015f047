package ristretto.symbolic.state;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;

/**
 * Storage format of values and gradients between operators: their own dtype, or F16 or BF16 for F32
 * (mixed precision, Micikevicius et al., 2018). F16 overflows above 65504 and underflows near 6e-8,
 * so the loss is multiplied by a scale before the backward pass; the scale halves if a gradient is
 * not finite, and doubles after many finite steps.
 */
public final class Precision {
  private static final double FIRST_SCALE = 65_536;
  private static final double LARGEST_SCALE = 16_777_216;
  private static final int STEPS_TO_GROW = 2_000;

  private final Context ctx;

  /** Narrow dtype; null without mixed precision. */
  private final DType<?> narrow;

  /** Loss scale; null without loss scaling. */
  private final Tensor<F32> scale;

  /** Number of steps since the scale has changed. */
  private final Tensor<I32> steady;

  /**
   * True if outputs of the executor are rounded to the narrow dtype too, to find the operator that
   * overflows.
   */
  private final boolean strict;

  /** Expressions that read a value stored in the narrow dtype. */
  private final Set<Expr<?>> kept = Collections.newSetFromMap(new IdentityHashMap<>());

  private Precision(Context ctx, DType<?> narrow, Precision like) {
    this.ctx = ctx;
    this.narrow = narrow;
    this.strict = like != null;
    if (narrow != (Object) Ops.F16) {
      scale = null;
      steady = null;
    } else if (like != null) {
      scale = like.scale;
      steady = like.steady;
    } else {
      scale = ctx.full(Ops.F32, FIRST_SCALE);
      steady = ctx.zeros(Ops.I32);
    }
  }

  /** Returns full precision: values keep their dtype. */
  public static Precision full(Context ctx) {
    return new Precision(ctx, null, null);
  }

  public static Precision mixed(Context ctx, DType<?> narrow) {
    if (narrow != (Object) Ops.F16 && narrow != (Object) Ops.BF16) {
      throw new ShapeException(
          "[mixedPrecision] the narrow dtype must be F16 or BF16; got " + narrow + ".");
    }
    return new Precision(ctx, narrow, null);
  }

  /** Returns this precision with outputs rounded too. */
  public Precision strict() {
    return new Precision(ctx, narrow, this);
  }

  /** Returns the tensors that persist between runs. */
  public List<Checkpoint.Named> tensors() {
    return scale == null
        ? List.of()
        : List.of(
            new Checkpoint.Named("executor/scale", "the scale of gradients", scale),
            new Checkpoint.Named("executor/steady", "steps of one scale", steady));
  }

  /** Stores a value in memory, in the narrow dtype if it is F32. */
  @SuppressWarnings("unchecked")
  public <T> Expr<T> keep(Expr<T> value) {
    if (isKept(value)) {
      return value;
    }
    if (narrow == null || value.dtype() != (Object) Ops.F32) {
      return ctx.eval(value);
    }
    var wide = (Expr<T>) ctx.eval(value.cast(narrow)).cast(Ops.F32);
    kept.add(wide);
    return wide;
  }

  /** Returns true if a value is in memory already. */
  boolean isKept(Expr<?> value) {
    return value instanceof Tensor || kept.contains(value);
  }

  /** Stores an output of the executor. */
  @SuppressWarnings("unchecked")
  public <T> Tensor<T> output(Expr<T> value) {
    boolean rounded = strict && narrow != null && value.dtype() == (Object) Ops.F32;
    return lasting(rounded ? (Expr<T>) value.cast(narrow).cast(Ops.F32) : value);
  }

  /** Stores a value in memory that lasts until the next run. */
  public <T> Tensor<T> lasting(Expr<T> value) {
    Tensor<T> t = ctx.lasting(value.dtype(), value.shape());
    ctx.assign(t, value);
    return t;
  }

  /** Returns the gradient of the loss with respect to itself: 1, times the loss scale. */
  public <T> Expr<T> first(DType<T> dtype, long... dims) {
    Expr<T> one = Ops.fill(dtype, 1, dims);
    return scale == null ? one : one.times(scale.cast(dtype));
  }

  /** Divides a gradient by the loss scale. */
  public <T> Expr<T> unscaled(Expr<T> gradient) {
    return scale == null || gradient == null
        ? gradient
        : gradient.times(Ops.reciprocal(scale).cast(gradient.dtype()));
  }

  /** Returns true if gradients are scaled and may overflow. */
  public boolean scales() {
    return scale != null;
  }

  /**
   * Adapts the loss scale after a step: halves after an overflow, doubles after many steps without.
   */
  void adapt(Expr<BOOL> sound) {
    Expr<I32> longer = steady.plus(1);
    Expr<BOOL> grows = sound.and(longer.ge(STEPS_TO_GROW));
    Expr<F32> larger = Ops.where(grows, Ops.min(scale.times(2), LARGEST_SCALE), scale);
    ctx.assignAll(
        Pair.of(scale, Ops.where(sound, larger, Ops.max(scale.times(0.5), 1.0))),
        Pair.of(steady, Ops.where(sound.and(grows.not()), longer, 0)));
  }

  /** Forgets the stored values, after a recording. */
  public void forget() {
    kept.clear();
  }
}
