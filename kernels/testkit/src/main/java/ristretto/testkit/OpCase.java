package ristretto.testkit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;

/**
 * Test case of one operation, with its oracle and tolerance. The type F32 stands for any dtype in
 * the types of expressions here; the dtype objects are the actual ones.
 *
 * @param ours the operation on expressions
 * @param oracle the operation on arrays of doubles, whose operands are rounded to the dtype
 */
record OpCase(
    String name,
    List<DType<?>> dtypes,
    Domain domain,
    Tolerance tolerance,
    int arity,
    Function<List<Expr<F32>>, Expr<?>> ours,
    Function<List<Nd>, Nd> oracle) {

  /** Sets of values that operands are drawn from. */
  enum Domain {
    /** Values around zero, some large, some tiny; for integers too. */
    ANY,
    /** Values of ANY, and NaN, infinities, zeros of both signs. */
    SPECIAL,
    /** Values greater than zero. */
    POSITIVE,
    /** Values between -1 and 1. */
    UNIT,
    /** Whole numbers from -8 to 8. */
    SMALL,
    /** Values of SMALL, and occasionally NaN, an infinity or a negative zero. */
    SPARSE,
    /** Values near 1, such that a product of a thousand neither overflows nor underflows. */
    NEAR_ONE,
    /** Values 0 and 1. */
    FLAG
  }

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

  /**
   * Checks operands of one shape.
   *
   * @param layouts layouts of the operands, repeated as needed
   */
  Worst check(Context ctx, DType<?> dtype, long[] shape, List<TensorLayout> layouts) {
    return check(ctx, dtype, layouts, Collections.nCopies(arity, shape));
  }

  /**
   * Checks operands of given shapes.
   *
   * @param layouts layouts of the operands, repeated as needed
   * @param shapes shapes of the operands
   */
  Worst check(Context ctx, DType<?> dtype, List<TensorLayout> layouts, List<long[]> shapes) {
    return new OpGroup(List.of(this)).check(ctx, dtype, layouts, shapes);
  }

  /** Creates operands of these shapes and layouts; adds their contents to {@code values}. */
  @SuppressWarnings("unchecked")
  List<Expr<F32>> operands(
      Context ctx,
      DType<?> dtype,
      List<TensorLayout> layouts,
      List<long[]> shapes,
      List<Nd> values) {
    var tensors = new ArrayList<Expr<F32>>();
    for (int k = 0; k < arity; k++) {
      TensorLayout layout = layouts.get(k % layouts.size());
      Nd v = layout.values(NdTensors.round(dtype, random(shapes.get(k), dtype, k + 1)));
      values.add(v);
      tensors.add((Tensor<F32>) layout.tensor(ctx, dtype, v));
    }
    return tensors;
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
