package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.ChainSupervision;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.Isomorphism;
import ristretto.nnet3.fst.ReadFst;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.lattice.CompactLattice;

/** Graphs, supervisions and examples of chain models, beside Kaldi's. */
class ChainGraphToolsTest extends ToolTest {
  private static final Map<String, Map<String, byte[]>> FILES = Vectors.read("chain-graphs.tar.gz");

  /** Costs are rounded to multiples of 10/1024, and one may be just between two. */
  private static final float QUANTUM = 0.0098f;

  private static final Map<String, byte[]> MODELS = Vectors.read("chain-training.tar.gz").get("lm");

  @BeforeEach
  void write() throws IOException {
    for (Map<String, byte[]> files : FILES.values()) {
      for (var file : files.entrySet()) {
        Files.write(folder().resolve(file.getKey()), file.getValue());
      }
    }
  }

  private void succeeds(String... words) {
    assertThat(run(words)).as(log()).isZero();
  }

  private void refused(String name, String message, String... words) {
    assertThat(run(words)).isEqualTo(255);
    assertThat(last()).isEqualTo("ERROR (" + name + ") " + message);
  }

  private Fst text(String folder, String name) {
    try (KaldiInput in = KaldiInput.of(name, FILES.get(folder).get(name))) {
      return ReadFst.text(in);
    }
  }

  @ParameterizedTest
  @CsvSource({"tree,0.trans_mdl,''", "tree-bi,0-bi.trans_mdl,-bi"})
  void denominatorsAreKaldis(String tree, String model, String suffix) {
    succeeds("chain-make-den-fst", at(tree), at(model), at("phone_lm.fst"), at("den"), at("norm"));
    Isomorphism.check(ReadFst.load(at("den")), ReadFst.load(at("den" + suffix + ".fst")), 1e-4f);
    Isomorphism.check(
        ReadFst.load(at("norm")), ReadFst.load(at("normalization" + suffix + ".fst")), 1e-4f);
    assertThat(log())
        .contains("LOG (chain-make-den-fst) The denominator FST has 30 states and 157 arcs.");
  }

  static Stream<String> models() {
    return MODELS.keySet().stream()
        .filter(name -> name.endsWith(".fst"))
        .map(name -> name.substring(0, name.length() - 4));
  }

  @ParameterizedTest
  @MethodSource("models")
  void denominatorsOfOtherModelsAreKaldis(String name) throws IOException {
    Files.write(folder().resolve("lm.fst"), MODELS.get(name + ".fst"));
    succeeds(
        "chain-make-den-fst", at("tree"), at("0.trans_mdl"), at("lm.fst"), at("den"), at("norm"));
    Isomorphism.check(ReadFst.load(at("den")), text("lm", name + ".txt"), QUANTUM);
  }

  @Test
  void pdfsWithoutArcsAreNamed() throws IOException {
    Files.writeString(folder().resolve("lm.txt"), "0 1 11 11\n1 1 3 3 0.5\n1 0.5\n");
    succeeds(
        "chain-make-den-fst", at("tree"), at("0.trans_mdl"), at("lm.txt"), at("den"), at("norm"));
    assertThat(log())
        .contains(
            "WARNING (chain-make-den-fst) The denominator FST has no arcs of the pdfs [0, 1, 2, 3,"
                + " 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19].");
  }

  @Test
  void graphsOfOtherPhonesAreRefused() throws IOException {
    Files.writeString(folder().resolve("lm.txt"), "0 0 99 99 0.5\n0 0.5\n");
    refused(
        "chain-make-den-fst",
        "[chain] the topology must have all phones; got none for phone 99; use the topology of the"
            + " phones' alignments.",
        "chain-make-den-fst",
        at("tree"),
        at("0.trans_mdl"),
        at("lm.txt"),
        at("den"),
        at("norm"));
    Files.writeString(folder().resolve("lm.txt"), "0 1 11 11\n");
    refused(
        "chain-make-den-fst",
        "[chain] a language model of phones must have a string; got none; make it with"
            + " chain-est-phone-lm.",
        "chain-make-den-fst",
        at("tree"),
        at("0.trans_mdl"),
        at("lm.txt"),
        at("den"),
        at("norm"));
    refused(
        "chain-make-den-fst",
        "[chain] the transition model must have the states of the tree; got none for state 0 of"
            + " phone 11 with the distributions 48 and 50; use the model that was made with the"
            + " tree.",
        "chain-make-den-fst",
        at("tree-bi"),
        at("0.trans_mdl"),
        at("phone_lm.fst"),
        at("den"),
        at("norm"));
  }

  private void supervisions(String expected, String tree, String model, String... options) {
    var words = new ArrayList<>(List.of("chain-get-supervision", "--frame-subsampling-factor=3"));
    words.addAll(List.of(options));
    words.addAll(
        List.of(
            at(tree),
            at(model),
            "ark:" + at("small.phone-durations.txt"),
            (expected.endsWith(".ark") ? "ark:" : "ark,t:") + at("sup")));
    succeeds(words.toArray(String[]::new));
    assertThat(folder().resolve("sup")).hasBinaryContent(FILES.get("sup").get(expected));
  }

  @Test
  void supervisionsHaveKaldisBytes() {
    supervisions("small.sup.ark", "tree", "0.trans_mdl");
    supervisions("biphone.txt", "tree-bi", "0-bi.trans_mdl");
    supervisions("transition-ids.txt", "tree", "0.trans_mdl", "--convert-to-pdfs=false");
    supervisions(
        "tolerance-2.txt",
        "tree",
        "0.trans_mdl",
        "--left-tolerance=2",
        "--right-tolerance=2",
        "--weight=0.5");
    assertThat(log())
        .contains(
            "WARNING (chain-get-supervision) Failed creating supervision for utterance train-001:"
                + " no path has its length (too many phones for too few frames?)")
        .contains(
            "LOG (chain-get-supervision) Generated chain supervision information for 7 utterances,"
                + " errors on 1");
  }

  @ParameterizedTest
  @CsvSource({"0,txt", "0.5,txt", "0,ark", "0.5,ark"})
  void supervisionsOfLatticesAreKaldis(String scale, String form) {
    succeeds(
        "chain-get-supervision",
        "--lattice-input=true",
        "--frame-subsampling-factor=3",
        "--left-tolerance=2",
        "--right-tolerance=2",
        "--lm-scale=" + scale,
        at("tree"),
        at("0.trans_mdl"),
        "ark:" + at("lattices." + form),
        "ark:" + at("sup"));
    try (var got = TableReader.open("ark:" + at("sup"), ChainSupervision.HOLDER);
        var wanted =
            TableReader.open("ark:" + at("sup" + scale + ".txt"), ChainSupervision.HOLDER)) {
      while (wanted.next()) {
        assertThat(got.next()).isTrue();
        assertThat(got.key()).isEqualTo(wanted.key());
        assertThat(got.value().frames()).isEqualTo(wanted.value().frames());
        Isomorphism.check(got.value().fsts().getFirst(), wanted.value().fsts().getFirst(), 1e-6f);
      }
      assertThat(got.next()).isFalse();
    }
  }

  @Test
  void latticesAreWrittenAsKaldiDoes() {
    try (var from = TableReader.open("ark:" + at("lattices.txt"), CompactLattice.HOLDER);
        var binary = TableWriter.open("ark:" + at("copy.ark"), CompactLattice.HOLDER);
        var text = TableWriter.open("ark,t:" + at("copy.txt"), CompactLattice.HOLDER)) {
      while (from.next()) {
        binary.write(from.key(), from.value());
        text.write(from.key(), from.value());
      }
      binary.commit();
      text.commit();
    }
    assertThat(folder().resolve("copy.txt"))
        .hasBinaryContent(FILES.get("lattice").get("lattices.txt"));
    try (var one = TableReader.open("ark:" + at("copy.ark"), CompactLattice.HOLDER);
        var other = TableReader.open("ark:" + at("lattices.ark"), CompactLattice.HOLDER)) {
      while (other.next()) {
        assertThat(one.next()).isTrue();
        assertThat(one.value()).usingRecursiveComparison().isEqualTo(other.value());
      }
    }
  }

  @Test
  void alignmentsAndLatticesThatDoNotFitAreNamed() throws IOException {
    Files.writeString(folder().resolve("pairs.txt"), "a 11 30\nb 11 0\nc \nd 99 30\n");
    run(
        "chain-get-supervision",
        at("tree"),
        at("0.trans_mdl"),
        "ark:" + at("pairs.txt"),
        "ark:" + at("sup"));
    String failed = "WARNING (chain-get-supervision) Failed creating supervision for utterance ";
    assertThat(log())
        .contains(
            failed
                + "b: [chain] phones and their durations must be above 0; got phone 11 of 0 frames;"
                + " correct the alignment.")
        .contains(
            failed + "c: [chain] an alignment must have phones; got none; leave the utterance out.")
        .contains(
            failed
                + "d: [chain] the topology must have all phones; got none for phone 99; use the"
                + " topology of the phones' alignments.");
    Files.writeString(
        folder().resolve("odd.txt"),
        "a \n0 1 11 0,0,22_21\n0 1 3 0,0,6\n1\n\nb \n0 1 0 0,0,22\n1\n\nc \n0 1 3 0,0,6\n\n"
            + "d \n0 1 3 0,0,6\n0\n1\n\n");
    run(
        "chain-get-supervision",
        "--lattice-input=true",
        at("tree"),
        at("0.trans_mdl"),
        "ark:" + at("odd.txt"),
        "ark:" + at("sup"));
    assertThat(log())
        .contains(
            failed
                + "a: [lattice] all paths to a state must have the same number of frames; got 2 and"
                + " 1; align the lattice.")
        .contains(
            failed
                + "b: [chain] a lattice of phones must have no epsilon arcs; got one; make it with"
                + " lattice-align-phones --replace-output-symbols=true.")
        .contains(
            failed + "c: [lattice] a lattice must have a path; got none; leave the utterance out.")
        .contains(
            failed
                + "d: [chain] all paths of a lattice of phones must have the same number of frames;"
                + " got 0 and 1; align the lattice with lattice-align-phones.");
    Files.writeString(folder().resolve("pairs.txt"), "a 11 30 5\n");
    assertThat(
            run(
                "chain-get-supervision",
                at("tree"),
                at("0.trans_mdl"),
                "ark:" + at("pairs.txt"),
                "ark:" + at("sup")))
        .isEqualTo(255);
    assertThat(last())
        .contains("a line of pairs must be \"number number ; number number ...\"; got \"11 30 5\"");
  }

  @Test
  void optionsOfSupervisionsAreChecked() {
    refused(
        "chain-get-supervision",
        "[options] --left-tolerance and --right-tolerance must not be negative, and their sum plus"
            + " 1 must be at least --frame-subsampling-factor, which is at least 1; got 0, 1 and 3;"
            + " correct them.",
        "chain-get-supervision",
        "--frame-subsampling-factor=3",
        "--left-tolerance=0",
        "--right-tolerance=1",
        at("tree"),
        at("0.trans_mdl"),
        "ark:/dev/null",
        "ark:/dev/null");
    refused(
        "chain-get-supervision",
        "[options] --lm-scale must be at least 0 and below 1; got 1.0; correct it.",
        "chain-get-supervision",
        "--lm-scale=1",
        at("tree"),
        at("0.trans_mdl"),
        "ark:/dev/null",
        "ark:/dev/null");
  }

  @Test
  void pairsAreReadAsTheyWereWritten() {
    var random = new Random(1);
    for (String form : List.of("ark:", "ark,t:")) {
      var all = new ArrayList<int[]>();
      try (var out = TableWriter.open(form + at("pairs"), Holder.INT_PAIRS)) {
        for (int n = 0; n < 5; n++) {
          int[] pairs = random.ints(2 * n, -5, 1000).toArray();
          all.add(pairs);
          out.write("k" + n, pairs);
        }
        out.commit();
      }
      try (var in = TableReader.open("ark:" + at("pairs"), Holder.INT_PAIRS)) {
        for (int[] pairs : all) {
          assertThat(in.next()).isTrue();
          assertThat(in.value()).isEqualTo(pairs);
        }
      }
    }
  }

  @Test
  void normalizedExamplesHaveKaldisBytes() throws IOException {
    succeeds(
        "nnet3-chain-normalize-egs",
        at("normalization.fst"),
        "ark:" + at("unnormalized.txt"),
        "ark,t:" + at("egs"));
    assertThat(folder().resolve("egs")).hasBinaryContent(FILES.get("egs").get("normalized.txt"));
    assertThat(log())
        .contains("LOG (nnet3-chain-normalize-egs) Added normalization to 4 egs; had errors on 0");
    Files.writeString(folder().resolve("other.txt"), "0 0 1 1 0.5\n0\n");
    assertThat(
            run(
                "nnet3-chain-normalize-egs",
                at("other.txt"),
                "ark:" + at("unnormalized.txt"),
                "ark,t:" + at("egs")))
        .isEqualTo(1);
    assertThat(log())
        .contains("LOG (nnet3-chain-normalize-egs) Added normalization to 0 egs; had errors on 4");
  }

  @ParameterizedTest
  @ValueSource(strings = {"whole", "context"})
  void examplesHaveKaldisBytes(String name) {
    var words =
        new ArrayList<>(
            List.of(
                "nnet3-chain-get-egs",
                "--num-frames=-1",
                "--left-context=12",
                "--right-context=12",
                "--frame-subsampling-factor=3"));
    if (name.equals("context")) {
      words.addAll(
          List.of(
              "--left-context-initial=0",
              "--right-context-final=3",
              "--long-key=true",
              "--normalization-fst-scale=0.5",
              "--compress=false"));
    }
    words.addAll(
        List.of(
            at("normalization.fst"),
            "ark:" + at("feats.ark"),
            "ark:" + at("small.sup.ark"),
            "ark:" + at("egs")));
    succeeds(words.toArray(String[]::new));
    assertThat(folder().resolve("egs")).hasBinaryContent(FILES.get("get").get(name + ".cegs"));
  }

  private List<ChainExample> all(String name) {
    var all = new ArrayList<ChainExample>();
    try (var in = ExampleKind.CHAIN.reader("ark:" + at(name))) {
      while (in.next()) {
        all.add(in.value());
      }
    }
    return all;
  }

  @Test
  void unconstrainedExamplesAreKaldis() {
    succeeds(
        "nnet3-chain-get-egs",
        "--num-frames=-1",
        "--left-context=12",
        "--right-context=12",
        "--frame-subsampling-factor=3",
        "--transition-model=" + at("0.trans_mdl"),
        at("normalization.fst"),
        "ark:" + at("feats.ark"),
        "ark:" + at("transition-ids.txt"),
        "ark:" + at("egs"));
    List<ChainExample> got = all("egs");
    List<ChainExample> wanted = all("unconstrained.txt");
    assertThat(got).hasSameSizeAs(wanted);
    for (int k = 0; k < got.size(); k++) {
      ChainSupervision one = got.get(k).outputs().getFirst().supervision();
      ChainSupervision other = wanted.get(k).outputs().getFirst().supervision();
      assertThat(one.endToEnd()).isTrue();
      assertThat(one.alignment()).hasSameSizeAs(other.alignment());
      assertThat(one.labels()).isEqualTo(other.labels());
      assertThat(one.fsts().getFirst().arcs()).isEqualTo(other.fsts().getFirst().arcs());
      Isomorphism.check(one.fsts().getFirst(), other.fsts().getFirst(), 2e-6f);
    }
  }

  @Test
  void wholeUtterancesForEndToEndModelsHaveKaldisText() {
    succeeds(
        "nnet3-chain-e2e-get-egs",
        "--num-frames=243,252",
        "--left-context=12",
        "--right-context=12",
        "--frame-subsampling-factor=3",
        at("normalization.fst"),
        "ark:" + at("feats.ark"),
        "ark:" + at("graphs.ark"),
        at("0.trans_mdl"),
        "ark,t:" + at("egs"));
    assertThat(folder().resolve("egs")).hasBinaryContent(FILES.get("e2e").get("egs.txt"));
    assertThat(
            run(
                "nnet3-chain-e2e-get-egs",
                "--num-frames=600",
                "ark:" + at("feats.ark"),
                "ark:" + at("graphs.ark"),
                at("0.trans_mdl"),
                "ark,t:" + at("egs")))
        .isEqualTo(1);
    assertThat(log())
        .contains(
            "WARNING (nnet3-chain-e2e-get-egs) Too much length difference for utterance"
                + " train-000");
  }

  @Test
  void chunksCoverUtterances() {
    succeeds(
        "nnet3-chain-get-egs",
        "--num-frames=90",
        "--frame-subsampling-factor=3",
        at("normalization.fst"),
        "ark:" + at("feats.ark"),
        "ark:" + at("small.sup.ark"),
        "ark:" + at("egs"));
    List<ChainExample> egs = all("egs");
    assertThat(egs).hasSize(6);
    for (ChainExample example : egs) {
      ChainExample.Output output = example.outputs().getFirst();
      assertThat(output.supervision().frames()).isEqualTo(30);
      assertThat(output.derivativeWeights()).hasSize(30);
      assertThat(output.supervision().fsts().getFirst().hasInputEpsilons()).isFalse();
    }
    assertThat(
            run(
                "nnet3-chain-get-egs",
                "--num-frames=90",
                "ark:" + at("feats.ark"),
                "ark:" + at("small.sup.ark"),
                "ark:" + at("egs")))
        .isEqualTo(1);
    assertThat(log())
        .contains(
            "WARNING (nnet3-chain-get-egs) Supervision does not have expected length for utterance"
                + " train-000: expected length = 243, got 81");
  }

  @ParameterizedTest
  @CsvSource({"four.cegs,stats.txt", "unconstrained.txt,aligned.txt"})
  void statisticsAreKaldis(String egs, String expected) throws IOException {
    Files.write(
        folder().resolve("initial.raw"),
        Vectors.read("chain-training.tar.gz").get("tdnn").get("initial.raw"));
    succeeds(
        "nnet3-chain-acc-lda-stats",
        "--binary=false",
        at("initial.raw"),
        "ark:" + at(egs),
        at("stats"));
    String[] got = Files.readString(folder().resolve("stats")).strip().split("\\s+");
    String[] wanted =
        new String(FILES.get("lda").get(expected), StandardCharsets.UTF_8).strip().split("\\s+");
    assertThat(got).hasSameSizeAs(wanted);
    for (int k = 0; k < got.length; k++) {
      if (wanted[k].matches("[-0-9].*")) {
        double number = Double.parseDouble(wanted[k]);
        assertThat(Double.parseDouble(got[k]))
            .isCloseTo(number, offset(1e-4 * (1 + Math.abs(number))));
      } else {
        assertThat(got[k]).isEqualTo(wanted[k]);
      }
    }
  }

  @Test
  void examplesThatCannotBeUsedAreRefused() throws IOException {
    Files.write(
        folder().resolve("initial.raw"),
        Vectors.read("chain-training.tar.gz").get("tdnn").get("initial.raw"));
    succeeds(
        "nnet3-chain-merge-egs",
        "--minibatch-size=2",
        "ark:" + at("four.cegs"),
        "ark:" + at("merged"));
    refused(
        "nnet3-chain-acc-lda-stats",
        "[lda] examples must have one sequence and one output, \"output\"; got 2 sequences and"
            + " \"output\"; take examples before they are merged.",
        "nnet3-chain-acc-lda-stats",
        at("initial.raw"),
        "ark:" + at("merged"),
        at("stats"));
    refused(
        "nnet3-chain-normalize-egs",
        "[egs] examples must have one sequence to be normalized; got 2 in 'merged-0-2'; normalize"
            + " before merging.",
        "nnet3-chain-normalize-egs",
        at("normalization.fst"),
        "ark:" + at("merged"),
        "ark:" + at("egs"));
    refused(
        "nnet3-chain-compute-prob",
        "[chain] supervisions must be normalized for the objective; got one with epsilons; add the"
            + " costs with nnet3-chain-normalize-egs.",
        "nnet3-chain-compute-prob",
        at("initial.raw"),
        at("den.fst"),
        "ark:" + at("unnormalized.txt"));
    refused(
        "nnet3-chain-get-egs",
        "[chain] labels must be the 22 transitions of the model; got a supervision with 52 labels;"
            + " make it with chain-get-supervision --convert-to-pdfs=false.",
        "nnet3-chain-get-egs",
        "--num-frames=-1",
        "--frame-subsampling-factor=3",
        "--transition-model=" + at("0.trans_mdl"),
        "ark:" + at("feats.ark"),
        "ark:" + at("biphone.txt"),
        "ark:" + at("egs"));
    refused(
        "nnet3-chain-get-egs",
        "[options] --normalization-fst-scale must be above 0; got 0; leave the normalization FST"
            + " out for examples without its costs.",
        "nnet3-chain-get-egs",
        "--normalization-fst-scale=0",
        at("normalization.fst"),
        "ark:" + at("feats.ark"),
        "ark:" + at("small.sup.ark"),
        "ark:" + at("egs"));
    Files.writeString(folder().resolve("bad.fst"), "0 0 0 0 0.5\n0\n");
    refused(
        "nnet3-chain-normalize-egs",
        "[chain] a normalization FST must be an acceptor with states and without epsilons; got"
            + " another in "
            + at("bad.fst")
            + "; make it with chain-make-den-fst.",
        "nnet3-chain-normalize-egs",
        at("bad.fst"),
        "ark:" + at("four.cegs"),
        "ark:" + at("egs"));
    refused(
        "nnet3-chain-e2e-get-egs",
        "[options] --num-frames must be the lengths of the utterances; got -1; write, for example,"
            + " 150,165,180.",
        "nnet3-chain-e2e-get-egs",
        "--num-frames=-1",
        "ark:" + at("feats.ark"),
        "ark:" + at("graphs.ark"),
        at("0.trans_mdl"),
        "ark:" + at("egs"));
  }
}
