package ristretto.nnet3.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParseOptionsTest {
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final ParseOptions options =
      new ParseOptions("tool", "Does it.\n\nUsage:  tool [options]\n");
  private final Option<Boolean> binary = options.bool("binary", true, "Write binary");
  private final Option<Integer> frames = options.integer("num-frames", 8, "Frames");
  private final Option<Float> scale = options.real("scale", 0.1f, "Factor");
  private final Option<String> edits = options.string("edits", "", "Changes");

  private List<String> read(String... words) {
    return options.read(List.of(words), new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private String printed() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void optionsComeBeforeArguments() {
    assertThat(read("--Num_Frames=3", "--binary=F", "--scale=1e-3", "--edits=a=b", "x", "--y", "-"))
        .containsExactly("x", "--y", "-");
    assertThat(frames.get()).isEqualTo(3);
    assertThat(binary.get()).isFalse();
    assertThat(scale.get()).isEqualTo(1e-3f);
    assertThat(edits.get()).isEqualTo("a=b");
    assertThat(printed())
        .isEqualTo(
            "tool --Num_Frames=3 --binary=F --scale=1e-3 --edits=a=b x --y - "
                + System.lineSeparator());
  }

  @Test
  void twoDashesEndOptions() {
    assertThat(read("--binary", "--", "--scale=2")).containsExactly("--scale=2");
    assertThat(binary.get()).isTrue();
  }

  @Test
  void theCommandLineIsPrintedForShells() {
    read("--verbose=2", "a b", "it's", "");
    assertThat(options.verbose()).isEqualTo(2);
    assertThat(printed()).startsWith("tool --verbose=2 'a b' 'it'\\''s' '' ");
    err.reset();
    read("--print-args=false", "a");
    assertThat(printed()).isEmpty();
  }

  @Test
  void filesHoldOptionsThatTheCommandLineOverrides(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("conf");
    Files.writeString(file, "# all\n--num-frames=5  # five\n\n--scale=2\n");
    read("--scale=3", "--config=" + file);
    assertThat(frames.get()).isEqualTo(5);
    assertThat(scale.get()).isEqualTo(3);
    Files.writeString(file, "\nscale=2\n");
    assertThatThrownBy(() -> read("--config=" + file))
        .hasMessage(
            "[options] a line of options must be --name=value; got \"scale=2\" in line 2 of %s; correct it."
                .formatted(file));
    Files.writeString(file, "--scale=x\n");
    assertThatThrownBy(() -> read("--config=" + file))
        .hasMessage(
            "[options] --scale must be a number; got \"x\" in line 1 of %s; correct it."
                .formatted(file));
    Files.delete(file);
    assertThatThrownBy(() -> read("--config=" + file))
        .hasMessage(
            "[options] --config must name an existing text file; got %s; check the path."
                .formatted(file));
  }

  @Test
  void filesOfOptionsHoldNoCommands(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("conf"), "\n--edits=ark:cat x |  # read\n");
    assertThatThrownBy(() -> read("--config=" + file))
        .isInstanceOf(UsageException.class)
        .hasMessage(
            "[options] a command must be typed on the command line; got \"--edits=ark:cat x |\" in line 2 of %s; read the line, and allow commands in files with --allow-pipes or RISTRETTO_ALLOW_PIPES=1."
                .formatted(file));
    read("--config=" + file, "--allow-pipes");
    assertThat(edits.get()).isEqualTo("ark:cat x |");
    Files.writeString(file, "--Allow_Pipes=true\n");
    assertThatThrownBy(() -> read("--config=" + file, "--allow-pipes"))
        .isInstanceOf(UsageException.class)
        .hasMessage(
            "[options] --allow-pipes must be typed on the command line; got \"--Allow_Pipes=true\" in line 1 of %s; remove the line."
                .formatted(file));
  }

  @Test
  void helpShowsAllOptions() {
    assertThat(read("--help")).isNull();
    assertThat(printed())
        .isEqualTo(
            """

            Does it.

            Usage:  tool [options]

            Options:
              --binary                    : Write binary (bool, default = true)
              --edits                     : Changes (string, default = "")
              --num-frames                : Frames (int, default = 8)
              --scale                     : Factor (float, default = 0.1)

            Standard options:
              --allow-pipes               : Run commands named in configs and scripts, like RISTRETTO_ALLOW_PIPES=1 (Ristretto's own option) (bool, default = false)
              --config                    : File with options, one per line (string, default = "")
              --help                      : Show this text (bool, default = false)
              --print-args                : Show the command line (on stderr) (bool, default = true)
              --verbose                   : Verbosity level (int, default = 0)

            """);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "--binary=maybe ! [options] --binary must be true or false; got \"maybe\"; correct it.",
        "--num-frames=1.5 ! [options] --num-frames must be an integer of 32 bits; got \"1.5\";"
            + " correct it.",
        "--scale ! [options] --scale must have a value, a number; got none; write --scale=VALUE.",
        "--num-frame=1 ! [options] an option must be known to tool; got \"--num-frame=1\"; --help"
            + " lists them; did you mean 'num-frames'?",
        "--xyzzy ! [options] an option must be known to tool; got \"--xyzzy\"; --help lists them.",
      })
  void wrongOptionsAreRefused(String word, String message) {
    assertThatThrownBy(() -> read(word)).isInstanceOf(UsageException.class).hasMessage(message);
  }
}
