package ristretto.symbolic.layers;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.DType;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Variable;

/** Positional encodings. */
public abstract class PositionLayers extends ResizeLayers {
  /** Scale that leaves 12 bits of an exponent's step: products with numbers to 4096 are exact. */
  private static final double LEADING = 1 << 12;

  PositionLayers() {}

  /**
   * Rotary position embedding (Su et al., 2021) of queries or keys, as in Llama and GPT-NeoX:
   * rotates element {@code i} of the first half of the width together with element {@code i} of the
   * second half by the angle {@code t base^(-2 i / width)} at time step {@code t}.
   *
   * @param v {@code [..., steps, width]}, with an even width
   * @param base ratio of the longest to the shortest wavelength, usually 10,000
   * @return {@code [..., steps, width]}
   */
  public static <T> Variable<T> rotary(Variable<T> v, double base) {
    long width = rotaryWidth(v, base);
    return apply(
        "rotary",
        v.dtype(),
        x -> {
          Expr<T> a = x.get(v);
          return rotated(a, steps(a.shape()), width, base);
        },
        v);
  }

  /**
   * Rotary position embedding with given time steps, for example of rows that continue a sequence
   * of cached keys.
   *
   * @param v {@code [..., steps, width]}, with an even width
   * @param base ratio of the longest to the shortest wavelength, usually 10,000
   * @param positions time step of each row; broadcasts to {@code [..., steps]}
   * @return {@code [..., steps, width]}
   */
  public static <T> Variable<T> rotary(Variable<T> v, double base, Variable<I32> positions) {
    long width = rotaryWidth(v, base);
    return apply(
        "rotary",
        v.dtype(),
        x -> {
          Expr<T> a = x.get(v);
          long[] rows = a.shape().extents();
          rows[rows.length - 1] = 1;
          Expr<I64> steps = x.get(positions).cast(Ops.I64).unsqueeze(-1);
          return rotated(a, steps.expand(rows), width, base);
        },
        v,
        positions);
  }

  private static long rotaryWidth(Variable<?> v, double base) {
    long width = v.dims().rank() < 2 ? Dims.UNKNOWN : v.dims().at(-1);
    if (width < 2 || width % 2 != 0) {
      throw new ShapeException(
          "[rotary] the input must be [..., steps, width] with a known even width; got " + v + ".");
    }
    if (!(base > 1) || Double.isInfinite(base)) {
      throw new ShapeException("[rotary] the base must be finite and above 1; got " + base + ".");
    }
    return width;
  }

  private static <T> Expr<T> rotated(Expr<T> a, Expr<I64> steps, long width, double base) {
    Expr<I64> pair = Ops.coordinate(Shape.of(width / 2), 0);
    Expr<T> angle = angles(a.dtype(), steps, pair, 2 * Math.log(base) / width);
    Expr<T> cos = Ops.cos(angle);
    Expr<T> sin = Ops.sin(angle);
    List<Expr<T>> halves = Ops.split(a, 2, -1);
    Expr<T> first = halves.get(0);
    Expr<T> second = halves.get(1);
    return Ops.concat(
        -1, first.times(cos).minus(second.times(sin)), second.times(cos).plus(first.times(sin)));
  }

  /**
   * Sinusoidal position encodings (Vaswani et al., 2017) for a sequence, to be added to the
   * sequence: {@code sin(t 10000^(-2 i / width))} in column {@code 2 i} of time step {@code t}, the
   * cosine of the same angle in column {@code 2 i + 1}.
   *
   * <pre>{@code
   * Variable<F32> y = v.plus(sinusoidal(v));
   * }</pre>
   *
   * @param v {@code [..., steps, width]}; its values are not read
   * @return {@code [steps, width]}
   */
  public static <T> Variable<T> sinusoidal(Variable<T> v) {
    long width = v.dims().rank() < 2 ? Dims.UNKNOWN : v.dims().at(-1);
    if (width < 1) {
      throw new ShapeException(
          "[sinusoidal] the input must be [..., steps, width] with a known width; got " + v + ".");
    }
    return apply(
        "sinusoidal",
        v.dtype(),
        x -> {
          Expr<I64> column = Ops.coordinate(Shape.of(width), 0);
          Expr<I64> odd = column.rem(2);
          Expr<I64> pair = column.minus(odd).div(2);
          Expr<I64> steps = steps(x.get(v).shape());
          Expr<T> angle = angles(v.dtype(), steps, pair, 2 * Math.log(10_000) / width);
          return Ops.where(odd.eq(0), Ops.sin(angle), Ops.cos(angle));
        },
        v);
  }

  /** Returns the time steps of a sequence {@code [..., steps, width]}, {@code [steps, 1]}. */
  private static Expr<I64> steps(Shape shape) {
    return Ops.coordinate(Shape.of(shape.at(shape.rank() - 2), 1), 0);
  }

  /**
   * Returns {@code steps exp(-pair decay)}. The product in the exponent is split into an exact part
   * and a small rest, since the rounding of a large exponent would be multiplied by the time step.
   */
  private static <T> Expr<T> angles(DType<T> dtype, Expr<I64> steps, Expr<I64> pair, double decay) {
    double scale = LEADING / Math.scalb(1.0, Math.getExponent(decay) + 1);
    double leading = Math.rint(decay * scale) / scale;
    Expr<T> k = pair.cast(dtype);
    Expr<T> frequency = Ops.exp(k.times(-leading)).times(Ops.exp(k.times(leading - decay)));
    return steps.cast(dtype).times(frequency);
  }
}
