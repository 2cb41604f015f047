package ristretto.kernels.cpu.codegen;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.kernels.cpu.strip.StripSpec.Access.UNIT;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.apache.commons.math3.dfp.Dfp;
import org.apache.commons.math3.dfp.DfpField;
import org.apache.commons.math3.dfp.DfpMath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Transcendental operations over all of their range: within the stated ulp of a more precise
 * reference, and the same bits from scalar and vector code.
 */
class MathAccuracyTest {
  private static final int SAMPLES = 1 << 16;

  private static final float[] SPECIAL = {
    0,
    -0f,
    Float.NaN,
    Float.POSITIVE_INFINITY,
    Float.NEGATIVE_INFINITY,
    Float.MIN_VALUE,
    -Float.MIN_VALUE,
    Float.MIN_NORMAL,
    Float.MAX_VALUE,
    -Float.MAX_VALUE,
    1,
    -1,
    0.5f,
    2,
    3,
    -3,
    0.99999994f,
    1.0000001f,
    -0.99999994f,
    88.72283f,
    88.8f,
    -87.4f,
    -103.9f,
    -104,
    128,
    -149,
    1e5f,
    1e10f,
    10
  };

  @ParameterizedTest
  @EnumSource(Op.class)
  void singlePrecision(Op op) {
    if (StripCompilerTest.exact(op)) {
      return;
    }
    float[] a = new float[SAMPLES];
    float[] b = new float[SAMPLES];
    var random = new Random(op.ordinal());
    for (int i = 0; i < SAMPLES; i++) {
      // Every exponent and sign, a random mantissa.
      a[i] = Float.intBitsToFloat((i << 16) + random.nextInt(1 << 16));
      b[i] =
          switch (i % 4) {
            case 0 -> Float.intBitsToFloat(random.nextInt());
            case 1 -> (random.nextInt(81) - 40) / 2f;
            default -> (float) random.nextGaussian() * 4;
          };
      if (i % 4 > 1 && op.arity() == 2) {
        a[i] = (float) (random.nextGaussian() * 4);
      }
    }
    for (int i = 0; i < SPECIAL.length * SPECIAL.length; i++) {
      a[i] = SPECIAL[i % SPECIAL.length];
      b[i] = SPECIAL[i / SPECIAL.length];
    }
    float[] result = run(op, a, b);
    double worst = 0;
    String where = "";
    for (int i = 0; i < SAMPLES; i++) {
      double ulps = ulps(result[i], reference(op, a[i], b[i]));
      if (ulps > worst) {
        worst = ulps;
        where = op + "(" + a[i] + ", " + b[i] + ") = " + result[i];
      }
    }
    assertThat(worst).as(where).isLessThanOrEqualTo(op == Op.SIGMOID ? 2.5 : 2);
  }

  private static double ulps(float actual, double expected) {
    float nearest = (float) expected;
    if (Float.isNaN(nearest) || Float.isNaN(actual)) {
      return Float.isNaN(nearest) == Float.isNaN(actual) ? 0 : Double.POSITIVE_INFINITY;
    }
    if (nearest == 0 && actual == 0) {
      return Float.floatToRawIntBits(nearest) == Float.floatToRawIntBits(actual)
          ? 0
          : Double.POSITIVE_INFINITY;
    }
    if (Float.isInfinite(nearest) || Float.isInfinite(actual)) {
      return nearest == actual
              || Math.abs(expected) > Math.nextDown(Float.MAX_VALUE)
                  && Math.abs(actual) >= Float.MAX_VALUE
          ? 0
          : Double.POSITIVE_INFINITY;
    }
    return Math.abs(actual - expected) / Math.ulp(nearest);
  }

  private static double reference(Op op, double a, double b) {
    return switch (op) {
      case EXP -> Math.exp(a);
      case EXP2 -> Math.pow(2, a);
      case EXPM1 -> Math.expm1(a);
      case LOG -> Math.log(a);
      case LOG2 -> Math.log(a) / Math.log(2);
      case LOG10 -> Math.log10(a);
      case LOG1P -> Math.log1p(a);
      case SIN -> Math.sin(a);
      case COS -> Math.cos(a);
      case TAN -> Math.tan(a);
      case ASIN -> Math.asin(a);
      case ACOS -> Math.acos(a);
      case ATAN -> Math.atan(a);
      case SINH -> Math.sinh(a);
      case COSH -> Math.cosh(a);
      case TANH -> Math.tanh(a);
      case SIGMOID -> a > 0 ? 1 / (1 + Math.exp(-a)) : Math.exp(a) / (1 + Math.exp(a));
      case ASINH -> {
        double x = Math.abs(a);
        double y = Math.log1p(x + x * x / (1 + Math.sqrt(x * x + 1)));
        yield Double.isInfinite(a) ? a : Math.copySign(y, a);
      }
      case ACOSH -> a < 1 ? Double.NaN : Math.log1p(a - 1 + Math.sqrt((a - 1) * (a + 1)));
      case ATANH -> Math.copySign(0.5 * Math.log1p(2 * Math.abs(a) / (1 - Math.abs(a))), a);
      case CBRT -> Math.cbrt(a);
      case POW -> Math.pow(a, b);
      case ATAN2 -> Math.atan2(a, b);
      case HYPOT -> Math.hypot(a, b);
      case ERF -> erf(a);
      case ERFC -> a > 27 ? 0 : a < -7 ? 2 : a > 0.5 ? erfcTail(a) : 1 - erf(a);
      default -> throw new AssertionError(op);
    };
  }

  /** The series at small arguments; beyond, what the tail leaves. */
  private static double erf(double a) {
    double x = Math.abs(a);
    if (x > 2 || Double.isNaN(x)) {
      return Math.copySign(x > 7 ? 1 : 1 - erfcTail(x), a);
    }
    double sum = x;
    double term = x;
    for (int k = 1; k < 60; k++) {
      term *= -x * x / k;
      sum += term / (2 * k + 1);
    }
    return Math.copySign(2 / Math.sqrt(Math.PI) * sum, a);
  }

  /** A continued fraction, which converges quickly from 2 on, or 1 - erf below. */
  private static double erfcTail(double x) {
    if (x <= 2) {
      return 1 - erf(x);
    }
    double f = x;
    for (int k = 120; k >= 1; k--) {
      f = x + k / 2.0 / f;
    }
    return Math.exp(-x * x) / Math.sqrt(Math.PI) / f;
  }

  private static float[] run(Op op, float[] a, float[] b) {
    double[] wideA = new double[a.length];
    double[] wideB = new double[a.length];
    for (int i = 0; i < a.length; i++) {
      wideA[i] = a[i];
      wideB[i] = b[i];
    }
    double[] wide = run(op, F32, wideA, wideB);
    float[] result = new float[wide.length];
    for (int i = 0; i < wide.length; i++) {
      result[i] = (float) wide[i];
    }
    return result;
  }

  /** The values, after comparing those of scalar and vector code. */
  private static double[] run(Op op, ScalarType type, double[] a, double[] b) {
    var t = new TapeBuilder();
    int x = t.input(0, type);
    int y = op.arity() == 2 ? t.apply(op, x, t.input(1, type)) : t.apply(op, x);
    StripSpec spec = StripRun.map(t.build(y), UNIT, UNIT);
    double[] scalar = run(StripCompiler.compile(spec, "accuracy", false), type, a, b);
    if (VectorHardware.PRESENT) {
      double[] vector = run(StripCompiler.compile(spec, "accuracy", true), type, a, b);
      assertThat(Arrays.equals(vector, scalar)).as("scalar and vector " + op).isTrue();
    }
    return scalar;
  }

  private static double[] run(Strip strip, ScalarType type, double[] a, double[] b) {
    try (Arena arena = Arena.ofConfined()) {
      int n = a.length;
      MemorySegment[] memory = new MemorySegment[3];
      Arrays.setAll(memory, _ -> arena.allocate((long) n * type.bytes(), 64));
      for (int i = 0; i < n; i++) {
        put(memory[0], type, i, a[i]);
        put(memory[1], type, i, b[i]);
      }
      long[] pointers = {memory[0].address(), memory[1].address(), memory[2].address()};
      MemorySegment scratch = arena.allocate(strip.scratchBytes() + 64L, 64);
      strip.run(pointers, new long[3], 1, n, scratch.address());
      double[] result = new double[n];
      Arrays.setAll(
          result,
          i ->
              type == F32
                  ? memory[2].getAtIndex(ValueLayout.JAVA_FLOAT, i)
                  : memory[2].getAtIndex(ValueLayout.JAVA_DOUBLE, i));
      return result;
    }
  }

  private static void put(MemorySegment memory, ScalarType type, int i, double value) {
    if (type == F32) {
      memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
    } else {
      memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
    }
  }

  @Test
  void doublePrecisionAgainstFortyDigits() {
    var field = new DfpField(40);
    Dfp one = field.getOne();
    check(field, Op.EXP, 300, 740, DfpMath::exp);
    check(field, Op.EXP2, 300, 1020, x -> DfpMath.pow(field.getTwo(), x));
    check(field, Op.EXPM1, 300, 40, x -> DfpMath.exp(x).subtract(one));
    check(field, Op.TANH, 300, 15, x -> sinh(x).divide(cosh(x, one)));
    check(field, Op.SIGMOID, 300, 740, x -> one.divide(one.add(DfpMath.exp(x.negate()))));
    check(field, Op.SINH, 300, 700, MathAccuracyTest::sinh);
    check(field, Op.COSH, 300, 700, x -> cosh(x, one));
    check(field, Op.SIN, 300, 1000, DfpMath::sin);
    check(field, Op.COS, 300, 1000, DfpMath::cos);
    check(field, Op.LOG, 300, 1e300, x -> DfpMath.log(x.abs()), Math::abs);
    check(
        field,
        Op.LOG2,
        300,
        1e300,
        x -> DfpMath.log(x.abs()).divide(DfpMath.log(field.getTwo())),
        Math::abs);
    check(
        field,
        Op.LOG10,
        300,
        1e300,
        x -> DfpMath.log(x.abs()).divide(DfpMath.log(field.newDfp(10))),
        Math::abs);
    check(field, Op.LOG1P, 300, 1e15, x -> DfpMath.log(one.add(x.abs())), Math::abs);
  }

  private static Dfp sinh(Dfp x) {
    Dfp e = DfpMath.exp(x);
    return e.subtract(e.getOne().divide(e)).divide(2);
  }

  private static Dfp cosh(Dfp x, Dfp one) {
    Dfp e = DfpMath.exp(x);
    return e.add(one.divide(e)).divide(2);
  }

  private interface Precise {
    Dfp of(Dfp x);
  }

  private static void check(DfpField field, Op op, int samples, double range, Precise reference) {
    check(field, op, samples, range, reference, x -> x);
  }

  private static void check(
      DfpField field,
      Op op,
      int samples,
      double range,
      Precise reference,
      DoubleUnaryOperator domain) {
    var random = new Random(op.ordinal());
    double[] x = new double[samples];
    for (int i = 0; i < samples; i++) {
      double size = Math.exp(Math.log(range) - random.nextDouble() * (Math.log(range) + 9));
      x[i] =
          domain.applyAsDouble(
              i % 3 == 0 ? random.nextGaussian() : random.nextBoolean() ? size : -size);
    }
    double[] actual = run(op, F64, x, x);
    double worst = 0;
    String where = "";
    for (int i = 0; i < samples; i++) {
      Dfp expected = reference.of(field.newDfp(x[i]));
      double ulp = Math.ulp(expected.toDouble());
      double ulps = Math.abs(expected.subtract(field.newDfp(actual[i])).toDouble()) / ulp;
      if (!(ulps <= worst)) {
        worst = ulps;
        where = op + "(" + x[i] + ") = " + actual[i] + ", not " + expected;
      }
    }
    assertThat(worst).as(where).isLessThanOrEqualTo(2);
  }

  private static final double[][] ERROR_FUNCTION = {
    {1e-300, 1.1283791670955126e-300, 1.0},
    {1e-20, 1.1283791670955125e-20, 1.0},
    {1e-05, 1.1283791670579e-05, 0.9999887162083294},
    {0.1, 0.1124629160182849, 0.887537083981715},
    {0.25, 0.27632639016823696, 0.7236736098317631},
    {0.3, 0.3286267594591274, 0.6713732405408726},
    {0.5, 0.5204998778130465, 0.4795001221869535},
    {0.84, 0.7651427114549945, 0.23485728854500548},
    {0.85, 0.7706680576083526, 0.22933194239164748},
    {1.0, 0.8427007929497149, 0.15729920705028513},
    {1.24, 0.9205051842990297, 0.07949481570097033},
    {1.26, 0.9252359418101295, 0.07476405818987052},
    {2.0, 0.9953222650189527, 0.004677734981047266},
    {2.5, 0.999593047982555, 0.0004069520174449589},
    {2.85, 0.9999443437200386, 5.5656279961398957e-05},
    {2.86, 0.9999475988269556, 5.24011730443978e-05},
    {3.5, 0.9999992569016276, 7.430983723414128e-07},
    {4.5, 0.9999999998033839, 1.9661604415428876e-10},
    {5.5, 0.9999999999999927, 7.357847917974398e-15},
    {5.9, 0.9999999999999999, 7.190409783550478e-17},
    {6.5, 1.0, 3.8421483271206475e-20},
    {9.0, 1.0, 4.13703174651381e-37},
    {15.0, 1.0, 7.212994172451207e-100},
    {20.0, 1.0, 5.395865611607901e-176},
    {25.0, 1.0, 8.300172571196523e-274},
    {26.5, 1.0, 2.2109076642637343e-307},
    {-0.2, -0.22270258921047847, 1.2227025892104784},
    {-0.7, -0.6778011938374184, 1.6778011938374184},
    {-1.1, -0.8802050695740817, 1.8802050695740817},
    {-2.2, -0.9981371537020182, 1.998137153702018},
    {-4.0, -0.9999999845827421, 1.999999984582742}
  };

  /** x, erf x, erfc x; erfc of F64 is within 3 ulp. */
  @Test
  void doublePrecisionErrorFunction() {
    double[] x = Arrays.stream(ERROR_FUNCTION).mapToDouble(row -> row[0]).toArray();
    double[] erf = run(Op.ERF, F64, x, x);
    double[] erfc = run(Op.ERFC, F64, x, x);
    for (int i = 0; i < x.length; i++) {
      double[] row = ERROR_FUNCTION[i];
      assertThat(Math.abs(erf[i] - row[1]))
          .as("erf " + x[i])
          .isLessThanOrEqualTo(2 * Math.ulp(row[1]));
      assertThat(Math.abs(erfc[i] - row[2]))
          .as("erfc " + x[i])
          .isLessThanOrEqualTo(3 * Math.ulp(row[2]));
    }
  }

  @Test
  void doublePrecisionEnds() {
    double inf = Double.POSITIVE_INFINITY;
    double nan = Double.NaN;
    double[] x = {0, -0.0, inf, -inf, nan, 1e-310, -1e-310, Double.MAX_VALUE, -1, -2};
    assertThat(run(Op.EXP, F64, x, x))
        .containsExactly(1, 1, inf, 0, nan, 1, 1, inf, Math.exp(-1), Math.exp(-2));
    assertThat(run(Op.TANH, F64, x, x)).startsWith(0, -0.0, 1, -1, nan, 1e-310, -1e-310, 1);
    assertThat(run(Op.EXPM1, F64, x, x)).startsWith(0, -0.0, inf, -1, nan, 1e-310, -1e-310, inf);
    assertThat(run(Op.SIN, F64, x, x))
        .startsWith(0, -0.0, nan, nan, nan, 1e-310, -1e-310, Math.sin(Double.MAX_VALUE));
    assertThat(run(Op.LOG, F64, x, x))
        .startsWith(
            -inf, -inf, inf, nan, nan, Math.log(1e-310), nan, Math.log(Double.MAX_VALUE), nan, nan);
    assertThat(run(Op.LOG1P, F64, x, x))
        .startsWith(0, -0.0, inf, nan, nan, 1e-310, -1e-310, Math.log(Double.MAX_VALUE), -inf, nan);
  }
}
