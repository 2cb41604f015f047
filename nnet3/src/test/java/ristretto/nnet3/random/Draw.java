package ristretto.nnet3.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import ristretto.nnet3.matrix.Matrix;

/** Choices, the same for the same seed. */
final class Draw {
  private final Random random;

  Draw(long seed) {
    random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
    random.nextInt();
  }

  /** From one number to another, both included. */
  int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  boolean coin() {
    return oneIn(2);
  }

  boolean oneIn(int count) {
    return random.nextInt(count) == 0;
  }

  @SafeVarargs
  final <T> T pick(T... all) {
    return all[random.nextInt(all.length)];
  }

  <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  /** Some of the numbers between two, at least one of them. */
  List<Integer> some(int least, int most) {
    var all = new ArrayList<Integer>();
    for (int k = least; k <= most; k++) {
      if (oneIn(3)) {
        all.add(k);
      }
    }
    return all.isEmpty() ? List.of(between(least, most)) : all;
  }

  static String list(List<?> all) {
    return all.stream().map(Object::toString).collect(Collectors.joining(","));
  }

  Matrix gaussian(int rows, int cols) {
    var m = new Matrix(rows, cols);
    for (int k = 0; k < m.data().length; k++) {
      m.data()[k] = (float) random.nextGaussian();
    }
    return m;
  }
}
