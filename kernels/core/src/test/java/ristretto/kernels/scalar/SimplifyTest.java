package ristretto.kernels.scalar;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import ristretto.kernels.scalar.TapeInterpreter.Arithmetic;

class SimplifyTest {
  private final TapeBuilder t = new TapeBuilder();
  private final int x = t.input(0, F32);
  private final int y = t.input(1, F32);
  private final int d = t.input(2, F64);
  private final int i = t.input(3, I32);
  private final int p = t.input(4, BOOL);

  @Property(tries = 4000)
  void simplifiedTapesKeepTheirBits(
      @ForAll @Size(max = 80) List<@IntRange(min = 0, max = 999) Integer> choices) {
    var random = new RandomTape(choices);
    var builder = new TapeBuilder();
    int[] slots = new int[random.tape.slots()];
    for (Node node : random.tape.nodes()) {
      if (node instanceof Node.Input in) {
        slots[in.slot()] = builder.input(in.slot(), in.type());
      }
    }
    Tape simplified = builder.build(builder.inline(random.tape, slots));
    Object[] raw = new TapeInterpreter(random.tape, Arithmetic.TYPED).outputs(random::input);
    Object[] simple = new TapeInterpreter(simplified, Arithmetic.TYPED).outputs(random::input);
    assertThat(simple).as("%s\nbecame\n%s", random.tape, simplified).isEqualTo(raw);
  }

  @Test
  void neutralElementsVanish() {
    assertThat(t.apply(Op.MUL, x, f32(1))).isEqualTo(x);
    assertThat(t.apply(Op.MUL, f32(1), x)).isEqualTo(x);
    assertThat(t.apply(Op.DIV, x, f32(1))).isEqualTo(x);
    assertThat(t.apply(Op.SUB, x, f32(0))).isEqualTo(x);
    assertThat(t.apply(Op.ADD, x, f32(-0.0))).isEqualTo(x);
    assertThat(t.apply(Op.ADD, i, t.constant(I32, 0))).isEqualTo(i);
    assertThat(t.apply(Op.MUL, i, t.constant(I32, 0))).isEqualTo(t.constant(I32, 0));
    assertThat(t.apply(Op.NEG, t.apply(Op.NEG, x))).isEqualTo(x);
    assertThat(t.apply(Op.NOT, t.apply(Op.NOT, p))).isEqualTo(p);
    assertThat(t.apply(Op.POW, x, f32(1))).isEqualTo(x);
    assertThat(t.apply(Op.MAX, x, x)).isEqualTo(x);
    assertThat(t.apply(Op.SELECT, p, x, x)).isEqualTo(x);
    assertThat(t.convert(t.convert(x, F64), F32)).isEqualTo(x);
    assertThat(t.convert(t.convert(i, F64), I32)).isEqualTo(i);
  }

  /** The first four differ for -0, NaN or infinities; the conversions round. */
  @Test
  void whatIeeeForbidsStays() {
    assertThat(t.apply(Op.ADD, x, f32(0))).isNotEqualTo(x);
    assertThat(t.apply(Op.SUB, x, f32(-0.0))).isNotEqualTo(x);
    assertThat(t.apply(Op.MUL, x, f32(0))).isNotEqualTo(f32(0));
    assertThat(t.apply(Op.SUB, x, x)).isNotEqualTo(f32(0));
    assertThat(t.convert(t.convert(d, F32), F64)).isNotEqualTo(d);
    assertThat(t.convert(t.convert(i, F32), I32)).isNotEqualTo(i);
  }

  @Test
  void divisionByAPowerOfTwoBecomesAProduct() {
    assertThat(t.apply(Op.DIV, x, f32(8))).isEqualTo(t.apply(Op.MUL, x, f32(0.125)));
    assertThat(t.apply(Op.DIV, x, f32(-0.5))).isEqualTo(t.apply(Op.MUL, x, f32(-2)));
    assertThat(((Node.Apply) t.node(t.apply(Op.DIV, x, f32(3)))).op()).isEqualTo(Op.DIV);
    // Its reciprocal is subnormal.
    assertThat(((Node.Apply) t.node(t.apply(Op.DIV, x, f32(0x1p127)))).op()).isEqualTo(Op.DIV);
  }

  @Test
  void arithmeticOnWidenedFloatsIsNarrowed() {
    int wideX = t.convert(x, F64);
    int wideY = t.convert(y, F64);
    for (Op op : List.of(Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MIN, Op.ATAN2)) {
      assertThat(t.convert(t.apply(op, wideX, wideY), F32)).isEqualTo(t.apply(op, x, y));
    }
    assertThat(t.convert(t.apply(Op.EXP, t.apply(Op.NEG, wideX)), F32))
        .as("only the outer operation: its argument is a double that no float holds")
        .isNotEqualTo(t.apply(Op.EXP, t.apply(Op.NEG, x)));
    assertThat(t.convert(t.apply(Op.SQRT, wideX), F32)).isEqualTo(t.apply(Op.SQRT, x));
    assertThat(t.convert(t.apply(Op.MUL, wideX, t.constant(F64, 0.5)), F32))
        .isEqualTo(t.apply(Op.MUL, x, f32(0.5)));
    int tenth = t.convert(t.apply(Op.MUL, wideX, t.constant(F64, 0.1)), F32);
    assertThat(((Node.Apply) t.node(tenth)).op()).as("0.1 is no float").isEqualTo(Op.CONVERT);
    int sum = t.apply(Op.ADD, t.apply(Op.MUL, wideX, wideY), wideX);
    assertThat(((Node.Apply) t.node(t.convert(sum, F32))).op())
        .as("two roundings")
        .isEqualTo(Op.CONVERT);
  }

  /** Double rounding is innocuous for these operations, subnormal results included. */
  @Test
  void narrowingIsExactForRandomBits() {
    var random = new Random(7);
    for (int k = 0; k < 2_000_000; k++) {
      float a = Float.intBitsToFloat(random.nextInt());
      float b = Float.intBitsToFloat(random.nextInt());
      if (k % 2 == 0) {
        // Quotients and products near the smallest normal number.
        b = Float.MIN_NORMAL * Math.scalb(1 + random.nextFloat(), random.nextInt(-20, 4)) / a;
      }
      check((float) ((double) a + b), a + b, a, b);
      check((float) ((double) a - b), a - b, a, b);
      check((float) ((double) a * b), a * b, a, b);
      check((float) ((double) a / b), a / b, a, b);
    }
  }

  private static void check(float narrowed, float single, float a, float b) {
    if (Float.floatToIntBits(narrowed) != Float.floatToIntBits(single)) {
      throw new AssertionError(narrowed + " is not " + single + " for " + a + " and " + b);
    }
  }

  @Test
  void selectsOfBooleans() {
    int less = t.apply(Op.LT, x, y);
    assertThat(t.apply(Op.SELECT, less, t.constant(BOOL, 1), t.constant(BOOL, 0))).isEqualTo(less);
    assertThat(t.apply(Op.SELECT, t.apply(Op.NOT, less), x, y))
        .isEqualTo(t.apply(Op.SELECT, less, y, x));
    assertThat(t.apply(Op.AND, p, t.constant(BOOL, 1))).isEqualTo(p);
    assertThat(t.apply(Op.AND, p, t.constant(BOOL, 0))).isEqualTo(t.constant(BOOL, 0));
    assertThat(t.apply(Op.OR, p, t.constant(BOOL, 0))).isEqualTo(p);
    assertThat(t.apply(Op.OR, t.constant(BOOL, 1), p)).isEqualTo(t.constant(BOOL, 1));
  }

  @Test
  void largeIntegersAreNoNeutralElements() {
    int wide = t.input(5, I64);
    assertThat(t.apply(Op.SUB, wide, t.constantBits(I64, Long.MIN_VALUE))).isNotEqualTo(wide);
    assertThat(t.apply(Op.SHL, wide, t.constantBits(I64, 64))).isNotEqualTo(wide);
  }

  private int f32(double value) {
    return t.constant(F32, value);
  }
}
