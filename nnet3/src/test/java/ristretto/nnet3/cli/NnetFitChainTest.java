package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.network.AmNnet;

/** Training with the chain objective by one command. */
class NnetFitChainTest extends ToolTest {
  @BeforeEach
  void write() throws IOException {
    Map<String, Map<String, byte[]>> files = Vectors.read("chain-graphs.tar.gz");
    Files.write(folder().resolve("den.fst"), files.get("setup").get("den.fst"));
    Files.write(folder().resolve("norm.fst"), files.get("setup").get("normalization.fst"));
    Files.write(folder().resolve("0.trans_mdl"), files.get("setup").get("0.trans_mdl"));
    Files.write(folder().resolve("feats.ark"), files.get("get").get("feats.ark"));
    Files.write(folder().resolve("sup.ark"), files.get("sup").get("small.sup.ark"));
    Files.write(
        folder().resolve("initial.raw"),
        Vectors.read("chain-training.tar.gz").get("tdnn").get("initial.raw"));
  }

  private List<String> words(String dir, String... more) {
    var words =
        new ArrayList<>(
            List.of(
                "nnet3-fit",
                "--objective=chain",
                "--den-fst=" + at("den.fst"),
                "--normalization-fst=" + at("norm.fst"),
                "--xent-regularize=0.1",
                "--leaky-hmm-coefficient=0.1",
                "--frame-subsampling-factor=3",
                "--num-frames=60,45",
                "--feats=ark:" + at("feats.ark"),
                "--targets=ark:" + at("sup.ark"),
                "--input-model=" + at("initial.raw"),
                "--minibatch-size=1:2",
                "--samples-per-iter=100",
                "--max-models-combine=2",
                "--dir=" + at(dir)));
    words.addAll(List.of(more));
    return words;
  }

  private int fit(String dir, String... more) {
    return run(words(dir, more).toArray(String[]::new));
  }

  private byte[] bytes(String name) throws IOException {
    return Files.readAllBytes(folder().resolve(name));
  }

  @Test
  void trainingContinuesToTheSameBytes() throws IOException {
    assertThat(fit("a", "--num-epochs=1", "--num-jobs=2")).as(log()).isZero();
    List<String> history = Files.readAllLines(folder().resolve("a/history.tsv"));
    assertThat(history.getFirst())
        .isEqualTo(
            "iteration\tepoch\tlearning-rate\ttrain\tvalid\tnumerator\tdenominator\tcross-entropy"
                + "\tseconds");
    String[] last = history.getLast().split("\t");
    // Two archives, each with three shifts, by two jobs.
    assertThat(last[0]).isEqualTo("3");
    assertThat(last[1]).isEqualTo("1.0000");
    assertThat(Double.parseDouble(last[5]) - Double.parseDouble(last[6]))
        .isCloseTo(Double.parseDouble(last[4]), offset(3e-6));
    assertThat(Files.readString(folder().resolve("a/report.html")))
        .contains(
            "alt=\"numerator\"",
            "alt=\"denominator\"",
            "alt=\"cross-entropy\"",
            "<h1>" + at("initial.raw"));
    assertThat(folder().resolve("a/priors.vec")).doesNotExist();
    // As after a kill during the second iteration, and after one during the combination.
    assertThat(fit("b", "--num-epochs=1", "--num-jobs=2")).as(log()).isZero();
    for (List<String> lost :
        List.of(List.of("2.raw", "3.raw", "final.raw", "result"), List.of("final.raw", "result"))) {
      for (String file : lost) {
        Files.delete(folder().resolve("b/" + file));
      }
      assertThat(fit("b", "--num-epochs=1", "--num-jobs=2")).as(log()).isZero();
      assertThat(bytes("b/3.raw")).isEqualTo(bytes("a/3.raw"));
      assertThat(bytes("b/final.raw")).isEqualTo(bytes("a/final.raw"));
    }
    assertThat(log()).contains("LOG (nnet3-fit) Final network: validation -");
  }

  @Test
  void modelsHaveTransitionsAndNoPriors() {
    assertThat(
            fit(
                "a",
                "--num-epochs=0.5",
                "--do-final-combination=false",
                "--transition-model=" + at("0.trans_mdl")))
        .as(log())
        .isZero();
    assertThat(AmNnet.load(at("a/final.mdl")).priors()).isEmpty();
  }

  @Test
  void existingExamplesAreUsed() throws IOException {
    assertThat(fit("a", "--num-epochs=0.5")).as(log()).isZero();
    List<String> words = words("b", "--num-epochs=0.5", "--egs-dir=" + at("a/egs"));
    words.removeIf(word ->
        word.startsWith("--feats")
            || word.startsWith("--targets")
            || word.startsWith("--normalization"));
    assertThat(run(words.toArray(String[]::new))).as(log()).isZero();
    assertThat(bytes("b/final.raw")).isEqualTo(bytes("a/final.raw"));
  }

  @Test
  void wrongUsageIsExplained() {
    List<String> words = words("a");
    words.removeIf(word -> word.startsWith("--den-fst"));
    refused(
        "--den-fst must be given for chain models; got none; make it with chain-make-den-fst.",
        words);
    words = words("a");
    words.removeIf(word -> word.startsWith("--normalization-fst"));
    refused(
        "--normalization-fst must be given for chain models; got none; make it with"
            + " chain-make-den-fst.",
        words);
    words = words("a");
    words.removeIf(word -> word.startsWith("--objective"));
    refused(
        "--den-fst and --normalization-fst must be given with --objective=chain only; got them for"
            + " targets of each frame; add --objective=chain, or leave them out.",
        words);
    refused(
        "--objective must be targets or chain; got \"mmi\"; write one of them.",
        words("a", "--objective=mmi"));
  }

  private void refused(String message, List<String> words) {
    assertThat(run(words.toArray(String[]::new))).isEqualTo(255);
    assertThat(last()).isEqualTo("ERROR (nnet3-fit) [options] " + message);
  }

  @Test
  void supervisionsOfOtherLengthsAreLeftOut() {
    assertThat(fit("a", "--frame-subsampling-factor=1")).isEqualTo(255);
    assertThat(log())
        .contains(
            "Supervision does not have expected length for utterance train-000: expected length ="
                + " 243, got 81");
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [nnet3-fit] some utterances must have targets and be as long as a"
                + " chunk; got none of 2 in ark:"
                + at("feats.ark")
                + "; check their keys, or give shorter chunks.");
  }
}
