package ristretto.nnet3.fst;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.nnet3.io.KaldiInput;

/** Properties that OpenFst computes for the same transducers, and single properties. */
class FstPropertiesTest {
  private static final int TRANSDUCER = 17;
  private static final int EPSILONS = 22;
  private static final int CYCLIC = 34;
  private static final int INITIAL_CYCLIC = 36;
  private static final int NOT_ACCESSIBLE = 41;
  private static final int NOT_COACCESSIBLE = 43;
  private static final int WEIGHTED_CYCLES = 46;

  @TempDir Path folder;

  private long properties(String lines) throws IOException {
    Path file = folder.resolve("fst.txt");
    Files.writeString(file, "\n" + lines.replace(";", "\n").replace(" ", "\t") + "\n\n");
    try (KaldiInput in = KaldiInput.open(file.toString())) {
      return FstProperties.of(ReadFst.text(in));
    }
  }

  private static boolean has(long properties, int bit) {
    return (properties >> bit & 1) == 1;
  }

  /** A chain of two frames, and two paths of two frames. */
  @ParameterizedTest
  @CsvSource({
    "0 1 3 3;1 2 4 4;2,0x956a5a950001",
    "0 1 3 3 0.5;0 2 4 4 0.25;1 3 5 5;2 3 5 5;3,0xa5695a950001",
    "0 1 4 4 0.5;0 2 3 3 0.25;1 3 5 5;2 3 5 5;3,0xa569aa950001",
    "0 0 1 1 0.5;0 1 2 2;1,0x65955a950001"
  })
  void allAreOpenFsts(String lines, String wanted) throws IOException {
    assertThat(Long.toHexString(properties(lines))).isEqualTo(wanted.substring(2));
  }

  @Test
  void singleProperties() throws IOException {
    assertThat(has(properties("0 1 3 4;1"), TRANSDUCER)).isTrue();
    assertThat(has(properties("0 1 0 0;1"), EPSILONS)).isTrue();
    assertThat(has(properties("0 1 0 1;1"), EPSILONS)).isFalse();
    assertThat(has(properties("0 1 1 1;2 1 1 1;1"), NOT_ACCESSIBLE)).isTrue();
    assertThat(has(properties("0 1 1 1;0 2 1 1;1"), NOT_COACCESSIBLE)).isTrue();
    long loop = properties("0 1 1 1 0.5;1 2 1 1;2 1 2 2;2");
    assertThat(has(loop, CYCLIC)).isTrue();
    assertThat(has(loop, INITIAL_CYCLIC)).isFalse();
    assertThat(has(loop, WEIGHTED_CYCLES)).isFalse();
    assertThat(has(properties("0 1 1 1;1 2 1 1;2 1 2 2 0.5;2"), WEIGHTED_CYCLES)).isTrue();
  }

  /** A path of a million states is no problem for the search of cycles. */
  @Test
  void longPathsNeedNoStack() {
    var builder = new FstBuilder();
    builder.start(0);
    int states = 1_000_000;
    for (int s = 1; s < states; s++) {
      builder.arc(s - 1, 1, 1, 0, s);
    }
    builder.finalCost(states - 1, 0);
    assertThat(has(FstProperties.of(builder.build()), CYCLIC)).isFalse();
  }
}
