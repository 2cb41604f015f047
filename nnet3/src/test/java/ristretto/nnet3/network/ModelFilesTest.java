package ristretto.nnet3.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/** Models as Kaldi writes them, and what its tools tell about them. */
class ModelFilesTest {
  private static final Pattern STATISTICS = Pattern.compile("<Count> [1-9]");
  private static final Pattern NUMBER = Pattern.compile("-?[0-9.]+(e[-+][0-9]+)?|-?nan|-?inf");

  static List<String> binary() {
    return Vectors.casesWith("model.raw");
  }

  static List<String> text() {
    return Vectors.casesWith("model.txt").stream()
        .filter(name -> Vectors.has(name, "model.raw"))
        .toList();
  }

  static List<String> infos() {
    return Vectors.casesWith("info.txt").stream()
        .filter(name -> Vectors.has(name, "model.raw"))
        .toList();
  }

  static List<String> gradients() {
    return Vectors.casesWith("paramgrad.raw");
  }

  private static Nnet read(String name, String file) {
    try (KaldiInput in = KaldiInput.of(name + "/" + file, Vectors.bytes(name, file))) {
      Nnet nnet = Nnet.read(in);
      assertThat(in.atEnd()).isTrue();
      return nnet;
    }
  }

  @ParameterizedTest
  @MethodSource("binary")
  void binaryModelIsWrittenAsItWasRead(String name) {
    sameBytes(name, "model.raw");
  }

  @ParameterizedTest
  @MethodSource("gradients")
  void binaryGradientIsWrittenAsItWasRead(String name) {
    sameBytes(name, "paramgrad.raw");
  }

  /** Averages become sums and averages again, so their last bits may change, as in Kaldi. */
  private static void sameBytes(String name, String file) {
    Nnet nnet = read(name, file);
    byte[] expected = Vectors.bytes(name, file);
    byte[] actual = KaldiOutput.bytes(true, nnet::write);
    boolean hasAverages =
        nnet.components().values().stream().anyMatch(c -> c.info().contains("count="));
    if (!hasAverages) {
      assertThat(actual).isEqualTo(expected);
      return;
    }
    assertThat(actual).hasSameSizeAs(expected);
    int different = 0;
    for (int i = 0; i < actual.length; i++) {
      different += actual[i] == expected[i] ? 0 : 1;
    }
    assertThat(different).isLessThan(60);
  }

  @ParameterizedTest
  @MethodSource("text")
  void textModelBecomesTheBinaryOne(String name) {
    Nnet nnet = read(name, "model.txt");
    assertThat(KaldiOutput.bytes(true, nnet::write)).isEqualTo(Vectors.bytes(name, "model.raw"));
  }

  @ParameterizedTest
  @MethodSource("text")
  void textModelIsWrittenAsItWasRead(String name) {
    Nnet nnet = read(name, "model.txt");
    String written = new String(KaldiOutput.bytes(false, nnet::write), StandardCharsets.UTF_8);
    String text = Vectors.text(name, "model.txt");
    if (!STATISTICS.matcher(text).find()) {
      assertThat(written).isEqualTo(text);
    }
    assertThat(NUMBER.matcher(written).replaceAll("#"))
        .isEqualTo(NUMBER.matcher(text).replaceAll("#"));
  }

  @ParameterizedTest
  @MethodSource("infos")
  void infoIsKaldis(String name) {
    String ours = read(name, "model.raw").info();
    String theirs = Vectors.text(name, "info.txt");
    int start = theirs.indexOf("left-context: ", theirs.indexOf("# Nnet info follows"));
    if (start < 0) {
      // Kaldi finds no context.
      start = theirs.indexOf("input-node");
      ours = ours.substring(ours.indexOf("input-node"));
    }
    assertThat(ours).isEqualTo(theirs.substring(start));
  }
}
