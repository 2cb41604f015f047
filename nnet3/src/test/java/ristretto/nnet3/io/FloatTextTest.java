package ristretto.nnet3.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FloatTextTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, -0",
    "1, 1",
    "-1, -1",
    "0.1, 0.1",
    "0.001, 0.001",
    "0.0001, 0.0001",
    "0.00001, 1e-05",
    "1e-37, 1e-37",
    "1e100, 1e+100",
    "1e-100, 1e-100",
    "123456, 123456",
    "1234567, 1234567",
    "12345678, 1.234568e+07",
    "999999.96, 1000000",
    "999999.94, 999999.9",
    "9999999.5, 1e+07",
    "9999998.5, 9999998",
    "0.12345675, 0.1234568",
    "2000, 2000",
    "16777216, 1.677722e+07",
    "3.4028235e38, 3.402823e+38",
    "1.17549435e-38, 1.175494e-38",
    "1.4e-45, 1.4e-45",
    "NaN, nan",
    "Infinity, inf",
    "-Infinity, -inf",
  })
  void printsSevenDigits(double value, String text) {
    assertThat(FloatText.of(value, 7)).isEqualTo(text);
  }

  @Test
  void printsSixDigits() {
    assertThat(FloatText.of(1234567, 6)).isEqualTo("1.23457e+06");
    assertThat(FloatText.of(0.5, 6)).isEqualTo("0.5");
    assertThat(FloatText.of(Float.intBitsToFloat(0xffc00000), 6)).isEqualTo("-nan");
  }

  /** Digits equal those of exact arithmetic, over all exponents of floats. */
  @Test
  void roundsExactly() {
    var random = new Random(1);
    for (int k = 0; k < 200_000; k++) {
      float value = Float.intBitsToFloat(random.nextInt() & 0x7fffffff);
      if (Float.isFinite(value) && value != 0) {
        var exact = new BigDecimal(value).round(new MathContext(7, RoundingMode.HALF_EVEN));
        assertThat(new BigDecimal(FloatText.of(value, 7)))
            .as("%s", Float.toHexString(value))
            .isEqualByComparingTo(exact);
      }
    }
  }

  /** Random floats as Kaldi prints them, each with its bits. */
  @Test
  void printsWhatKaldiPrints() throws Exception {
    try (var in = FloatTextTest.class.getResourceAsStream("floats.txt")) {
      String[] words = new String(in.readAllBytes(), StandardCharsets.US_ASCII).split("\\s+");
      assertThat(words).hasSize(2000);
      for (int k = 0; k < words.length; k += 2) {
        float value = Float.intBitsToFloat((int) Long.parseLong(words[k + 1]));
        assertThat(FloatText.of(value, 7)).isEqualTo(words[k]);
      }
    }
  }
}
