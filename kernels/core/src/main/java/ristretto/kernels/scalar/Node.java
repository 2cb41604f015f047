package ristretto.kernels.scalar;

import java.util.List;

/**
 * One row of a {@link Tape}. Operands are numbers of earlier rows. The nodes:
 *
 * <ul>
 *   <li>{@link Const}: a literal;
 *   <li>{@link Input}: value of a slot, supplied by the kernel: a loaded element, a launch scalar,
 *       an index, a reduction's result, a local variable of a {@link Function} block;
 *   <li>{@link Apply}: an {@link Op} on one to three rows;
 *   <li>{@link Random}: a counter-based random number; {@link ExpandRandom} rewrites it to integer
 *       arithmetic;
 *   <li>{@link Call}: a lifted function with loops.
 * </ul>
 *
 * <p>The most frequent nodes define {@code equals} and {@code hashCode} explicitly: the ones that
 * javac generates for records are linked at first use, which costs several milliseconds in a cold
 * JVM.
 */
public sealed interface Node {
  ScalarType type();

  /**
   * Literal.
   *
   * @param bits F32: {@code floatToRawIntBits} zero-extended; F64: {@code doubleToRawLongBits};
   *     I32: sign-extended; BOOL: 0 or 1
   */
  record Const(ScalarType type, long bits) implements Node {
    public static Const of(ScalarType type, double value) {
      return new Const(
          type,
          switch (type) {
            case F32 -> Float.floatToRawIntBits((float) value) & 0xFFFFFFFFL;
            case F64 -> Double.doubleToRawLongBits(value);
            case I32 -> (int) value;
            case I64 -> (long) value;
            case BOOL -> value != 0 ? 1 : 0;
            case F16, BF16, I8, U8, I16, U16, U32, U64 ->
                throw new IllegalArgumentException("storage type " + type);
          });
    }

    public float asFloat() {
      return Float.intBitsToFloat((int) bits);
    }

    public double asDouble() {
      return switch (type) {
        case F32 -> asFloat();
        case F64 -> Double.longBitsToDouble(bits);
        default -> bits;
      };
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Const c && type == c.type && bits == c.bits;
    }

    @Override
    public int hashCode() {
      return 31 * type.ordinal() + Long.hashCode(bits);
    }

    /** Returns true if the value equals {@code v}, including the sign of zero. */
    public boolean is(double v) {
      return Double.doubleToRawLongBits(asDouble()) == Double.doubleToRawLongBits(v);
    }
  }

  record Input(ScalarType type, int slot) implements Node {
    @Override
    public boolean equals(Object o) {
      return o instanceof Input n && type == n.type && slot == n.slot;
    }

    @Override
    public int hashCode() {
      return 37 * type.ordinal() + slot;
    }
  }

  /**
   * Operation on one to three rows; unused operands are -1. {@code type} is the type of the result.
   */
  record Apply(Op op, ScalarType type, int a, int b, int c) implements Node {
    @Override
    public boolean equals(Object o) {
      return o instanceof Apply n
          && op == n.op
          && type == n.type
          && a == n.a
          && b == n.b
          && c == n.c;
    }

    @Override
    public int hashCode() {
      return (((op.ordinal() * 31 + type.ordinal()) * 31 + a) * 31 + b) * 31 + c;
    }
  }

  /**
   * Counter-based random number. {@code seed} and {@code counter} are I64 rows; equal seeds and
   * counters give equal numbers on every device.
   */
  record Random(Distribution distribution, ScalarType type, int seed, int counter) implements Node {
    @Override
    public int hashCode() {
      return ((distribution.ordinal() * 31 + type.ordinal()) * 31 + seed) * 31 + counter;
    }
  }

  record Call(Function function, List<Integer> arguments, ScalarType type) implements Node {
    public Call {
      arguments = List.copyOf(arguments);
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Call c
          && type == c.type
          && arguments.equals(c.arguments)
          && function.equals(c.function);
    }

    @Override
    public int hashCode() {
      return 31 * function.hashCode() + arguments.hashCode();
    }
  }

  /** Distribution of a {@link Random} row. */
  enum Distribution {
    /** Uniform on [0, 1): 24 bits for F32, 53 for F64. */
    UNIFORM,
    /** Normal with mean 0 and standard deviation 1 (Box-Muller). */
    NORMAL,
    /** All bits of an I32 or I64; shares the stream of {@link #UNIFORM}. */
    BITS,
    /** Uniform on [0, 1), from a stream of its own; random integers are computed from it. */
    FRACTION
  }

  /** Calls {@code visitor} with each operand row, in order. */
  default void forEachOperand(java.util.function.IntConsumer visitor) {
    switch (this) {
      case Const _, Input _ -> {}
      case Apply n -> {
        visitor.accept(n.a);
        if (n.b >= 0) {
          visitor.accept(n.b);
        }
        if (n.c >= 0) {
          visitor.accept(n.c);
        }
      }
      case Random n -> {
        visitor.accept(n.seed);
        visitor.accept(n.counter);
      }
      case Call n -> n.arguments.forEach(visitor::accept);
    }
  }
}
