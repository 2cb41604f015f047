package ristretto.nnet3;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.stream.Collectors;

/** Text of descriptors as Kaldi prints it. */
final class DescriptorText {
  private DescriptorText() {}

  static String call(String function, List<Descriptor> arguments) {
    return arguments.stream()
        .map(Descriptor::toString)
        .collect(Collectors.joining(", ", function + "(", ")"));
  }

  static String number(float value) {
    if (value == 0) {
      return "0";
    }
    var rounded = new BigDecimal(value).round(new MathContext(6, RoundingMode.HALF_EVEN));
    BigDecimal number = rounded.stripTrailingZeros();
    int exponent = number.precision() - number.scale() - 1;
    if (exponent >= -4 && exponent < 6) {
      return number.toPlainString();
    }
    String digits = number.movePointLeft(exponent).toPlainString();
    return "%se%s%02d".formatted(digits, exponent < 0 ? "-" : "+", Math.abs(exponent));
  }
}
