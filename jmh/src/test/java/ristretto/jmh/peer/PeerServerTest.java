package ristretto.jmh.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Input;

class PeerServerTest {
  /** Copies its input, and knows nothing else. */
  private static final class CopyLibrary implements PeerServer.Library {
    @Override
    public String version() {
      return "copy 1";
    }

    @Override
    public Optional<PeerWork> prepare(String line, Dims dims, PeerServer.Data[] inputs) {
      float[] values = inputs[0].floats();
      return line.equals("copy") ? Optional.of(new CopyWork(values)) : Optional.empty();
    }
  }

  private record CopyWork(float[] values) implements PeerWork {
    @Override
    public void run() {}

    @Override
    public float at(long index) {
      return values[(int) index];
    }

    @Override
    public void close() {}
  }

  private static String serve(String requests) throws IOException {
    InputStream standard = System.in;
    var answers = new ByteArrayOutputStream();
    try {
      System.setIn(new ByteArrayInputStream(requests.getBytes(StandardCharsets.UTF_8)));
      PeerServer.serve(new CopyLibrary(), new PrintStream(answers, true, StandardCharsets.UTF_8));
    } finally {
      System.setIn(standard);
    }
    return answers.toString(StandardCharsets.UTF_8);
  }

  @Test
  void answersEachRequest() throws IOException {
    assertThat(serve("prepare copy 10 10:-1:1\nprobe 0 9\nrelease\nprepare gelu 10 10:0:1\n"))
        .isEqualTo(
            "ok copy 1\nok\nok %s %s\nok\nno\n"
                .formatted((double) Input.value(0, 0, -1, 1), (double) Input.value(0, 9, -1, 1)));
  }

  @Test
  void tellsTheMemoryOfTensors() throws IOException {
    assertThat(serve("prepare copy 10 10:-1:1\npeak\n")).isEqualTo("ok copy 1\nok\nok 0\n");
  }

  @Test
  void aFailureIsAnAnswer() throws IOException {
    assertThat(serve("probe 0\nwait\n"))
        .startsWith("ok copy 1\nerror java.lang.NullPointerException")
        .endsWith("\nerror unknown request wait\n");
  }
}
