package ristretto.nnet3.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.nnet3.network.Nnet;

/** Models of random networks, written and read again. */
class RandomModelFilesTest {
  @TempDir private Path folder;

  @Test
  void areReadAsTheyWereWritten() {
    Seeds.each(
        76,
        seed -> {
          Nnet nnet = RandomNet.of(seed).nnet();
          byte[] binary = written(nnet, true);
          Nnet again = read();
          assertThat(again.configLines(true)).isEqualTo(nnet.configLines(true));
          assertThat(written(again, true)).as("seed %d", seed).isEqualTo(binary);
          byte[] text = written(nnet, false);
          assertThat(written(read(), false)).as("seed %d", seed).isEqualTo(text);
        },
        // convolutions of one height only, which read no other
        2157,
        2252);
  }

  @Test
  void computeTheSame() {
    try (Context context = Context.open("cpu")) {
      Seeds.each(
          10,
          seed -> {
            RandomNet net = RandomNet.of(seed * 7);
            written(net.nnet(), true);
            Outcome want = Outcome.of(net, context);
            Outcome got = Outcome.of(net.with(read()), context);
            assertThat(got.differences(want, 0)).as(net.description()).isEmpty();
          });
    }
  }

  private byte[] written(Nnet nnet, boolean binary) {
    try {
      nnet.save(file(), binary);
      return Files.readAllBytes(Path.of(file()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Nnet read() {
    return Nnet.load(file());
  }

  private String file() {
    return folder.resolve("model").toString();
  }
}
