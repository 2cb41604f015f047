package ristretto.kernels.scalar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.apache.commons.math3.distribution.NormalDistribution;
import org.apache.commons.math3.distribution.UniformRealDistribution;
import org.apache.commons.math3.stat.correlation.PearsonsCorrelation;
import org.apache.commons.math3.stat.inference.ChiSquareTest;
import org.apache.commons.math3.stat.inference.KolmogorovSmirnovTest;
import org.junit.jupiter.api.Test;
import ristretto.kernels.scalar.Node.Distribution;
import ristretto.kernels.scalar.TapeInterpreter.Arithmetic;

class ExpandRandomTest {
  private static final int SAMPLES = 20_000;

  /** The vectors published with Random123 (kat_vectors, philox4x32 with 10 rounds). */
  @Test
  void referenceAgreesWithThePublishedVectors() {
    assertThat(Philox.words(new int[4], new int[2]))
        .containsExactly(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
    assertThat(Philox.words(new int[] {-1, -1, -1, -1}, new int[] {-1, -1}))
        .containsExactly(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
    assertThat(
            Philox.words(
                new int[] {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                new int[] {0xa4093822, 0x299f31d0}))
        .containsExactly(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
  }

  @Test
  void expandedRowsAgreeWithTheReference() {
    var random = new Random(1);
    for (int k = 0; k < 300; k++) {
      long seed = k < 3 ? k - 1 : random.nextLong();
      long counter = k < 3 ? 0 : k < 100 ? k : random.nextLong();
      for (Distribution d : Distribution.values()) {
        for (ScalarType type : d == Distribution.BITS ? List.of(I32, I64) : List.of(F32, F64)) {
          Object drawn = draw(d, type, seed, counter, Arithmetic.DOUBLE);
          Object expected = Philox.draw(d, type, seed, counter);
          if (d == Distribution.NORMAL) {
            // 2 pi is a float for F32.
            double tolerance = type == F32 ? 1e-6 : 1e-14;
            assertThat((Double) drawn).isCloseTo((Double) expected, within(tolerance));
          } else {
            assertThat(drawn)
                .as("%s %s of seed %s, counter %s", d, type, seed, counter)
                .isEqualTo(expected);
          }
        }
      }
    }
    assertThat(draw(Distribution.BITS, I64, 0, 0, Arithmetic.TYPED))
        .isEqualTo(0x6627e8d5_e169c58dL);
  }

  @Test
  void aNarrowCounterNeedsNoLongArithmetic() {
    var t = new TapeBuilder();
    int counter = t.convert(t.input(0, I32), I64);
    Tape expanded =
        ExpandRandom.apply(
            t.build(t.random(Distribution.UNIFORM, F32, t.constant(I64, 42), counter)));
    assertThat(expanded.nodes()).noneMatch(n -> n instanceof Node.Apply && n.type() == I64);
    var body = new TapeInterpreter(expanded, Arithmetic.TYPED);
    for (int i : new int[] {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertThat(body.output(0, _ -> i))
          .isEqualTo(((Double) Philox.draw(Distribution.UNIFORM, F32, 42, i)).floatValue());
    }
  }

  @Test
  void otherRowsStayAsTheyAre() {
    var t = new TapeBuilder();
    Tape plain = t.build(t.apply(Op.ADD, t.input(0, F32), t.constant(F32, 0)));
    assertThat(ExpandRandom.apply(plain)).isSameAs(plain);
    int u = t.random(Distribution.UNIFORM, F32, t.constant(I64, 1), t.constant(I64, 2));
    Tape expanded = ExpandRandom.apply(t.build(t.apply(Op.MUL, u, t.input(0, F32)), u));
    assertThat(expanded.nodes()).noneMatch(n -> n instanceof Node.Random);
    Object[] values = new TapeInterpreter(expanded, Arithmetic.TYPED).outputs(_ -> 2f);
    assertThat(values[0]).isEqualTo(2 * (Float) values[1]);
  }

  @Test
  void uniformNumbersAreUniform() {
    for (ScalarType type : List.of(F32, F64)) {
      double[] sample = sample(Distribution.UNIFORM, type, 3);
      assertThat(DoubleStream.of(sample)).allMatch(v -> v >= 0 && v < 1);
      double p =
          new KolmogorovSmirnovTest()
              .kolmogorovSmirnovTest(new UniformRealDistribution(0, 1), sample);
      assertThat(p).as("Kolmogorov-Smirnov, %s", type).isGreaterThan(0.001);
      long[] counts = new long[100];
      for (double v : sample) {
        counts[(int) (v * 100)]++;
      }
      assertThat(chiSquare(counts)).as("chi-square, %s", type).isGreaterThan(0.001);
    }
  }

  @Test
  void normalNumbersAreNormal() {
    for (ScalarType type : List.of(F32, F64)) {
      double[] sample = sample(Distribution.NORMAL, type, 4);
      assertThat(DoubleStream.of(sample)).allMatch(v -> Double.isFinite(v));
      double p =
          new KolmogorovSmirnovTest().kolmogorovSmirnovTest(new NormalDistribution(0, 1), sample);
      assertThat(p).as("Kolmogorov-Smirnov, %s", type).isGreaterThan(0.001);
    }
  }

  @Test
  void everyByteOfTheBitsIsUniform() {
    for (ScalarType type : List.of(I32, I64)) {
      for (int shift = 0; shift < 8 * type.bytes(); shift += 8) {
        long[] counts = new long[256];
        for (int k = 0; k < SAMPLES; k++) {
          long bits = ((Number) Philox.draw(Distribution.BITS, type, 5, k)).longValue();
          counts[(int) (bits >>> shift & 0xFF)]++;
        }
        assertThat(chiSquare(counts))
            .as("bits %s to %s of %s", shift, shift + 7, type)
            .isGreaterThan(0.0005);
      }
    }
  }

  @Test
  void neighboursAndSeedsAreNotCorrelated() {
    double[] a = sample(Distribution.UNIFORM, F32, 6);
    double[] b = sample(Distribution.UNIFORM, F32, 7);
    double[] next = IntStream.range(0, SAMPLES).mapToDouble(k -> a[(k + 1) % SAMPLES]).toArray();
    double limit = 4 / Math.sqrt(SAMPLES);
    assertThat(Math.abs(new PearsonsCorrelation().correlation(a, b))).isLessThan(limit);
    assertThat(Math.abs(new PearsonsCorrelation().correlation(a, next))).isLessThan(limit);
  }

  private static double chiSquare(long[] counts) {
    double[] expected = new double[counts.length];
    Arrays.fill(expected, (double) SAMPLES / counts.length);
    return new ChiSquareTest().chiSquareTest(expected, counts);
  }

  private static Object draw(
      Distribution d, ScalarType type, long seed, long counter, Arithmetic arithmetic) {
    return body(d, type, arithmetic).output(0, slot -> slot == 0 ? seed : counter);
  }

  private static TapeInterpreter body(Distribution d, ScalarType type, Arithmetic arithmetic) {
    var t = new TapeBuilder();
    Tape tape = t.build(t.random(d, type, t.input(0, I64), t.input(1, I64)));
    return new TapeInterpreter(ExpandRandom.apply(tape), arithmetic);
  }

  private static double[] sample(Distribution d, ScalarType type, long seed) {
    TapeInterpreter body = body(d, type, Arithmetic.TYPED);
    double[] sample = new double[SAMPLES];
    for (int k = 0; k < SAMPLES; k++) {
      long counter = k;
      sample[k] = ((Number) body.output(0, slot -> slot == 0 ? seed : counter)).doubleValue();
    }
    return sample;
  }
}
