package ristretto.expr;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.type.I64;
import ristretto.kernels.ShapeException;
import ristretto.kernels.scalar.Op;

/**
 * Splittable key for random numbers: one seed per program, one derived key per draw.
 *
 * <pre>{@code
 * Seed seed = Seed.of(42);
 * List<Seed> parts = seed.split(2);
 * Expr<F32> noise = normal(F32, parts.get(0), 1000);
 * Expr<F32> mask = uniform(F32, parts.get(1).fold(step), 1000);
 * }</pre>
 *
 * <p>Keys are derived from the seed and the folded numbers by the finalizer of SplitMix64 (Steele
 * et al., 2014), with equal bits on every device and in later versions. A key derived from Java
 * numbers is computed on the host; a key derived from an expression, such as a tensor that counts
 * steps, is computed in the kernels that draw.
 */
public final class Seed {
  private static final long FOLD = 0x9E3779B97F4A7C15L;
  private static final long SPLIT = 0xD1B54A32D192ED03L;

  /** Key, if {@link #expression} is null. */
  private final long number;

  /** Key as an expression; null if the key is a Java number. */
  private final Expr<I64> expression;

  private Seed(long number, Expr<I64> expression) {
    this.number = number;
    this.expression = expression;
  }

  /**
   * Creates the key that {@code uniform(dtype, seed, ...)} and the other distributions use for a
   * seed.
   */
  public static Seed of(long seed) {
    return new Seed(seed, null);
  }

  /**
   * Creates a key from an expression of one element, such as a tensor that changes between runs.
   */
  public static Seed of(Expr<I64> seed) {
    if (seed.shape().size() != 1) {
      throw new ShapeException(
          "[Seed] the seed must be one i64 element; got " + seed.label() + ".");
    }
    return new Seed(0, seed.reshape());
  }

  /**
   * Derives a key for the number {@code k}, such as the number of a layer, a step or a data row.
   */
  public Seed fold(long k) {
    return derived(FOLD * (k + 1));
  }

  /** Derives a key for an expression of one element, such as a tensor that counts steps. */
  public Seed fold(Expr<I64> k) {
    if (k.shape().size() != 1) {
      throw new ShapeException("[fold] the number must be one i64 element; got " + k.label() + ".");
    }
    return new Seed(0, mixed(mixed(value()).plus(k.reshape().plus(1).times(FOLD))));
  }

  /**
   * Derives {@code n} keys that are independent of each other, of this key and of its {@link
   * #fold}s.
   */
  public List<Seed> split(int n) {
    if (n < 0) {
      throw new ShapeException("[split] the number of seeds must not be negative; got " + n + ".");
    }
    List<Seed> parts = new ArrayList<>();
    for (long k = 1; k <= n; k++) {
      parts.add(derived(SPLIT * k));
    }
    return List.copyOf(parts);
  }

  private Seed derived(long step) {
    return expression == null
        ? new Seed(mixed(mixed(number) + step), null)
        : new Seed(0, mixed(mixed(expression).plus(step)));
  }

  /** Finalizer of SplitMix64. */
  private static long mixed(long z) {
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  private static Expr<I64> mixed(Expr<I64> z) {
    z = xorShifted(z, 30).times(0xBF58476D1CE4E5B9L);
    z = xorShifted(z, 27).times(0x94D049BB133111EBL);
    return xorShifted(z, 31);
  }

  private static Expr<I64> xorShifted(Expr<I64> z, long bits) {
    return z.xor(Apply.binary(Op.USHR, z, z.number(bits)));
  }

  /** Key as an i64 expression of one element, for the random functions of {@link Ops}. */
  public Expr<I64> value() {
    return expression == null ? Scalars.number(I64.INSTANCE, number) : expression;
  }

  /**
   * Key as a Java number.
   *
   * @throws ShapeException if the key was derived from an expression
   */
  public long number() {
    if (expression != null) {
      throw new ShapeException(
          "[Seed] a seed must be made from Java numbers to have a key; got "
              + expression.label()
              + "; use value().");
    }
    return number;
  }

  @Override
  public String toString() {
    return expression == null ? "Seed[" + number + "]" : "Seed[" + expression.label() + "]";
  }
}
