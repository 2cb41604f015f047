package ristretto.nnet3.network;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.config.ConfigException;
import ristretto.nnet3.io.KaldiInput;

/** Models whose tokens or counts are wrong. */
class WrongTokensTest {
  private static Nnet read(String name, byte[] bytes) {
    try (KaldiInput in = KaldiInput.of(name, bytes)) {
      return Nnet.read(in);
    }
  }

  @Test
  void wrongTokensAreRefusedWithThePlace() {
    String text = Vectors.text("comp-Affine", "model.txt");
    refused(
        text.replace("<Nnet3> ", "<Nnet4> "),
        "[kaldi] the token <Nnet3> must come next; got \"<Nnet4>\" at byte 0 of model.txt");
    refused(
        text.replace("<AffineComponent>", "<AfineComponent>"),
        "[kaldi] a component type must come next; got \"<AfineComponent>\"; did you mean"
            + " 'AffineComponent' at byte ");
    refused(
        text.replace("<BiasParams>", "<Bias>"),
        "[kaldi] the token <BiasParams> must come next; got \"<Bias>\" at byte ");
    refused(
        text.replaceAll("<NumComponents> \\d+", "<NumComponents> 1000000000"),
        "[kaldi] the number of components must be below 100000; got 1000000000 at byte ");
    refused(
        text.replaceAll("(<BiasParams>  \\[ )\\S+ ", "$1"),
        "[kaldi] <BiasParams> must have as many elements as <LinearParams> has rows, ");
    refused(
        text.replace("component=c", "component=d"),
        "[config] a component-node must name a component that is defined; got 'd'. At"
            + " model.txt:3\n");
  }

  private static void refused(String text, String message) {
    assertThatThrownBy(() -> read("model.txt", text.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOfAny(FileFormatException.class, ConfigException.class)
        .hasMessageStartingWith(message);
  }
}
