package ristretto.testkit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;

/** Random expression graphs, equal on every device. */
class RandomGraphTest {
  private static final int GRAPHS = 10;
  private static final Context DEVICE = TestDevice.open();

  @AfterAll
  static void close() {
    DEVICE.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1000, 2000, 3000})
  void fused(long first) {
    for (long seed = first; seed < first + GRAPHS; seed++) {
      new GraphCheck(DEVICE, GraphCheck.numbers(seed)).fused();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4000})
  void stepByStep(long first) {
    for (long seed = first; seed < first + GRAPHS; seed++) {
      new GraphCheck(DEVICE, GraphCheck.numbers(seed)).stepByStep();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {5000})
  void intoAView(long first) {
    for (long seed = first; seed < first + GRAPHS; seed++) {
      new GraphCheck(DEVICE, GraphCheck.numbers(seed)).intoAView((int) (seed % 4));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {6000})
  void ontoAnOperand(long first) {
    for (long seed = first; seed < first + GRAPHS; seed++) {
      new GraphCheck(DEVICE, GraphCheck.numbers(seed)).ontoAnOperand();
    }
  }
}
