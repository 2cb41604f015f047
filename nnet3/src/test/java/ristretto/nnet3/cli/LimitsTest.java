package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.nnet3.network.Nnet;

/** Numbers and files that ask for more time or memory than there is. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LimitsTest extends ToolTest {
  private static final String NODES =
      """
      input-node name=input dim=4
      component-node name=n component=c input=input
      output-node name=output input=n
      """;

  private String config(String text) throws IOException {
    return Files.writeString(folder().resolve("nnet.config"), text).toString();
  }

  /** A model in a file whose text has something in the place of something else. */
  private void change(String component, String from, String to) throws IOException {
    change(NODES, component, from, to);
  }

  private void change(String nodes, String component, String from, String to) throws IOException {
    Nnet.fromConfig("test", nodes + "component name=c " + component + "\n", 1)
        .save(at("x.raw"), false);
    String text = Files.readString(folder().resolve("x.raw"));
    assertThat(text).contains(from);
    Files.writeString(folder().resolve("x.raw"), text.replace(from, to));
  }

  private void refused(String rule, String got) {
    assertThat(run("nnet3-info", at("x.raw"))).isEqualTo(255);
    assertThat(last())
        .matches(
            "ERROR \\(nnet3-info\\) \\[kaldi\\] \\Q%s; got %s\\E at byte \\d+ of .*; the file is damaged or of another kind\\."
                .formatted(rule, got));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "<RankIn> 2 ! <RankIn> 0 ! the rank of a natural gradient must be at least 1 ! 0",
        "<RankOut> 2 ! <RankOut> -7 ! the rank of a natural gradient must be at least 1 ! -7",
        "<UpdatePeriod> 4 ! <UpdatePeriod> 0"
            + " ! the update period of a natural gradient must be at least 1 ! 0",
        "<NumSamplesHistory> 2000 ! <NumSamplesHistory> -1"
            + " ! the history of a natural gradient must be above 0"
            + " ! -1.0 samples and 0.0 minibatches",
        "<Alpha> 4 ! <Alpha> nan ! alpha of a natural gradient must not be negative ! NaN",
      })
  void naturalGradientsHaveRanks(String from, String to, String rule, String got)
      throws IOException {
    change("type=NaturalGradientAffineComponent input-dim=4 output-dim=3", from, to);
    refused(rule, got);
  }

  @Test
  void windowsOfStatisticsAreBounded() throws IOException {
    String pooling = "type=StatisticsPoolingComponent input-dim=4 left-context=0 right-context=10";
    String rule = "a component must read at most 1000000 rows for each output row";
    change(pooling, "<RightContext> 10", "<RightContext> 88093496");
    refused(rule, "88093497");
    assertThat(
            run(
                "nnet3-init",
                config(NODES + "component name=c " + pooling + "000000\n"),
                at("y.raw")))
        .isEqualTo(255);
    assertThat(log()).contains("[config] " + rule + "; got 10000001. At ");
    change(
        "type=StatisticsExtractionComponent input-dim=4",
        "<OutputPeriod> 1",
        "<OutputPeriod> 2000000000");
    refused(rule, "2000000000");
  }

  @Test
  void dimensionsAreBounded() throws IOException {
    String large = NODES.replace("dim=4", "dim=40000");
    assertThat(
            run(
                "nnet3-init",
                config(
                    large
                        + "component name=c type=AffineComponent input-dim=40000"
                        + " output-dim=50000\n"),
                at("y.raw")))
        .isIn(0, 255);
    assertThat(log()).doesNotContain("this is a bug of Ristretto");
    change(
        "type=StatisticsPoolingComponent input-dim=4 left-context=0 right-context=10"
            + " num-log-count-features=2",
        "<NumLogCountFeatures> 2",
        "<NumLogCountFeatures> 2147483647");
    refused("sizes of a component and their products must be integers of 32 bits", "larger ones");
    change(
        NODES.replace("dim=4", "dim=5"),
        "type=RestrictedAttentionComponent num-heads=1 key-dim=1 value-dim=1 num-left-inputs=1"
            + " num-right-inputs=0 time-stride=1",
        "<NumHeads> 1 ",
        "<NumHeads> 858993461 ");
    refused("sizes of a component and their products must be integers of 32 bits", "larger ones");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "n",
        "Sum(n, input)",
        "IfDefined(n)",
        "Sum(input, IfDefined(Offset(n, -1)))",
        "Sum(input, IfDefined(Round(Offset(n, -1), 1000000)))",
        "Sum(input, Offset(Round(input, 99991), -88093496), IfDefined(Offset(n, -1)))",
        "Sum(input, IfDefined(Offset(n, -1)), Switch(input, n, n, n, n, n, n))",
        "Sum(Failover(Offset(n, 2147483647), input), Round(input, 2147483647))",
      })
  void cyclesAndFarTimesEnd(String input) throws IOException {
    String text = NODES.replace("component=c input=input", "component=c input=" + input);
    Files.writeString(
        folder().resolve("request.txt"),
        """
        need-model-derivative 0
        input input has-deriv=0
        range n=0:1 t=-1:9
        output output has-deriv=0
        range n=0:1 t=0:8
        """);
    String config = config(text + "component name=c type=NoOpComponent dim=4\n");
    if (run("nnet3-init", config, at("x.raw")) != 0) {
      assertThat(log()).doesNotContain("this is a bug of Ristretto");
      return;
    }
    for (String[] words :
        new String[][] {
          {"nnet3-info", at("x.raw")},
          {"nnet3-copy", at("x.raw"), at("y.raw")},
          {"nnet3-compile", at("x.raw"), at("request.txt")},
        }) {
      int status = run(words);
      assertThat(log()).as(words[0]).doesNotContain("this is a bug of Ristretto");
      assertThat(status).isIn(0, 255);
    }
  }

  @Test
  void namesThatTheSystemCannotHaveAreRefused() {
    assertThat(run("nnet3-fit", "--feats=ark:x", "--targets=ark:y", "--dir=a\0b", at("c")))
        .isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [nnet3-fit] the name of a file must be text that the system can"
                + " encode; got a\\u0000b (Nul character not allowed); rename the file, or set"
                + " LC_ALL to a locale of UTF-8, such as C.UTF-8.");
  }

  @Test
  void endlessFilesAreRefused() throws IOException {
    assertThat(run("nnet3-info", "--config=/dev/zero", at("x.raw"))).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-info) [options] a file of options must have at most 1048576 bytes; got"
                + " more in /dev/zero; check the path.");
    assertThat(run("nnet3-init", "yes 'a b=1' |", at("x.raw"))).isEqualTo(255);
    assertThat(last())
        .contains("[kaldi] a config must have at most 67108864 characters; got more at");
    for (String command : new String[] {"nnet3-info", "nnet3-copy"}) {
      assertThat(run(command, "yes '<Nnet3>' | tr '\\n' ' ' |", at("y.raw"))).isIn(1, 255);
      assertThat(log()).doesNotContain("this is a bug of Ristretto");
    }
  }
}
