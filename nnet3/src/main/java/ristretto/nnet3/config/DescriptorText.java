package ristretto.nnet3.config;

import java.util.List;
import java.util.stream.Collectors;
import ristretto.nnet3.io.FloatText;

/** Formatting of descriptors as Kaldi prints them. */
final class DescriptorText {
  private DescriptorText() {}

  static String call(String function, List<Descriptor> arguments) {
    return arguments.stream()
        .map(Descriptor::toString)
        .collect(Collectors.joining(", ", function + "(", ")"));
  }

  static String number(float value) {
    return FloatText.of(value, 6);
  }
}
