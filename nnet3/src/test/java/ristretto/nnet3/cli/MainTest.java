package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.tool.Tool;

class MainTest {
  /** Fails in a way that it should not. */
  private static final class Failing extends Tool {
    private final RuntimeException failure;

    Failing(RuntimeException failure) {
      super("nnet3-fail", "Fails.\n", 1, 1);
      this.failure = failure;
    }

    @Override
    public int run(List<String> arguments, CommandLog log) {
      throw failure;
    }
  }

  @Test
  void whatShouldNotHappenIsAMessageToo() {
    var err = new ByteArrayOutputStream();
    var failure = new IllegalStateException("no idea");
    var tool = new Failing(failure);
    int status =
        Main.run(
            "nnet3-fail", tool, List.of("it"), new PrintStream(err, true, StandardCharsets.UTF_8));
    assertThat(status).isEqualTo(255);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .matches(
            "nnet3-fail it \\R"
                + "ERROR \\(nnet3-fail\\) \\[nnet3-fail] this is a bug of Ristretto; got"
                + " java.lang.IllegalStateException: no idea at .*MainTest\\.java:\\d+\\); please"
                + " report it, with the command and its files\\.\\R");
  }

  @Test
  void argumentsThatJavaCouldNotDecodeAreRefused() {
    var err = new ByteArrayOutputStream();
    var words = List.of("nnet3-copy", "a.raw", "b\ufffd.raw");
    assertThat(Main.run(words, new PrintStream(err, true, StandardCharsets.UTF_8))).isEqualTo(255);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            "ERROR (nnet3-copy) [options] arguments must be text in UTF-8; got b\\ufffd.raw, where"
                + " \\ufffd stands for other bytes; rename the file.\n");
  }

  @Test
  void scriptsRunCommands() {
    assertThat(Command.run("nnet3-info", "--help")).isZero();
    assertThat(Command.run("nnet3-nothing")).isEqualTo(1);
  }
}
