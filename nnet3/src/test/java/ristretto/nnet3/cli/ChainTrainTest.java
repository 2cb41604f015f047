package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.network.Nnet;

/**
 * Training with the chain objective, beside Kaldi's networks and log after the same minibatches.
 */
class ChainTrainTest extends ToolTest {
  private static final Map<String, Map<String, byte[]>> NETWORKS =
      Vectors.read("chain-training.tar.gz");
  private static final Map<String, byte[]> FILES = NETWORKS.get("tdnn");

  /** Share of the largest parameter of an array; Kaldi's posteriors have errors of 5e-6. */
  private static final double TOLERANCE = 3e-4;

  @BeforeEach
  void write() throws IOException {
    for (var file : FILES.entrySet()) {
      Files.write(folder().resolve(file.getKey()), file.getValue());
    }
  }

  private int train(String examples, String to, String... more) {
    var words = new ArrayList<String>(List.of("nnet3-chain-train"));
    words.addAll(
        List.of(
            "--leaky-hmm-coefficient=0.1",
            "--max-param-change=2.0",
            "--print-interval=1",
            "--srand=1"));
    words.addAll(List.of(more));
    words.addAll(List.of(at("initial.raw"), at("den.fst"), "ark:" + at(examples), at(to)));
    return run(words.toArray(String[]::new));
  }

  private static List<float[]> parameters(Nnet nnet) {
    var all = new ArrayList<float[]>();
    nnet.components()
        .forEach((_, component) -> {
          if (component instanceof UpdatableComponent updatable) {
            updatable.mapParameters(array -> {
              all.add(array);
              return array;
            });
          }
        });
    return all;
  }

  /** In the second network, a component computes rows at irregular times. */
  @ParameterizedTest
  @ValueSource(strings = {"tdnn", "tdnnf"})
  void stepsAreKaldis(String network) throws IOException {
    Map<String, byte[]> files = NETWORKS.get(network);
    for (var file : files.entrySet()) {
      Files.write(folder().resolve(file.getKey()), file.getValue());
    }
    try (var reader = TableReader.open("ark:" + at("first3.cegs"), ChainExample.HOLDER);
        var writer = TableWriter.open("ark:" + at("first2.cegs"), ChainExample.HOLDER)) {
      for (int k = 0; k < 2 && reader.next(); k++) {
        writer.write(reader.key(), reader.value());
      }
      writer.commit();
    }
    for (int count : new int[] {2, 3}) {
      String[] regularize = {"--xent-regularize=0.1", "--l2-regularize=5e-5"};
      assertThat(train("first" + count + ".cegs", "out.raw", regularize)).as(log()).isZero();
      List<float[]> got = parameters(Nnet.load(at("out.raw")));
      List<float[]> expected = parameters(Nnet.load(at("after-" + count + ".raw")));
      assertThat(got).hasSameSizeAs(expected);
      for (int k = 0; k < got.size(); k++) {
        double largest = 0;
        double difference = 0;
        for (int i = 0; i < got.get(k).length; i++) {
          largest = Math.max(largest, Math.abs(expected.get(k)[i]));
          difference = Math.max(difference, Math.abs(expected.get(k)[i] - got.get(k)[i]));
        }
        assertThat(difference)
            .as("array %s after %s minibatches", k, count)
            .isLessThanOrEqualTo(TOLERANCE * largest);
      }
    }
    List<Double> numbers = numbers(log());
    List<Double> expected = numbers(new String(files.get("after-3.log"), StandardCharsets.UTF_8));
    assertThat(numbers).hasSameSizeAs(expected);
    for (int k = 0; k < numbers.size(); k++) {
      assertThat(numbers.get(k)).isCloseTo(expected.get(k), Percentage.withPercentage(0.02));
    }
  }

  /** Numbers of the lines about objectives, the output's before those of its twin. */
  private static List<Double> numbers(String log) {
    return Pattern.compile("verage objective function for .*")
        .matcher(log)
        .results()
        .map(line -> line.group().replaceFirst("for minibatches [0-9]+-[0-9]+", ""))
        .sorted()
        .flatMap(line -> Pattern.compile("-?[0-9][-0-9.e]*[0-9]").matcher(line).results())
        .map(number -> Double.valueOf(number.group()))
        .sorted()
        .toList();
  }

  @Test
  void equalSeedsGiveEqualFiles() throws IOException {
    for (String to : List.of("a.raw", "b.raw")) {
      assertThat(train("first3.cegs", to, "--xent-regularize=0.1")).as(log()).isZero();
    }
    assertThat(Files.readAllBytes(folder().resolve("b.raw")))
        .isEqualTo(Files.readAllBytes(folder().resolve("a.raw")));
    assertThat(
            train("first3.cegs", "c.raw", "--xent-regularize=0.1", "--apply-deriv-weights=false"))
        .isZero();
    assertThat(Files.readAllBytes(folder().resolve("c.raw")))
        .isNotEqualTo(Files.readAllBytes(folder().resolve("a.raw")));
  }

  /** A graph and an output for the language of each key, with the same updates as without one. */
  @Test
  void languagesHaveTheirGraphs() throws IOException {
    Files.createDirectory(folder().resolve("graphs"));
    Files.copy(folder().resolve("den.fst"), folder().resolve("graphs/english.den.fst"));
    assertThat(
            run(
                "nnet3-copy",
                "--edits=rename-node old-name=output new-name=output-english\nrename-node"
                    + " old-name=output-xent new-name=output-english-xent",
                at("initial.raw"),
                at("english.raw")))
        .as(log())
        .isZero();
    try (var reader = TableReader.open("ark:" + at("first3.cegs"), ChainExample.HOLDER);
        var writer = TableWriter.open("ark:" + at("english.cegs"), ChainExample.HOLDER)) {
      while (reader.next()) {
        writer.write(reader.key() + "?lang=english", reader.value());
      }
      writer.commit();
    }
    assertThat(
            run(
                "nnet3-chain-merge-egs",
                "--multilingual-eg=true",
                "--minibatch-size=16",
                "ark:" + at("english.cegs"),
                "ark:" + at("merged.cegs")))
        .as(log())
        .isOne();
    assertThat(
            run(
                "nnet3-chain-merge-egs",
                "--multilingual-eg=true",
                "--minibatch-size=1",
                "ark:" + at("english.cegs"),
                "ark:" + at("merged.cegs")))
        .as(log())
        .isZero();
    try (var reader = TableReader.open("ark:" + at("merged.cegs"), ChainExample.HOLDER)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.key()).isEqualTo("merged-0-1?lang=english");
      assertThat(reader.value().outputs().getFirst().name()).isEqualTo("output-english");
    }
    assertThat(train("first3.cegs", "plain.raw", "--xent-regularize=0.1")).as(log()).isZero();
    for (String examples : List.of("english.cegs", "merged.cegs")) {
      assertThat(
              run(
                  "nnet3-chain-train2",
                  "--leaky-hmm-coefficient=0.1",
                  "--max-param-change=2.0",
                  "--srand=1",
                  "--xent-regularize=0.1",
                  at("english.raw"),
                  at("graphs"),
                  "ark:" + at(examples),
                  at("out.raw")))
          .as(log())
          .isZero();
      assertThat(log())
          .contains("Overall average objective function for 'output-english' is ")
          .contains("Overall average objective function for 'output-english-xent' is ");
      List<float[]> plain = parameters(Nnet.load(at("plain.raw")));
      List<float[]> english = parameters(Nnet.load(at("out.raw")));
      for (int k = 0; k < plain.size(); k++) {
        assertThat(english.get(k)).isEqualTo(plain.get(k));
      }
    }
    assertThat(
            run(
                "nnet3-chain-train2",
                at("english.raw"),
                at("graphs"),
                "ark:" + at("first3.cegs"),
                at("out.raw")))
        .isEqualTo(255);
  }

  @Test
  void backstitchHasTwoObjectives() {
    assertThat(train("first3.cegs", "out.raw", "--backstitch-training-scale=0.3"))
        .as(log())
        .isZero();
    assertThat(log())
        .contains("Overall average objective function for 'output' is ")
        .contains("Overall average objective function for 'output_backstitch' is ")
        .doesNotContain("output-xent");
  }

  @Test
  void networksAreAveraged() throws IOException {
    String[] objective = {"--xent-regularize=0.1", "--leaky-hmm-coefficient=0.1"};
    String examples = "ark:" + at("first3.cegs");
    int status =
        run(
            "nnet3-chain-combine",
            objective[0],
            objective[1],
            at("den.fst"),
            at("after-3.raw"),
            at("after-2.raw"),
            examples,
            at("out.raw"));
    assertThat(status).as(log()).isZero();
    double[] values =
        Pattern.compile("objective function (?:using the last model )?is (\\S+)")
            .matcher(log())
            .results()
            .mapToDouble(found -> Double.parseDouble(found.group(1)))
            .toArray();
    assertThat(values).hasSize(2);
    boolean both = values[1] > values[0];
    List<float[]> last = parameters(Nnet.load(at("after-3.raw")));
    List<float[]> before = parameters(Nnet.load(at("after-2.raw")));
    List<float[]> got = parameters(Nnet.load(at("out.raw")));
    for (int k = 0; k < got.size(); k++) {
      for (int i = 0; i < got.get(k).length; i++) {
        float other = both ? before.get(k)[i] : last.get(k)[i];
        assertThat(got.get(k)[i]).isEqualTo(0.5f * last.get(k)[i] + 0.5f * other);
      }
    }
    // The mean of the output's objective and of its twin's.
    status =
        run(
            "nnet3-chain-compute-prob",
            objective[0],
            objective[1],
            "--batchnorm-test-mode=false",
            at("after-3.raw"),
            at("den.fst"),
            examples);
    assertThat(status).as(log()).isZero();
    double mean =
        Pattern.compile("log-probability for '\\S+' is (\\S+)")
            .matcher(log())
            .results()
            .mapToDouble(found -> Double.parseDouble(found.group(1)))
            .average()
            .orElseThrow();
    assertThat(values[0]).isCloseTo(mean, Percentage.withPercentage(0.001));
  }

  @Test
  void nothingIsWrittenWithoutExamples() {
    assertThat(run("nnet3-chain-train", at("initial.raw"), at("den.fst"), "ark:/dev/null", at("o")))
        .isEqualTo(1);
    assertThat(last())
        .isEqualTo(
            "WARNING (nnet3-chain-train) No examples were trained on, and nothing was written.");
    assertThat(folder().resolve("o")).doesNotExist();
  }
}
