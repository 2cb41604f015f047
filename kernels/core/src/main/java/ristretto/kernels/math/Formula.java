package ristretto.kernels.math;

import java.util.List;
import java.util.function.BiFunction;
import ristretto.kernels.scalar.Function;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Builder of rows of one floating-point type and of the integer type of its size; arguments and
 * results are row numbers.
 */
final class Formula {
  final TapeBuilder tape;
  final ScalarType type;

  /** Integer type of the same size. */
  final ScalarType integer;

  Formula(TapeBuilder tape, ScalarType type) {
    this.tape = tape;
    this.type = type;
    this.integer = type == ScalarType.F64 ? ScalarType.I64 : ScalarType.I32;
  }

  boolean single() {
    return type == ScalarType.F32;
  }

  int c(double value) {
    return tape.constant(type, value);
  }

  int i(long value) {
    return tape.constantBits(integer, value);
  }

  int apply(Op op, int a) {
    return tape.apply(op, a);
  }

  int apply(Op op, int a, int b) {
    return tape.apply(op, a, b);
  }

  int add(int a, int b) {
    return tape.apply(Op.ADD, a, b);
  }

  int sub(int a, int b) {
    return tape.apply(Op.SUB, a, b);
  }

  int mul(int a, int b) {
    return tape.apply(Op.MUL, a, b);
  }

  int div(int a, int b) {
    return tape.apply(Op.DIV, a, b);
  }

  int fma(int a, int b, int c) {
    return tape.apply(Op.FMA, a, b, c);
  }

  int neg(int a) {
    return tape.apply(Op.NEG, a);
  }

  int abs(int a) {
    return tape.apply(Op.ABS, a);
  }

  int select(int condition, int then, int otherwise) {
    return tape.apply(Op.SELECT, condition, then, otherwise);
  }

  int less(int a, int b) {
    return tape.apply(Op.LT, a, b);
  }

  int greater(int a, int b) {
    return tape.apply(Op.GT, a, b);
  }

  int bits(int a) {
    return tape.bitcast(a, integer);
  }

  int fromBits(int a) {
    return tape.bitcast(a, type);
  }

  /** Returns the magnitude of {@code a} with the sign of {@code b}, including NaN. */
  int copySign(int a, int b) {
    long sign = single() ? Integer.MIN_VALUE : Long.MIN_VALUE;
    int magnitude = tape.apply(Op.AND, bits(a), i(~sign));
    return fromBits(tape.apply(Op.OR, magnitude, tape.apply(Op.AND, bits(b), i(sign))));
  }

  /**
   * Evaluates a polynomial by Horner's scheme; {@code coefficients} from the highest power down to
   * the constant.
   */
  int polynomial(int x, double... coefficients) {
    int p = c(coefficients[0]);
    for (int k = 1; k < coefficients.length; k++) {
      p = fma(p, x, c(coefficients[k]));
    }
    return p;
  }

  /** Clamps {@code x} to [{@code low}, {@code high}]; NaN stays NaN. */
  int clamp(int x, double low, double high) {
    int below = select(greater(x, c(high)), c(high), x);
    return select(less(below, c(low)), c(low), below);
  }

  /**
   * Rounding constant 1.5 * 2^(mantissa bits): a sum with it holds the rounded integer in its
   * lowest bits.
   */
  int magic() {
    return c(single() ? 0x1.8p23 : 0x1.8p52);
  }

  int mantissaBits() {
    return single() ? 23 : 52;
  }

  /** Bits of 1.0. */
  long one() {
    return single() ? 0x3F800000L : 0x3FF0000000000000L;
  }

  int shiftLeft(int a, int count) {
    return tape.apply(Op.SHL, a, i(count));
  }

  int shiftRight(int a, int count) {
    return tape.apply(Op.SHR, a, i(count));
  }

  int and(int a, int b) {
    return tape.apply(Op.AND, a, b);
  }

  int equal(int a, int b) {
    return tape.apply(Op.EQ, a, b);
  }

  /** Returns {@code a + b} of integers. */
  int plus(int a, long b) {
    return tape.apply(Op.ADD, a, i(b));
  }

  /** Returns 2 to the power of the integer in the low bits of {@code k}, a normal number. */
  int powerOfTwo(int k) {
    return fromBits(plus(shiftLeft(k, mantissaBits()), one()));
  }

  /**
   * Returns {@code p * 2^k} for the integer in the low bits of {@code k}, in two steps, so that the
   * result may be subnormal.
   */
  int scale(int p, int k) {
    int half = shiftLeft(shiftRight(k, 1), mantissaBits());
    int rest = tape.apply(Op.SUB, shiftLeft(k, mantissaBits()), half);
    return mul(mul(p, fromBits(plus(half, one()))), fromBits(plus(rest, one())));
  }

  /**
   * Returns {@code fast} where {@code usual} is true, otherwise {@code slow} of {@code x}, whose
   * code is skipped if no lane needs it.
   */
  int unless(int usual, int fast, int x, String name, BiFunction<Formula, Integer, Integer> slow) {
    var inner = new Formula(new TapeBuilder(), type);
    int result = slow.apply(inner, inner.tape.input(0, type));
    var block = new Function.Block(inner.tape.build(result), List.of(), new Function.End.Return(0));
    var function = new Function(name, List.of(type), List.of(type), type, List.of(block));
    return select(usual, fast, tape.call(function, List.of(x)));
  }

  /** Returns a builder of F64 formulas on the same tape. */
  Formula wide() {
    return new Formula(tape, ScalarType.F64);
  }
}
