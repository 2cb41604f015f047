package ristretto.expr.index;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SizeTest {
  private static final long N = Size.UNKNOWN;

  @Test
  void sizesAreLinearFunctions() {
    for (long a : new long[] {0, 1, -1, 17, -4096, 1 << 28}) {
      for (long b : new long[] {0, 1, -1, 2, 1000, 1L << 20}) {
        long size = a + b * N;
        assertThat(Size.isValid(size)).isTrue();
        assertThat(Size.isKnown(size)).isEqualTo(b == 0);
        assertThat(Size.times(size)).isEqualTo(b);
        assertThat(Size.at(size, 7)).isEqualTo(a + 7 * b);
      }
    }
  }

  @Test
  void otherNumbersAreNoSizes() {
    assertThat(Size.isValid(N * N)).isFalse();
    assertThat(Size.isValid(N / 2)).isFalse();
    assertThat(Size.isValid(5 * N / 3)).isFalse();
    assertThat(Size.isValid(-N / 2 - 1)).isFalse();
    assertThat(N % 16).isNotZero();
  }

  @Test
  void textsHaveN() {
    assertThat(Size.text(12)).isEqualTo("12");
    assertThat(Size.text(N)).isEqualTo("n");
    assertThat(Size.text(-N)).isEqualTo("-n");
    assertThat(Size.text(3 * N + 2)).isEqualTo("3n+2");
    assertThat(Size.text(3 * N - 2)).isEqualTo("3n-2");
    assertThat(Size.text(N / 2)).isEqualTo("536870894");
  }
}
