package ristretto.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.DType;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Tensor;

/**
 * One operation, its oracle and how close both must be: {@link #check} tries it on every dtype,
 * layout and shape. F32 stands for any dtype in the types of expressions here; the dtype objects
 * tell the truth.
 *
 * @param ours the operation on expressions
 * @param oracle the operation on arrays of doubles, given the operands as their dtype rounds them
 */
record OpCase(
    String name,
    List<DType<?>> dtypes,
    Domain domain,
    Tolerance tolerance,
    int arity,
    Function<List<Expr<F32>>, Expr<?>> ours,
    Function<List<Nd>, Nd> oracle) {

  /** Where operands are taken from. */
  enum Domain {
    /** Around zero, some large, some tiny; integers too. */
    ANY,
    /** ANY and NaN, infinities, zeros of both signs. */
    SPECIAL,
    /** Greater than zero. */
    POSITIVE,
    /** Between -1 and 1. */
    UNIT,
    /** Whole numbers from -8 to 8. */
    SMALL,
    /** SMALL, and now and then NaN, an infinity or a negative zero. */
    SPARSE,
    /** Of a product of a thousand that neither over- nor underflows. */
    NEAR_ONE,
    /** 0 and 1. */
    FLAG
  }

  private static final List<long[]> SHAPES =
      List.of(
          new long[] {},
          new long[] {1},
          new long[] {17},
          new long[] {5, 5},
          new long[] {2, 3, 4},
          new long[] {2, 1, 3, 5},
          new long[] {0},
          new long[] {3, 0, 2},
          new long[] {1, 4},
          new long[] {1027});

  private static final double[] SPECIALS = {
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    0.0,
    -0.0,
    1,
    -1,
    0.5,
    1e-40,
    1e30,
    -1e30,
    88,
    89
  };

  private static final double[] SPARSE = {
    Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0
  };

  @Override
  public String toString() {
    return name;
  }

  /** Every dtype with every shape, and every layout of a square. */
  void check(Context ctx) {
    for (DType<?> dtype : dtypes) {
      for (long[] shape : SHAPES) {
        check(ctx, dtype, shape, List.of(TensorLayout.CONTIGUOUS));
      }
      checkLayouts(ctx, dtype);
    }
  }

  /** The first dtype, every layout. */
  void checkLayouts(Context ctx) {
    checkLayouts(ctx, dtypes.getFirst());
  }

  private void checkLayouts(Context ctx, DType<?> dtype) {
    for (TensorLayout layout : TensorLayout.values()) {
      check(ctx, dtype, new long[] {6, 6}, List.of(layout));
      check(
          ctx,
          dtype,
          new long[] {3, 4, 5},
          List.of(layout, TensorLayout.TRANSPOSED, TensorLayout.FLIPPED));
    }
  }

  /**
   * @param layouts of the operands, repeated as needed
   */
  double check(Context ctx, DType<?> dtype, long[] shape, List<TensorLayout> layouts) {
    return check(ctx, dtype, layouts, Collections.nCopies(arity, shape));
  }

  /**
   * @param layouts of the operands, repeated as needed
   * @param shapes of the operands
   * @return as {@link Tolerance#check}
   */
  @SuppressWarnings("unchecked")
  double check(Context ctx, DType<?> dtype, List<TensorLayout> layouts, List<long[]> shapes) {
    var values = new ArrayList<Nd>();
    var tensors = new ArrayList<Expr<F32>>();
    for (int k = 0; k < arity; k++) {
      TensorLayout layout = layouts.get(k % layouts.size());
      Nd v = layout.values(NdTensors.round(dtype, random(shapes.get(k), dtype, k + 1)));
      values.add(v);
      tensors.add((Tensor<F32>) layout.tensor(ctx, dtype, v));
    }
    Expr<?> expr = ours.apply(tensors);
    Nd actual = NdTensors.read(ctx.eval(expr));
    return tolerance.check(
        expr.dtype(),
        oracle.apply(values),
        actual,
        () ->
            name
                + " of "
                + dtype
                + shapes.stream().map(Arrays::toString).toList()
                + " "
                + layouts
                + " on "
                + ctx.device()
                + inputs(values));
  }

  private static String inputs(List<Nd> values) {
    String text = values.toString();
    return "\noperands: " + (text.length() > 800 ? text.substring(0, 800) + " ..." : text);
  }

  private Nd random(long[] shape, DType<?> dtype, long seed) {
    var random = new Random(seed);
    return Nd.build(shape, _ -> value(random, dtype));
  }

  private double value(Random random, DType<?> dtype) {
    boolean integer = !dtype.isFloat();
    return switch (domain) {
      case SMALL -> random.nextInt(-8, 9);
      case SPARSE -> {
        boolean special = !integer && random.nextInt(40) == 0;
        yield special ? SPARSE[random.nextInt(SPARSE.length)] : random.nextInt(-8, 9);
      }
      case NEAR_ONE -> integer ? nearOne(random) : Math.exp(random.nextGaussian() * 0.02);
      case FLAG -> random.nextInt(2);
      case UNIT -> random.nextDouble() * 2 - 1;
      case POSITIVE -> integer ? 1 + random.nextInt(50) : Math.exp(random.nextGaussian() * 3);
      case SPECIAL -> {
        boolean special = !integer && random.nextInt(3) == 0;
        yield special ? SPECIALS[random.nextInt(SPECIALS.length)] : any(random, integer);
      }
      case ANY -> any(random, integer);
    };
  }

  private static double nearOne(Random random) {
    int k = random.nextInt(200);
    return k < 2 ? 2 : k < 4 ? -1 : 1;
  }

  private static double any(Random random, boolean integer) {
    if (integer) {
      return random.nextInt(-100, 100);
    }
    return random.nextInt(4) == 0 ? random.nextGaussian() * 1e-3 : random.nextGaussian() * 4;
  }
}
