package ristretto.jmh.nnet3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class KaldiProgramTest {
  @Test
  void timesAreMilliseconds() throws IOException {
    String line =
        "{\"compile\":0.0277,\"commands\":53,\"forward\":2e-3,\"both\":0,\"bytes\":27136000}";
    assertThat(KaldiProgram.parse(line))
        .isEqualTo(new KaldiTimes.Times(27.7, 2, 0, 53, 27_136_000));
  }

  @Test
  void everythingMustBeThere() {
    assertThatThrownBy(() -> KaldiProgram.parse("{\"forward\":1}"))
        .hasMessage(
            "the program that measures Kaldi must print compile, forward, both, commands and"
                + " bytes; got {\"forward\":1}");
  }
}
