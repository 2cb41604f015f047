package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.nnet3.config.ConfigException;
import ristretto.nnet3.network.Nnet;

/** Commands and files that other files name. */
class TrustTest extends ToolTest {
  private static final String NODES =
      """
      input-node name=input dim=1
      component-node name=a component=a input=input
      output-node name=output input=a
      """;

  private Path ran;

  @BeforeEach
  void name() {
    ran = folder().resolve("ran");
  }

  private String component(String keys) {
    return NODES + "component name=a " + keys + "\n";
  }

  private String config(String keys) throws IOException {
    return Files.writeString(folder().resolve("nnet.config"), component(keys)).toString();
  }

  @Test
  void configsRunCommandsOnlyIfAllowed() throws IOException {
    String line = "type=FixedAffineComponent matrix=\"touch %s; echo [ 1 2 ] |\"".formatted(ran);
    String config = config(line);
    assertThat(run("nnet3-init", config, at("x.raw"))).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-init) [kaldi] a command must be typed on the command line; got \"component name=a %s\" in %s:4; read the line, and allow commands in files with --allow-pipes or RISTRETTO_ALLOW_PIPES=1."
                .formatted(line, config));
    assertThat(ran).doesNotExist();
    assertThat(run("nnet3-init", "--allow-pipes", config, at("x.raw"))).isZero();
    assertThat(ran).exists();
    assertThat(System.getProperty("ristretto.allow-pipes")).isNull();
  }

  @Test
  void theCommandLineRunsCommands() throws IOException {
    String config = config("type=TanhComponent dim=1");
    assertThat(run("nnet3-init", "cat " + config + " |", "| cat > " + at("x.raw"))).isZero();
    assertThat(run("nnet3-info", "cat " + at("x.raw") + " |")).isZero();
  }

  /** A model whose header has a component. */
  private byte[] model(boolean binary, String keys) throws IOException {
    Path file = folder().resolve("saved");
    Nnet.fromConfig("test", component("type=TanhComponent dim=1"), 1).save(file.toString(), binary);
    return Files.readString(file, StandardCharsets.ISO_8859_1)
        .replaceFirst("output-node", "component name=zz " + keys + "\noutput-node")
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "matrix ! type=FixedAffineComponent matrix=\"touch RAN; echo [ 1 2 ] |\"",
        "matrix ! type=LinearComponent matrix=SECRET",
        "scales ! type=FixedScaleComponent scales=SECRET",
        "bias ! type=FixedBiasComponent bias=SECRET",
        "vector ! type=PerElementOffsetComponent vector=SECRET",
        "scales ! type=NaturalGradientPerElementScaleComponent scales=SECRET",
        "matrix ! type=CompositeComponent num-components=1"
            + " component1='type=AffineComponent matrix=SECRET'",
      })
  void headersOfModelsOpenNoFiles(String key, String keys) throws IOException {
    Path secret = Files.writeString(folder().resolve("secret"), "[ 1 2 ]\n");
    String told = keys.replace("RAN", ran.toString()).replace("SECRET", secret.toString());
    String value = told.replaceAll(".*(matrix|scales|bias|vector)=", "").replaceAll("[\"']", "");
    for (boolean binary : new boolean[] {true, false}) {
      byte[] model = model(binary, told);
      Path file = Files.write(folder().resolve("bad.raw"), model);
      assertThatThrownBy(() -> Nnet.load(file.toString()))
          .isInstanceOf(ConfigException.class)
          .hasMessageStartingWith(
              "[config] the header of a model must not name files; got '%s'. At %s:4\n  component name=zz %s\n"
                  .formatted(value, file, told));
      assertThat(run("nnet3-info", "--allow-pipes", file.toString())).isEqualTo(255);
      assertThat(ran).doesNotExist();
    }
  }
}
