package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.decode.OnlineComputer;
import ristretto.nnet3.fst.ReadFst;
import ristretto.nnet3.hmm.TransitionModel;
import ristretto.nnet3.hmm.Transitions;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.lattice.BestPaths;
import ristretto.nnet3.lattice.CompactLattice;
import ristretto.nnet3.lattice.DeterminizeLattice;
import ristretto.nnet3.lattice.LatticePath;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.AmNnet;
import ristretto.nnet3.search.BeamSearch;
import ristretto.nnet3.search.SearchOptions;

/** Decoding graphs, recognition and error rates, beside Kaldi's. */
class RecognitionTest extends ToolTest {
  private static final Path DIGITS = Path.of("..", "examples", "nnet3", "digits");
  private static final Path MODEL = DIGITS.resolve("chain");
  private static final Map<String, byte[]> KALDI = Vectors.read("recognition.tar.gz").get("kaldi");
  private static final String FEATURES = "ark:" + DIGITS.resolve("test.feats.ark");

  @BeforeEach
  void write() throws IOException {
    for (var file : KALDI.entrySet()) {
      Files.write(folder().resolve("kaldi." + file.getKey()), file.getValue());
    }
  }

  private static String model(String name) {
    return MODEL.resolve(name).toString();
  }

  private void succeeds(String... words) {
    assertThat(run(words)).as(log()).isZero();
  }

  private void refused(int status, String name, String message, String... words) {
    assertThat(run(words)).isEqualTo(status);
    assertThat(last()).isEqualTo("ERROR (" + name + ") " + message);
  }

  private String text(String name) throws IOException {
    return Files.readString(folder().resolve(name));
  }

  /** Runs the recognizer with more options. */
  private void recognize(String graph, String... more) {
    List<String> words = new ArrayList<>(List.of("nnet3-latgen-faster"));
    words.addAll(List.of("--acoustic-scale=1.0", "--frame-subsampling-factor=3"));
    words.addAll(List.of(more));
    words.addAll(List.of(model("final.mdl"), at(graph), FEATURES, "ark:" + at("lat")));
    words.addAll(List.of("ark,t:" + at("words"), "ark,t:" + at("ali")));
    succeeds(words.toArray(String[]::new));
  }

  private void makeGraph() {
    succeeds(
        "make-lexicon-fst",
        "--sil-prob=0.5",
        "--sil-phone=silence",
        model("lexicon.txt"),
        model("phones.txt"),
        model("words.txt"),
        at("L.fst"));
    succeeds(
        "fstcompile",
        "--isymbols=" + model("words.txt"),
        "--osymbols=" + model("words.txt"),
        model("grammar.txt"),
        at("G.fst"));
    succeeds(
        "compile-graph",
        model("tree"),
        model("final.mdl"),
        at("L.fst"),
        at("G.fst"),
        at("HCLG.fst"));
  }

  /** Costs of the sequences of words of lattices, by utterance. */
  private Map<String, Map<String, Double>> costs(String file) {
    Map<String, Map<String, Double>> all = new LinkedHashMap<>();
    try (var lattices = TableReader.open("ark:" + at(file), CompactLattice.HOLDER)) {
      while (lattices.next()) {
        Map<String, Double> costs = new LinkedHashMap<>();
        for (LatticePath path : BestPaths.of(lattices.value(), 1000)) {
          costs.putIfAbsent(Arrays.toString(path.words()), path.cost());
        }
        all.put(lattices.key(), costs);
      }
    }
    return all;
  }

  @Test
  void wordsAlignmentsAndLatticesAreKaldis() throws IOException {
    recognize("kaldi.HCLG.fst", "--lattice-beam=3");
    assertThat(text("words")).isEqualTo(text("kaldi.words.int"));
    assertThat(text("ali")).isEqualTo(text("kaldi.ali.int"));
    assertThat(log())
        .contains(
            "LOG (nnet3-latgen-faster) Done 180 utterances, failed for 0",
            "LOG (nnet3-latgen-faster) Overall log-likelihood per frame is 1.81693 over 5297"
                + " frames.");
    Map<String, Map<String, Double>> kaldis = costs("kaldi.lattices.txt");
    Map<String, Map<String, Double>> ours = costs("lat");
    assertThat(ours.keySet()).isEqualTo(kaldis.keySet());
    ours.forEach((key, paths) -> {
      Map<String, Double> wanted = kaldis.get(key);
      double beam = wanted.values().iterator().next() + 3 - 0.01;
      wanted.forEach((words, cost) -> {
        if (cost < beam) {
          assertThat(paths).as(key).containsKey(words);
          assertThat(paths.get(words)).as(key).isCloseTo(cost, within(5e-3));
        }
      });
    });
  }

  @Test
  void graphsOfOwnToolsGiveKaldisErrorRate() throws IOException {
    makeGraph();
    recognize("HCLG.fst", "--lattice-beam=2", "--word-symbol-table=" + model("words.txt"));
    assertThat(log()).contains("\ntest_en_m7_three three\n");
    succeeds("compute-wer", "--text", "ark:" + at("kaldi.ref.txt"), "ark:" + at("words"));
    assertThat(out()).isEqualTo(text("kaldi.wer.txt"));
    succeeds("lattice-best-path", "ark:" + at("lat"), "ark,t:" + at("w2"), "ark,t:" + at("a2"));
    assertThat(text("w2")).isEqualTo(text("words"));
    assertThat(text("a2")).isEqualTo(text("ali"));
  }

  @Test
  void bestPathsAreKaldis() throws IOException {
    succeeds(
        "lattice-to-nbest",
        "--n=5",
        "--acoustic-scale=0.5",
        "ark:" + at("kaldi.lattices.txt"),
        "ark:" + at("nbest"));
    assertThat(log())
        .contains("LOG (lattice-to-nbest) Done applying N-best algorithm to 180 lattices");
    succeeds("lattice-best-path", "ark:" + at("nbest"), "ark,t:" + at("words"));
    assertThat(text("words")).isEqualTo(text("kaldi.nbest.int"));
  }

  @Test
  void threadsAndFormsGiveTheSame() throws IOException {
    recognize("kaldi.HCLG.fst", "--lattice-beam=2");
    byte[] lattices = Files.readAllBytes(folder().resolve("lat"));
    String words = text("words");
    recognize("kaldi.HCLG.fst", "--lattice-beam=2", "--num-threads=3");
    assertThat(folder().resolve("lat")).hasBinaryContent(lattices);
    recognize("kaldi.HCLG.fst", "--lattice-beam=2", "--determinize-lattice=false");
    Map<String, Map<String, Double>> deterministic = new LinkedHashMap<>();
    try (var raw = TableReader.open("ark:" + at("lat"), CompactLattice.HOLDER)) {
      while (raw.next()) {
        var result = DeterminizeLattice.apply(raw.value(), 2, Long.MAX_VALUE);
        assertThat(result.beam()).isEqualTo(2);
        Map<String, Double> costs = new LinkedHashMap<>();
        for (LatticePath path : BestPaths.of(result.lattice(), 1000)) {
          assertThat(costs.put(Arrays.toString(path.words()), path.cost())).isNull();
        }
        deterministic.put(raw.key(), costs);
      }
    }
    Files.write(folder().resolve("lat"), lattices);
    costs("lat")
        .forEach((key, costs) -> {
          assertThat(deterministic.get(key).keySet()).isEqualTo(costs.keySet());
          costs.forEach((path, cost) ->
              assertThat(deterministic.get(key).get(path)).isCloseTo(cost, within(1e-2)));
        });
    succeeds("lattice-best-path", "ark:" + at("lat"), "ark,t:" + at("best"));
    assertThat(text("best")).isEqualTo(words);
  }

  @Test
  void graphsMayBeATable() throws IOException {
    recognize("kaldi.HCLG.fst", "--lattice-beam=1");
    String first = text("words").lines().limit(1).toList().getFirst();
    succeeds(
        "nnet3-latgen-faster",
        "--acoustic-scale=1.0",
        "--frame-subsampling-factor=3",
        model("final.mdl"),
        "scp:" + scp(),
        FEATURES,
        "ark:" + at("lat"),
        "ark,t:" + at("words"));
    assertThat(text("words")).isEqualTo(first + "\n");
    assertThat(log())
        .contains(
            "WARNING (nnet3-latgen-faster) Left out 179 utterances that have no graph",
            "Done 1 utterances, failed for 0");
  }

  private String scp() throws IOException {
    Files.writeString(
        folder().resolve("graphs.scp"), "test_en_m7_zero " + at("kaldi.HCLG.fst") + "\n");
    return at("graphs.scp");
  }

  @Test
  void partialLattices() throws IOException {
    Files.writeString(folder().resolve("loop.txt"), "0 0 22 0\n0 0 21 0\n1 0\n");
    succeeds("fstcompile", at("loop.txt"), at("loop.fst"));
    String[] words = {
      "nnet3-latgen-faster",
      "--frame-subsampling-factor=3",
      "--allow-partial=false",
      model("final.mdl"),
      at("loop.fst"),
      FEATURES,
      "ark:" + at("lat")
    };
    assertThat(run(words)).isOne();
    assertThat(log())
        .contains(
            "Not producing output for utterance test_en_m7_zero since no final-state reached and"
                + " --allow-partial=false.",
            "Done 0 utterances, failed for 180");
    assertThat(folder().resolve("lat")).doesNotExist();
    words[2] = "--allow-partial=true";
    succeeds(words);
    assertThat(log())
        .contains(
            "Outputting partial output for utterance test_en_m7_zero since no final-state reached");
  }

  @Test
  void framesMayArriveOneByOne() {
    AmNnet nnet = AmNnet.load(model("final.mdl"));
    var transitions = new Transitions(TransitionModel.load(model("final.mdl")));
    var search =
        new BeamSearch(ReadFst.load(at("kaldi.HCLG.fst")), transitions, SearchOptions.DEFAULT);
    try (Context context = Context.open();
        var features = TableReader.open(FEATURES, Holder.MATRIX)) {
      var computer = new OnlineComputer(context, nnet.nnet(), 21, 3);
      recognize("kaldi.HCLG.fst", "--lattice-beam=1");
      Map<String, int[]> whole = new LinkedHashMap<>();
      try (var words = TableReader.open("ark:" + at("words"), Holder.INTS)) {
        while (words.next()) {
          whole.put(words.key(), words.value());
        }
      }
      for (int n = 0; n < 20 && features.next(); n++) {
        computer.reset();
        search.start();
        Matrix all = features.value();
        for (int t = 0; t < all.rows(); t++) {
          computer.accept(all.select(new int[] {t}));
          search.advance(computer.outputs());
        }
        computer.finish();
        search.advance(computer.outputs());
        search.finish();
        assertThat(search.bestPath(true).orElseThrow().words())
            .isEqualTo(whole.get(features.key()));
      }
    }
  }

  @Test
  void determinizationStopsAtAMemory() {
    recognize("kaldi.HCLG.fst", "--lattice-beam=8", "--max-mem=100000");
    assertThat(log())
        .containsPattern(
            "WARNING \\(nnet3-latgen-faster\\) Determinization of utterance \\S+ stopped at a beam"
                + " of [0-9.]+, because it needs more than --max-mem=100000 bytes");
    try (var lattices = TableReader.open("ark:" + at("lat"), CompactLattice.HOLDER)) {
      while (lattices.next()) {
        assertThat(BestPaths.of(lattices.value(), 1)).hasSize(1);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "a b c,a b c,0,0,0",
    "a b c,'',0,3,0",
    "'',a b,2,0,0",
    "a b c,a x c,0,0,1",
    "a b,b,0,1,0",
    "a,b a,1,0,0",
    "a b c d,b c d e,1,1,0"
  })
  void errorsOfWords(String reference, String hypothesis, int ins, int del, int sub)
      throws IOException {
    Files.writeString(folder().resolve("ref"), "u " + reference + "\nv x\n");
    Files.writeString(folder().resolve("hyp"), "u " + hypothesis + "\n");
    succeeds("compute-wer", "--mode=present", "ark:" + at("ref"), "ark:" + at("hyp"));
    assertThat(out())
        .contains(
            ins + " ins, " + del + " del, " + sub + " sub ] [PARTIAL]",
            "Scored 1 sentences, 1 not present in hyp.");
    refused(
        255,
        "compute-wer",
        "[wer] all references must have a hypothesis; got none for 'v'; set --mode=present or"
            + " --mode=all.",
        "compute-wer",
        "ark:" + at("ref"),
        "ark:" + at("hyp"));
  }

  @Test
  void messages() throws IOException {
    refused(
        255,
        "nnet3-latgen-faster",
        "[search] --beam, --lattice-beam, --prune-interval and --beam-delta must be positive,"
            + " --max-active at least 2 and --min-active at most that; got -1.0, 10.0, 25, 0.5,"
            + " 2147483647 and 200; correct them.",
        "nnet3-latgen-faster",
        "--beam=-1",
        model("final.mdl"),
        at("kaldi.HCLG.fst"),
        FEATURES,
        "ark:" + at("lat"));
    refused(
        255,
        "nnet3-latgen-faster",
        "[options] --num-threads must be at least 1; got 0; correct it.",
        "nnet3-latgen-faster",
        "--num-threads=0",
        model("final.mdl"),
        at("kaldi.HCLG.fst"),
        FEATURES,
        "ark:" + at("lat"));
    Files.writeString(folder().resolve("big.txt"), "0 0 23 0\n0\n");
    refused(
        255,
        "nnet3-latgen-faster",
        "[search] a decoding graph must have a start state, and inputs that are transitions of the"
            + " model; got a start state, largest input 23 of 22 transitions; use the model that"
            + " the graph was made with.",
        "nnet3-latgen-faster",
        model("final.mdl"),
        at("big.txt"),
        FEATURES,
        "ark:" + at("lat"));
    Files.writeString(folder().resolve("lexicon.txt"), "one one\noone one\n");
    refused(
        255,
        "make-lexicon-fst",
        "[symbols] "
            + model("words.txt")
            + " must have all names of "
            + at("lexicon.txt")
            + "; got none for \"oone\"; did you mean 'one'?",
        "make-lexicon-fst",
        at("lexicon.txt"),
        model("phones.txt"),
        model("words.txt"),
        at("L.fst"));
    Files.writeString(folder().resolve("lexicon.txt"), "one\n");
    assertThat(
            run(
                "make-lexicon-fst",
                at("lexicon.txt"),
                model("phones.txt"),
                model("words.txt"),
                at("L.fst")))
        .isEqualTo(255);
    assertThat(log()).contains("a line of a lexicon must be a word and its phones; got \"one\"");
    Files.writeString(folder().resolve("L.txt"), "0 0 99 1\n0\n");
    Files.writeString(folder().resolve("G.txt"), "0 0 1 1\n0\n");
    refused(
        255,
        "compile-graph",
        "[graph] labels of the lexicon must be phones of the model or disambiguation symbols; got"
            + " 99, which is neither; give --read-disambig-syms and the model's own lexicon.",
        "compile-graph",
        model("tree"),
        model("final.mdl"),
        at("L.txt"),
        at("G.txt"),
        at("HCLG.fst"));
    Files.writeString(folder().resolve("none.txt"), "0 1 7 7\n1\n");
    Files.writeString(folder().resolve("symbols"), "99\n");
    refused(
        255,
        "compile-graph",
        "[graph] the lexicon and the grammar must have a string of words in common; got none; make"
            + " both with the same words.txt.",
        "compile-graph",
        "--read-disambig-syms=" + at("symbols"),
        model("tree"),
        model("final.mdl"),
        at("L.txt"),
        at("none.txt"),
        at("HCLG.fst"));
    var transitions = new Transitions(TransitionModel.load(model("final.mdl")));
    var search =
        new BeamSearch(ReadFst.load(at("kaldi.HCLG.fst")), transitions, SearchOptions.DEFAULT);
    assertThatThrownBy(() -> search.advance(new Matrix(1, 3)))
        .isInstanceOf(ComputationException.class)
        .hasMessage(
            "[search] scores must have the distributions of the model, 22 columns, and precede the"
                + " end of the utterance; got 3 columns, before the end; use the model's own"
                + " network, or call start.");
  }
}
