package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.ChainSupervision;
import ristretto.nnet3.cli.tool.ExampleKind;

/** Commands for examples of chain models, beside files of Kaldi's. */
class ChainEgsToolsTest extends ToolTest {
  private static final Map<String, byte[]> FILES = Vectors.read("chain-egs.tar.gz").get("egs");

  @BeforeEach
  void write() throws IOException {
    for (String file : List.of("small-30.cegs", "unconstrained.txt")) {
      Files.write(folder().resolve(file), FILES.get(file));
    }
  }

  private List<KeyedExample<ChainExample>> all(String name) {
    var to = new ArrayList<KeyedExample<ChainExample>>();
    try (var in = ExampleKind.CHAIN.reader("ark:" + at(name))) {
      while (in.next()) {
        to.add(KeyedExample.at(in));
      }
    }
    return to;
  }

  private List<String> keys(String name) {
    return all(name).stream().map(KeyedExample::key).toList();
  }

  @Test
  void minibatchesHaveKaldisBytes() {
    int status =
        run(
            "nnet3-chain-merge-egs",
            "--minibatch-size=4,2,1",
            "--compress=true",
            "ark:" + at("small-30.cegs"),
            "ark:" + at("merged"));
    assertThat(status).as(log()).isZero();
    assertThat(folder().resolve("merged")).hasBinaryContent(FILES.get("merged.cegs"));
    assertThat(log())
        .contains("LOG (nnet3-chain-merge-egs) 114={1->1,4->6,d=0}")
        .contains(
            "Processed 25 egs of avg. size 114 into 7 minibatches, discarding 0% of egs.  Avg"
                + " minibatch size was 3.571, #distinct types of egs/minibatches was 1/2");
  }

  @Test
  void minibatchesOfMinibatchesAreThoseOfAllExamples() {
    String size = "--minibatch-size=";
    run("nnet3-chain-merge-egs", size + 4, "ark:" + at("small-30.cegs"), "ark:" + at("all"));
    run("nnet3-chain-merge-egs", size + 2, "ark:" + at("small-30.cegs"), "ark:" + at("pairs"));
    run("nnet3-chain-merge-egs", size + 2, "ark:" + at("pairs"), "ark:" + at("again"));
    List<ChainExample> again = all("again").stream().map(KeyedExample::example).toList();
    List<ChainExample> wanted = all("all").stream().map(KeyedExample::example).toList();
    assertThat(again).hasSameSizeAs(wanted);
    for (int k = 0; k < wanted.size(); k++) {
      ChainExample.Output output = wanted.get(k).outputs().getFirst();
      ChainExample.Output other = again.get(k).outputs().getFirst();
      assertThat(other.indexes()).isEqualTo(output.indexes());
      assertThat(other.derivativeWeights()).isEqualTo(output.derivativeWeights());
      assertThat(other.supervision().sequences()).isEqualTo(4);
      assertThat(paths(other.supervision())).isEqualTo(paths(output.supervision()));
    }
  }

  /** Number of paths, and the numbers of states and arcs. */
  private static List<Double> paths(ChainSupervision supervision) {
    var fst = supervision.fsts().getFirst();
    var paths = new double[fst.states()];
    paths[0] = 1;
    double ended = 0;
    for (int s = 0; s < fst.states(); s++) {
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        paths[fst.target(k)] += paths[s];
      }
      ended += fst.isFinal(s) ? paths[s] : 0;
    }
    return List.of(ended, (double) fst.states(), (double) fst.arcs());
  }

  @Test
  void endToEndSupervisionsAreListed() {
    int status =
        run(
            "nnet3-chain-merge-egs",
            "--minibatch-size=2",
            "ark:" + at("unconstrained.txt"),
            "ark:" + at("merged"));
    assertThat(status).as(log()).isZero();
    ChainExample merged = all("merged").getFirst().example();
    List<KeyedExample<ChainExample>> single = all("unconstrained.txt");
    ChainSupervision supervision = merged.outputs().getFirst().supervision();
    assertThat(supervision.sequences()).isEqualTo(2);
    assertThat(supervision.endToEnd()).isTrue();
    assertThat(supervision.alignment()).isEmpty();
    for (int k = 0; k < 2; k++) {
      var one = single.get(k).example().outputs().getFirst().supervision().fsts().getFirst();
      assertThat(supervision.fsts().get(k).arcs()).isEqualTo(one.arcs());
    }
  }

  @Test
  void supervisionsOfDifferentWeightsAreNotMerged() throws IOException {
    List<String> keys = keys("small-30.cegs");
    Files.writeString(
        folder().resolve("weights"),
        String.join("\n", keys.stream().map(key -> key + " " + keys.indexOf(key)).toList()) + "\n");
    int status =
        run(
            "nnet3-chain-copy-egs",
            "--weights=ark:" + at("weights"),
            "ark:" + at("small-30.cegs"),
            "ark:" + at("weighted"));
    assertThat(status).as(log()).isZero();
    assertThat(all("weighted").get(3).example().outputs().getFirst().supervision().weight())
        .isEqualTo(3);
    assertThat(
            run(
                "nnet3-chain-merge-egs",
                "--minibatch-size=4",
                "ark:" + at("weighted"),
                "ark:" + at("merged")))
        .isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-chain-merge-egs) [egs] supervisions to merge must have equal weights,"
                + " frames, labels and kinds; got one of weight 0.0 with 30 frames and 22 labels"
                + " and one of weight 1.0 with 30 frames and 22 labels; merge them apart.");
    assertThat(folder().resolve("merged")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({
    "copy-frame-shift-1.txt,--frame-shift=1 --srand=0",
    "copy-frame-shift-minus-1.txt,--frame-shift=-1 --srand=0",
    "copy-context-8.txt,--left-context=8 --right-context=8"
  })
  void copiesHaveKaldisBytes(String file, String options) throws IOException {
    String[] words = options.split(" ");
    int status =
        run(
            "nnet3-chain-copy-egs",
            words[0],
            words[1],
            "ark:" + at("small-30.cegs"),
            "ark,t:" + at("copy"));
    assertThat(status).as(log()).isZero();
    byte[] copy = Files.readAllBytes(folder().resolve("copy"));
    byte[] wanted = FILES.get(file);
    assertThat(new String(copy, 0, wanted.length, StandardCharsets.UTF_8))
        .isEqualTo(new String(wanted, StandardCharsets.UTF_8));
    assertThat(last())
        .isEqualTo(
            "LOG (nnet3-chain-copy-egs) Read 25 neural-network training examples, wrote 25, 0"
                + " examples had errors.");
  }

  @Test
  void outputsAreRenamed() throws IOException {
    List<String> keys = keys("small-30.cegs");
    Files.writeString(
        folder().resolve("names"),
        String.join("\n", keys.subList(0, 2).stream().map(key -> key + " output-b").toList())
            + "\n");
    run(
        "nnet3-chain-copy-egs",
        "--outputs=ark:" + at("names"),
        "ark:" + at("small-30.cegs"),
        "ark:" + at("renamed"));
    assertThat(last())
        .endsWith("Read 25 neural-network training examples, wrote 2, 23 examples had errors.");
    assertThat(all("renamed").getFirst().example().outputs().getFirst().name())
        .isEqualTo("output-b");
    int status =
        run(
            "nnet3-chain-copy-egs",
            "--outputs=ark:" + at("names"),
            "ark:" + at("renamed"),
            "ark:" + at("twice"));
    assertThat(status).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-chain-copy-egs) [egs] an example must have an output named \"output\";"
                + " got [output-b]; leave out the options that change it.");
  }

  @Test
  void derivativesOfTheFirstAndLastFramesAreLeftOut() {
    run(
        "nnet3-chain-copy-egs",
        "--truncate-deriv-weights=2",
        "ark:" + at("small-30.cegs"),
        "ark:" + at("copy"));
    float[] before =
        all("small-30.cegs").getFirst().example().outputs().getFirst().derivativeWeights();
    float[] after = all("copy").getFirst().example().outputs().getFirst().derivativeWeights();
    assertThat(after).hasSize(30);
    assertThat(new float[] {after[0], after[1], after[28], after[29]}).containsOnly(0);
    assertThat(Arrays.copyOfRange(after, 2, 28)).isEqualTo(Arrays.copyOfRange(before, 2, 28));
    assertThat(
            run(
                "nnet3-chain-copy-egs",
                "--truncate-deriv-weights=15",
                "ark:" + at("small-30.cegs"),
                "ark:" + at("other")))
        .isNotZero();
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-chain-copy-egs) [options] --truncate-deriv-weights must leave at least"
                + " one frame of 30; got 15; give at most 14.");
    run(
        "nnet3-chain-copy-egs",
        "--truncate-deriv-weights=-1",
        "ark:" + at("small-30.cegs"),
        "ark:" + at("other"));
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-chain-copy-egs) [options] --truncate-deriv-weights must be 0 or more; got"
                + " -1; leave it out for no frames.");
    assertThat(folder().resolve("other")).doesNotExist();
  }

  @Test
  void orderAndSubsetAreRandom() {
    List<String> keys = keys("small-30.cegs");
    run("nnet3-chain-shuffle-egs", "--srand=3", "ark:" + at("small-30.cegs"), "ark:" + at("x"));
    assertThat(last())
        .isEqualTo(
            "LOG (nnet3-chain-shuffle-egs) Shuffled order of 25 neural-network training examples");
    assertThat(keys("x")).isNotEqualTo(keys).containsExactlyInAnyOrderElementsOf(keys);
    run("nnet3-chain-subset-egs", "--n=5", "ark:" + at("small-30.cegs"), "ark:" + at("y"));
    assertThat(last())
        .isEqualTo(
            "LOG (nnet3-chain-subset-egs) Selected a subset of 5 out of 25 nnet3+chain training"
                + " examples");
    assertThat(keys("y")).hasSize(5).doesNotHaveDuplicates().isSubsetOf(keys);
  }
}
