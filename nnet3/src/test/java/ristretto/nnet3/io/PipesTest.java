package ristretto.nnet3.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.FileException;

/** Commands in scripts run only if the user allows them. */
class PipesTest {
  @TempDir private Path folder;

  @AfterEach
  void forget() {
    System.clearProperty(PipePermission.PROPERTY);
  }

  private Path script(String text) throws IOException {
    return Files.writeString(folder.resolve("x.scp"), text);
  }

  private String refusal(String line, int at, Path script) {
    return String.format(
        Locale.ROOT,
        "[kaldi] a command must be typed on the command line; got \"%s\" in %s at byte %d; read the"
            + " line, and allow commands in files with --allow-pipes or RISTRETTO_ALLOW_PIPES=1.",
        line,
        script,
        at);
  }

  @ParameterizedTest
  @ValueSource(strings = {"scp:", "scp,p:", "scp,bg:"})
  void scriptsToReadRunNothing(String table) throws IOException {
    Path ran = folder.resolve("ran");
    Path script = script("a %s\nb touch %s; echo 1 |[0:0]\n".formatted(value(), ran));
    assertThatThrownBy(
            () -> {
              try (var reader = TableReader.open(table + script, Holder.INT)) {
                while (reader.next()) {
                  reader.value();
                }
              }
            })
        .isInstanceOf(FileException.class)
        .hasMessage(
            refusal(
                "b touch %s; echo 1 |[0:0]".formatted(ran),
                3 + value().toString().length(),
                script));
    assertThat(ran).doesNotExist();
  }

  private Path value() throws IOException {
    return Files.writeString(folder.resolve("value"), "1\n");
  }

  @Test
  void scriptsToLookUpRunNothing() throws IOException {
    Path ran = folder.resolve("ran");
    String line = "a touch %s; echo 1 |".formatted(ran);
    Path script = script(line + "\n");
    assertThatThrownBy(() -> RandomAccessTable.open("scp:" + script, Holder.INT))
        .isInstanceOf(FileException.class)
        .hasMessage(refusal(line, 0, script));
    assertThat(ran).doesNotExist();
  }

  @Test
  void scriptsToWriteRunNothing() throws IOException {
    String line = "a | cat > %s".formatted(folder.resolve("ran"));
    Path script = script(line + "\n");
    assertThatThrownBy(() -> TableWriter.open("scp:" + script, Holder.INT))
        .isInstanceOf(FileException.class)
        .hasMessage(refusal(line, 0, script));
  }

  @Test
  void theUserAllowsThem() throws IOException {
    System.setProperty(PipePermission.PROPERTY, "true");
    Path file = folder.resolve("written");
    Path script = script("a | cat > %s\n".formatted(file));
    try (var out = TableWriter.open("scp,t:" + script, Holder.INT)) {
      out.write("a", 7);
      out.commit();
    }
    try (var in = TableReader.open("scp:" + script("a cat %s |\n".formatted(file)), Holder.INT)) {
      assertThat(in.next()).isTrue();
      assertThat(in.value()).isEqualTo(7);
    }
  }

  @Test
  void otherWordsAllowNothing() {
    System.setProperty(PipePermission.PROPERTY, "yes");
    assertThatThrownBy(PipePermission::allowed)
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[kaldi] RISTRETTO_ALLOW_PIPES and ristretto.allow-pipes must be 1, true, 0 or false;"
                + " got \"yes\"; correct it.");
  }
}
