package ristretto.expr;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Reduction over axes, kept with extent 1. Fuses with its producers and readers in a row kernel.
 */
final class Reduce<T> extends LExpr<T> {
  private record Key(Reduction.Kind kind, Longs axes, Optional<Tape> combine, long identity) {}

  private final Key key;
  private final boolean[] reduced;

  private Reduce(DType<T> dtype, Shape shape, Expr<?> input, Key key, boolean[] reduced) {
    super(dtype, shape, input);
    this.key = key;
    this.reduced = reduced;
  }

  /**
   * Creates a reduction.
   *
   * @param axes axes to reduce; all if empty
   */
  static <T> Reduce<T> of(
      Reduction.Kind kind,
      DType<T> result,
      Expr<?> input,
      Optional<Tape> combine,
      long identity,
      int... axes) {
    Shape from = input.shape();
    boolean[] reduced = new boolean[from.rank()];
    Arrays.fill(reduced, axes.length == 0);
    String op = kind.name().toLowerCase(java.util.Locale.ROOT);
    for (int axis : axes) {
      int d = from.axis(axis, op);
      if (reduced[d]) {
        throw new ShapeException(
            "["
                + op
                + "] axes must be distinct; got "
                + Arrays.toString(axes)
                + " for shape "
                + from);
      }
      reduced[d] = true;
    }
    long[] dims = from.toArray();
    int count = 0;
    for (int d = 0; d < dims.length; d++) {
      if (reduced[d]) {
        dims[d] = 1;
        count++;
      }
    }
    long[] resolved = new long[count];
    for (int d = dims.length - 1; d >= 0; d--) {
      if (reduced[d]) {
        resolved[--count] = d;
      }
    }
    var key = new Key(kind, Longs.of(resolved), combine, identity);
    return new Reduce<>(result, Shape.of(dims), input, key, reduced);
  }

  /** Shape without the reduced axes. */
  Shape dropped() {
    return Shape.of(pick(false));
  }

  private long[] pick(boolean which) {
    Shape from = inputs().get(0).shape();
    long[] dims = new long[reduced.length];
    int n = 0;
    for (int d = 0; d < reduced.length; d++) {
      if (reduced[d] == which) {
        dims[n++] = from.at(d);
      }
    }
    return Arrays.copyOf(dims, n);
  }

  /** Returns true for a column reduction: all kept axes follow the reduced ones. */
  boolean isOfColumns() {
    Shape from = inputs().get(0).shape();
    boolean kept = false;
    for (int d = 0; d < reduced.length; d++) {
      if (from.at(d) != 1) {
        if (kept && reduced[d]) {
          return false;
        }
        kept |= !reduced[d];
      }
    }
    return kept;
  }

  long[] reducedDims() {
    return pick(true);
  }

  long reducedSize() {
    return Longs.of(reducedDims()).product();
  }

  /** Permutation of the input with the kept axes first, then the reduced axes, each in order. */
  ViewOp.Permute keptThenReduced() {
    Shape from = inputs().get(0).shape();
    long[] axes = new long[reduced.length];
    long[] dims = new long[reduced.length];
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
      for (int d = 0; d < reduced.length; d++) {
        if (reduced[d] == (pass == 1)) {
          axes[n] = d;
          dims[n++] = from.at(d);
        }
      }
    }
    return new ViewOp.Permute(Longs.of(axes), Longs.of(dims));
  }

  Reduction reduction(ScalarType operand, int output) {
    return new Reduction(key.kind, operand, output, key.combine, key.identity);
  }

  Form described() {
    return new Form.Reduction(word(), Forms.axes(key.axes));
  }

  @Override
  protected Object key() {
    return key;
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    if (!inputs().get(0).dtype().isFloat() || !dtype().isFloat()) {
      return Collections.singletonList(null);
    }
    @SuppressWarnings("unchecked")
    var x = (Expr<T>) inputs().get(0);
    int[] axes = Arrays.stream(key.axes.toArray()).mapToInt(Math::toIntExact).toArray();
    Expr<T> wide = dy.expand(x.shape().toArray());
    return switch (key.kind) {
      case SUM, ROW_SUM -> List.of(wide);
      case MAX, MIN -> {
        // Equal extremes share the gradient equally.
        Expr<T> here = x.eq(this).cast(dtype());
        yield List.of(wide.times(here).div(ReductionOps.sum(here, axes).keepDims()));
      }
      case PROD -> List.of(wide.times(productOfOthers(x, axes)));
      case ANY, ALL, ARGMAX, ARGMIN -> Collections.singletonList(null);
      case LAMBDA -> throw Gradients.missing(this);
    };
  }

  /** Product of all other elements of the group, for each element; correct for zeros. */
  private Expr<T> productOfOthers(Expr<T> x, int... axes) {
    Expr<T> zero = Scalars.literal(dtype(), 0);
    Expr<T> one = Scalars.literal(dtype(), 1);
    Expr<BOOL> isZero = x.eq(zero);
    Expr<T> zeros = ReductionOps.sum(isZero.cast(dtype()), axes).keepDims();
    Expr<T> others = Ops.where(isZero, one, x);
    Expr<T> rest = ReductionOps.prod(others, axes).keepDims();
    Expr<T> atZero = Ops.where(zeros.eq(one), rest.expand(x.shape().toArray()), zero);
    return Ops.where(isZero, atZero, Ops.where(zeros.eq(zero), rest.div(others), zero));
  }

  /** Plans the reduction through {@link Assignment}, which makes a row kernel. */
  @Override
  protected void execute(Assignment assignment, LValue<T> target) {
    assignment.assign(target, new Reduced<>(this, shape()));
  }

  @Override
  public String toString() {
    return word() + " over " + key.axes;
  }

  private String word() {
    Reduction.Kind kind = key.kind == Reduction.Kind.ROW_SUM ? Reduction.Kind.SUM : key.kind;
    return kind.name().toLowerCase(java.util.Locale.ROOT);
  }
}
