package ristretto.expr.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExcerptTest {
  @Test
  void printableTextStays() {
    assertThat(Excerpt.of("layer1.weight é 日本 \\ \" '")).isEqualTo("layer1.weight é 日本 \\ \" '");
    assertThat(Excerpt.of("x".repeat(80))).isEqualTo("x".repeat(80));
  }

  @Test
  void longTextIsCutAtEightyCharacters() {
    assertThat(Excerpt.of("x".repeat(81))).isEqualTo("x".repeat(77) + "...");
    assertThat(Excerpt.of("\0".repeat(30))).isEqualTo("\\u0000".repeat(12) + "...");
    // No half of a pair of surrogates, wherever the cut is.
    for (int k = 0; k < 10; k++) {
      String shown = Excerpt.of("x".repeat(70 + k) + "😀".repeat(20));
      assertThat(shown.length()).isLessThanOrEqualTo(80);
      assertThat(shown.chars().filter(c -> Character.isSurrogate((char) c)).count() % 2).isZero();
      assertThat(shown).endsWith("...");
    }
  }

  @Test
  void charactersThatTerminalsObeyOrHideAreEscaped() {
    assertThat(Excerpt.of("a\nb\tc\rd\0e\u001b[31mf\u007f\u009b"))
        .isEqualTo("a\\nb\\tc\\rd\\u0000e\\u001b[31mf\\u007f\\u009b");
    assertThat(Excerpt.of("\u202eabc\u2028\ud800")).isEqualTo("\\u202eabc\\u2028\\ud800");
    assertThat(Excerpt.whole("a\n" + "x".repeat(100))).isEqualTo("a\\n" + "x".repeat(100));
    assertThat(Excerpt.whole("x".repeat(1000))).isEqualTo("x".repeat(1000));
    assertThat(Excerpt.whole("x".repeat(1001))).isEqualTo("x".repeat(997) + "...");
    assertThat(Excerpt.lines("a\n\tb\u001b[31m\u202e")).isEqualTo("a\n\tb\\u001b[31m\\u202e");
  }
}
