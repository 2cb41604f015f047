package ristretto.jmh.nnet3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ColdCompilationTest {
  @Test
  void readsWhatTheCommandSays() throws IOException {
    assertThat(
            ColdCompilation.millis(
                "LOG (nnet3-compile) Compiled in 431.2 ms, with all kernels\nmore"))
        .isEqualTo(431.2);
    assertThatThrownBy(() -> ColdCompilation.millis("nothing"))
        .isInstanceOf(IOException.class)
        .hasMessage("nnet3-compile must say how long it took; got nothing");
  }
}
