package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.network.Nnet;

class ModelToolsTest extends ToolTest {
  private byte[] bytes(String name) throws IOException {
    return Files.readAllBytes(folder().resolve(name));
  }

  @Test
  void whatIsPrintedMustBeTaken() {
    Nnet.fromConfig(
            "test",
            "input-node name=input dim=3\ncomponent name=a type=NoOpComponent dim=3\n"
                + "component-node name=a component=a input=input\n"
                + "output-node name=output input=a\n",
            1)
        .save(at("full.raw"), true);
    var err = new ByteArrayOutputStream();
    PrintStream before = System.out;
    var full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    int status;
    System.setOut(new PrintStream(full, true, StandardCharsets.UTF_8));
    try {
      status =
          Main.run(
              List.of("nnet3-info", at("full.raw")),
              new PrintStream(err, true, StandardCharsets.UTF_8));
    } finally {
      System.setOut(before);
    }
    assertThat(status).isEqualTo(255);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .endsWith(
            "ERROR (nnet3-info) [nnet3-info] standard output must be writable; got a full disk or a"
                + " closed pipe; redirect it elsewhere."
                + System.lineSeparator());
  }

  @Test
  void configBecomesModelAndTextAndModelAgain() throws IOException {
    Vectors.copy("doc-tdnn", folder());
    assertThat(run("nnet3-init", "--srand=3", at("nnet.config"), at("0.raw"))).isZero();
    assertThat(log())
        .contains("LOG (nnet3-init) Initialized raw neural net and wrote it to " + at("0.raw"));
    assertThat(run("nnet3-init", "--srand=3", at("nnet.config"), at("same.raw"))).isZero();
    assertThat(bytes("0.raw")).isEqualTo(bytes("same.raw"));
    assertThat(run("nnet3-init", "--srand=4", at("nnet.config"), at("other.raw"))).isZero();
    assertThat(bytes("0.raw")).isNotEqualTo(bytes("other.raw"));
    assertThat(run("nnet3-copy", "--binary=false", at("0.raw"), at("0.txt"))).isZero();
    assertThat(Files.readString(folder().resolve("0.txt"))).startsWith("<Nnet3> \ninput-node");
    assertThat(run("nnet3-copy", at("0.raw"), at("1.raw"))).isZero();
    assertThat(bytes("1.raw")).isEqualTo(bytes("0.raw"));
    assertThat(log())
        .contains("LOG (nnet3-copy) Copied raw neural net from " + at("0.raw") + " to ");
    assertThat(run("nnet3-info", at("0.txt"))).isZero();
    assertThat(out()).startsWith("left-context: ").contains("\nmodulus: 1\ninput-node name=input");
  }

  @Test
  void secondConfigAddsLayers() {
    Vectors.copy("config-override", folder());
    assertThat(run("nnet3-init", at("nnet.config"), at("0.raw"))).isZero();
    assertThat(run("nnet3-init", at("0.raw"), at("nnet2.config"), at("1.raw"))).isZero();
    assertThat(log()).contains("LOG (nnet3-init) Read raw neural net from " + at("0.raw"));
    assertThat(run("nnet3-info", at("1.raw"))).isZero();
    assertThat(out()).contains("component-node name=a2 component=a2 input=r input-dim=4");
    assertThat(run("nnet3-copy", "--nnet-config=" + at("nnet2.config"), at("0.raw"), at("2.raw")))
        .isZero();
    assertThat(run("nnet3-info", at("2.raw"))).isZero();
    assertThat(out()).contains("component-node name=a2 component=a2 input=r input-dim=4");
  }

  @Test
  void copiesAreEdited() throws IOException {
    Vectors.copy("doc-tdnn", folder());
    Files.writeString(folder().resolve("edits"), "set-learning-rate learning-rate=0.5 # all\n");
    assertThat(
            run(
                "nnet3-copy",
                "--edits-config=" + at("edits"),
                "--edits=rename-node old-name=nonlin1 new-name=x;remove-orphans",
                "--scale=0",
                at("model.raw"),
                at("1.raw")))
        .isZero();
    assertThat(log())
        .contains("LOG (nnet3-copy) Set learning rates for 2 components.")
        .contains("LOG (nnet3-copy) Removed 0 orphan nodes.");
    assertThat(run("nnet3-info", at("1.raw"))).isZero();
    assertThat(out())
        .contains("component-node name=x component=relu1")
        .contains("learning-rate=0.5, linear-params-rms=0,");
    assertThat(run("nnet3-copy", "--prepare-for-test", at("model.raw"), at("2.raw"))).isZero();
  }

  @Test
  void acousticModelsKeepTheirTransitionModel() throws IOException {
    Vectors.copy("doc-tdnn", folder());
    byte[] raw = bytes("model.raw");
    var model = new ByteArrayOutputStream();
    model.write(raw, 0, 2);
    model.writeBytes(
        "<TransitionModel> \0\1\2</ </TransitionModel> ".getBytes(StandardCharsets.ISO_8859_1));
    model.write(raw, 2, raw.length - 2);
    model.writeBytes(
        "<LeftContext> \4\1\0\0\0<RightContext> \4\2\0\0\0".getBytes(StandardCharsets.ISO_8859_1));
    model.writeBytes("<Priors> FV \4\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1));
    Files.write(folder().resolve("0.mdl"), model.toByteArray());
    assertThat(run("nnet3-am-copy", at("0.mdl"), at("1.mdl"))).as(log()).isZero();
    assertThat(bytes("1.mdl")).isEqualTo(bytes("0.mdl"));
    assertThat(run("nnet3-am-copy", "--raw=true", at("0.mdl"), at("1.raw"))).isZero();
    assertThat(bytes("1.raw")).isEqualTo(raw);
    assertThat(run("nnet3-am-copy", "--set-raw-nnet=" + at("1.raw"), at("0.mdl"), at("2.mdl")))
        .isZero();
    assertThat(bytes("2.mdl")).isEqualTo(bytes("0.mdl"));
    assertThat(run("nnet3-info", at("0.mdl"))).isZero();
    assertThat(out()).startsWith("left-context: 1\nright-context: 2\n");
    assertThat(run("nnet3-am-info", at("0.mdl"))).isZero();
    assertThat(out())
        .startsWith("input-dim: ")
        .contains("prior-dimension: 0\n# Nnet info follows.\nleft-context: 1\n");
    assertThat(run("nnet3-am-info", at("model.raw"))).isEqualTo(255);
    assertThat(log())
        .contains("a model must begin with <TransitionModel>; got something else at byte 2 of");
    assertThat(run("nnet3-am-copy", "--binary=false", at("0.mdl"), at("t.mdl"))).isEqualTo(255);
    assertThat(log())
        .contains("ERROR (nnet3-am-copy) [kaldi] the token <Topology> must come next; got \"")
        .contains(" at byte 20 of " + at("0.mdl"));
    assertThat(folder().resolve("t.mdl")).doesNotExist();
  }

  @Test
  void wrongUseEndsWithOneAndFailuresWith255() throws IOException {
    Vectors.copy("doc-tdnn", folder());
    assertThat(run("nnet3-init", at("nnet.config"))).isEqualTo(1);
    assertThat(log()).contains("Usage:  nnet3-init [options] [<existing-model-in>] <config-in>");
    assertThat(run("nnet3-info", at("none.raw"))).isEqualTo(255);
    Files.writeString(folder().resolve("bad.config"), "input-node name=input dim=x\n");
    assertThat(run("nnet3-init", at("bad.config"), at("x.raw"))).isEqualTo(255);
    assertThat(log())
        .contains(
            "ERROR (nnet3-init) [config] dim must be a whole number; got 'x'. At "
                + at("bad.config")
                + ":1\n");
    assertThat(folder().resolve("x.raw")).doesNotExist();
    assertThat(run("nnet3-init", at("model.raw"), at("x.raw"))).isEqualTo(255);
    assertThat(log()).contains("a config must be text; got a binary file at byte 0 of");
  }

  @Test
  void singularValuesAreToldAtLevelTwo() throws IOException {
    Files.writeString(folder().resolve("m"), " [ 0 3 1\n 4 0 0.5 ]\n");
    Files.writeString(
        folder().resolve("nnet.config"),
        """
        input-node name=input dim=2
        component name=a type=AffineComponent matrix=%s
        component-node name=a component=a input=input
        output-node name=output input=a
        """
            .formatted(at("m")));
    assertThat(run("nnet3-init", at("nnet.config"), at("0.raw"))).isZero();
    assertThat(run("nnet3-info", at("0.raw"))).isZero();
    assertThat(out()).contains("-col-norms=[ 4.0 3.0 ], bias-").doesNotContain("singular");
    assertThat(run("nnet3-info", "--verbose=2", at("0.raw"))).isZero();
    assertThat(out())
        .contains("-col-norms=[ 4.0 3.0 ], linear-params-singular-values=[ 4.0 3.0 ], bias-");
  }

  @Test
  void numbersThatAreNoneAreRefusedOnRequest() throws IOException {
    Vectors.copy("doc-tdnn", folder());
    assertThat(run("nnet3-copy", "--scale=1e38", at("model.raw"), at("large.raw"))).isZero();
    assertThat(run("nnet3-copy", "--scale=1e38", at("large.raw"), at("inf.raw"))).isZero();
    assertThat(run("nnet3-copy", "--check-finite", at("model.raw"), at("1.raw"))).isZero();
    assertThat(run("nnet3-info", at("inf.raw"))).isZero();
    for (String command : new String[] {"nnet3-info", "nnet3-copy"}) {
      String[] words =
          command.equals("nnet3-info")
              ? new String[] {command, "--check-finite", at("inf.raw")}
              : new String[] {command, "--check-finite", at("inf.raw"), at("2.raw")};
      assertThat(run(words)).isEqualTo(255);
      assertThat(log())
          .containsPattern(
              "ERROR \\("
                  + command
                  + "\\) \\[kaldi] numbers must be finite; got -?inf at byte \\d+ of ");
    }
    assertThat(Files.exists(folder().resolve("2.raw"))).isFalse();
  }
}
