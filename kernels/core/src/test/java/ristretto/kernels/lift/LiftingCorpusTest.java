package ristretto.kernels.lift;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarOps;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeInterpreter;

/** Lifted lambdas give what the lambdas themselves give. */
class LiftingCorpusTest {
  static Stream<Arguments> lambdas() {
    return Corpus.all().lambdas().entrySet().stream()
        .map(e -> Arguments.of(e.getKey(), e.getValue()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lambdas")
  void liftedLambdaEqualsLambda(String name, Lambda lambda) throws Exception {
    LiftedLambda lifted = Lifter.lift(lambda);
    Method method = LambdaCalls.method(lambda);
    var interpreter = new TapeInterpreter(lifted.tape(), TapeInterpreter.Arithmetic.TYPED);
    long[] captured = lifted.capturedBits(lambda);
    int compared = 0;
    for (List<Object> arguments : LambdaCalls.arguments(lifted.parameters())) {
      Object expected;
      try {
        expected = method.invoke(lambda, arguments.toArray());
      } catch (InvocationTargetException e) {
        assertThat(e.getCause()).isInstanceOf(ArithmeticException.class);
        continue;
      }
      Object actual =
          interpreter.output(
              0,
              slot ->
                  slot < arguments.size()
                      ? arguments.get(slot)
                      : ScalarOps.value(
                          lifted.captured().get(slot - arguments.size()),
                          captured[slot - arguments.size()]));
      assertThat(same(expected, actual, transcendental(lifted.tape())))
          .withFailMessage(() ->
              name
                  + arguments
                  + ": expected "
                  + expected
                  + ", got "
                  + actual
                  + "\n"
                  + lifted.tape())
          .isTrue();
      compared++;
    }
    assertThat(compared).isPositive();
  }

  @Test
  void corpusIsLarge() {
    assertThat(Corpus.all().lambdas().size()).isGreaterThan(150);
  }

  static boolean transcendental(Tape tape) {
    return tape.nodes().stream()
        .anyMatch(n ->
            n instanceof Node.Apply a
                && a.op().ordinal() >= Op.CBRT.ordinal()
                && a.op().ordinal() <= Op.ATANH.ordinal());
  }

  private static boolean same(Object expected, Object actual, boolean nearly) {
    if (expected instanceof Number n && (expected instanceof Byte || expected instanceof Short)) {
      return actual.equals(n.intValue());
    }
    // Boxes of floats are equal if their bits are, all NaNs alike.
    if (expected.equals(actual)) {
      return true;
    }
    return nearly
        && (expected instanceof Float e
                && actual instanceof Float a
                && Math.abs(e - a) <= Math.ulp(e)
            || expected instanceof Double d
                && actual instanceof Double b
                && Math.abs(d - b) <= Math.ulp(d));
  }

  @Test
  void capturedValuesDoNotChangeTheTape() {
    var random = new Random(3);
    var tapes = new java.util.HashSet<Tape>();
    for (int k = 0; k < 100; k++) {
      float scale = random.nextFloat();
      long offset = random.nextLong();
      boolean flag = random.nextBoolean();
      ristretto.kernels.lambda.FloatLambda.ToFloat1 lambda = v -> flag ? v * scale : v + offset;
      LiftedLambda lifted = Lifter.lift(lambda);
      tapes.add(lifted.tape());
      assertThat(lifted.captured())
          .containsExactly(ScalarType.BOOL, ScalarType.F32, ScalarType.I64);
      assertThat(lifted.capturedBits(lambda))
          .containsExactly(flag ? 1 : 0, Float.floatToRawIntBits(scale), offset);
    }
    assertThat(tapes).hasSize(1);
  }

  /** Loops of a few turns become plain rows, others a call; so do loops that depend on values. */
  @Test
  void shortConstantLoopsAreUnrolled() {
    Map<String, Lambda> lambdas = Corpus.all().lambdas();
    assertThat(calls(lambdas.get("polynomial"))).isZero();
    assertThat(calls(lambdas.get("constant nest"))).isZero();
    assertThat(calls(lambdas.get("return from nested loops"))).isOne();
    assertThat(calls(lambdas.get("power"))).isOne();
    assertThat(calls(lambdas.get("nested loops"))).isOne();
  }

  private static long calls(Lambda lambda) {
    return Lifter.lift(lambda).tape().nodes().stream().filter(n -> n instanceof Node.Call).count();
  }

  @Test
  void corpusIsLiftedOncePerClass() {
    Map<String, Lambda> first = Corpus.all().lambdas();
    Map<String, Lambda> second = Corpus.all().lambdas();
    first.forEach(
        (name, lambda) -> assertThat(Lifter.lift(lambda)).isSameAs(Lifter.lift(second.get(name))));
  }
}
