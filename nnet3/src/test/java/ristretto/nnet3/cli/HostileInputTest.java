package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.standin.Mutations;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.AmNnet;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.RingExamples;

/**
 * Commands whose files are missing, damaged or of another kind: a message on standard error and a
 * code that tells, never a trace, and what was to be written is as it was. {@code
 * -Dristretto.fuzz=100000} tries 10000.
 */
class HostileInputTest extends ToolTest {
  private static final int TRIALS = Math.max(60, Integer.getInteger("ristretto.fuzz", 0) / 10);
  private static final long SEED = Long.getLong("ristretto.fuzz.seed", 1);

  /** Previous content of a command's output file, which must stay. */
  private static final String BEFORE = "what was there before\n";

  /**
   * A command that works.
   *
   * @param words names of files have an at sign before them, and those to write a circumflex
   */
  private record Use(String... words) {
    List<String> files() {
      List<String> files = new ArrayList<>();
      for (String word : words) {
        int at = word.indexOf('@');
        if (at >= 0) {
          files.add(word.substring(at + 1));
        }
      }
      return files;
    }
  }

  private static final List<Use> USES =
      List.of(
          new Use("nnet3-init", "@nnet.config", "^o"),
          new Use("nnet3-init", "@model.raw", "@nnet.config", "^o"),
          new Use("nnet3-info", "@model.raw"),
          new Use("nnet3-info", "@model.txt"),
          new Use("nnet3-copy", "@model.raw", "^o"),
          new Use("nnet3-copy", "--binary=false", "@model.txt", "^o"),
          new Use("nnet3-copy", "--nnet-config=@nnet.config", "@model.raw", "^o"),
          new Use("nnet3-copy", "--edits-config=@edits", "@model.raw", "^o"),
          new Use("nnet3-copy", "--prepare-for-test", "@model.raw", "^o"),
          new Use("nnet3-am-copy", "@0.mdl", "^o"),
          new Use("nnet3-am-copy", "--binary=false", "@0.mdl", "^o"),
          new Use("nnet3-am-info", "@0.mdl"),
          new Use("nnet3-am-init", "@tree", "@topo", "@model.raw", "^o"),
          new Use("nnet3-am-init", "@0.mdl", "@model.raw", "^o"),
          new Use("nnet3-am-adjust-priors", "@0.mdl", "@priors", "^o"),
          new Use("nnet3-average", "@model.raw", "@model.txt", "^o"),
          new Use("nnet3-show-progress", "@model.raw", "@model.txt"),
          new Use("nnet3-eval", "@model.raw", "@request.txt", "ark:@input.txt", "^dir"),
          new Use("nnet3-chain-eval", "@den.fst", "@sup.bin", "@chain-output.txt", "^dir"),
          new Use("nnet3-chain-eval", "@den.txt", "@sup.txt", "@chain-output.txt", "^dir"),
          new Use("nnet3-chain-eval", "@den.fst", "@e2e.bin", "@e2e-output.txt", "^dir"),
          new Use("nnet3-chain-compute-prob", "@chain.raw", "@digits.fst", "ark:@cegs"),
          new Use(
              "nnet3-chain-combine", "@digits.fst", "@chain.raw", "@chain.raw", "ark:@cegs", "^o"),
          new Use("chain-est-phone-lm", "ark:@phones", "^o"),
          new Use("chain-make-den-fst", "@chain.tree", "@chain.trans", "@lm.fst", "^o", "^o2"),
          new Use(
              "chain-get-supervision", "@chain.tree", "@chain.trans", "ark:@durations", "ark:^o"),
          new Use(
              "chain-get-supervision",
              "--lattice-input=true",
              "@chain.tree",
              "@chain.trans",
              "ark:@lattices.ark",
              "ark:^o"),
          new Use(
              "nnet3-chain-get-egs",
              "--num-frames=-1",
              "--frame-subsampling-factor=3",
              "@norm.fst",
              "ark:@chain.feats",
              "ark:@sup.ark",
              "ark:^o"),
          new Use(
              "nnet3-chain-e2e-get-egs",
              "--num-frames=243,252",
              "--frame-subsampling-factor=3",
              "@norm.fst",
              "ark:@chain.feats",
              "ark:@graphs.ark",
              "@chain.trans",
              "ark:^o"),
          new Use("nnet3-chain-normalize-egs", "@norm.fst", "ark:@cegs", "ark:^o"),
          new Use("compute-mfcc-feats", "--sample-frequency=8000", "scp:@wav.scp", "ark:^o"),
          new Use("make-lexicon-fst", "@lexicon.txt", "@phones.txt", "@words.txt", "^o"),
          new Use("fstcompile", "--isymbols=@words.txt", "--osymbols=@words.txt", "@G.txt", "^o"),
          new Use("compile-graph", "@chain.tree", "@chain.trans", "@L.fst", "@G.fst", "^o"),
          new Use("nnet3-latgen-faster", "@chain.mdl", "@HCLG.fst", "ark:@chain.feats", "ark:^o"),
          new Use("lattice-best-path", "ark:@lattices.ark", "ark:^o"),
          new Use("lattice-to-nbest", "--n=3", "ark:@lattices.ark", "ark:^o"),
          new Use("compute-wer", "ark:@words", "ark:@words"),
          new Use("nnet3-chain-acc-lda-stats", "@chain.raw", "ark:@cegs", "^o"),
          new Use("nnet3-chain-train", "@chain.raw", "@digits.fst", "ark:@cegs", "^o"),
          new Use("nnet3-compile", "@model.raw", "@request.txt"),
          new Use("nnet3-graph", "@model.raw", "@request.txt", "^o.html"),
          new Use("nnet3-compute", "@model.raw", "ark:@feats", "ark:^o"),
          new Use("nnet3-compute", "--apply-exp", "@0.mdl", "scp:@feats.scp", "ark,t:^o"),
          new Use("nnet3-compute-batch", "@model.raw", "ark:@feats", "ark:^o"),
          new Use(
              "nnet3-get-egs",
              "--alignments",
              "--num-pdfs=2",
              "--num-frames=8",
              "ark:@feats",
              "ark:@ali",
              "ark:^o"),
          new Use(
              "nnet3-get-egs-dense-targets",
              "--num-frames=8",
              "ark:@feats",
              "ark:@feats",
              "ark:^o"),
          new Use("nnet3-copy-egs", "ark:@egs", "ark:^o"),
          new Use("nnet3-copy-egs", "--frame=random", "ark:@egs", "ark,t:^o"),
          new Use("nnet3-merge-egs", "--minibatch-size=2", "ark:@egs", "ark:^o"),
          new Use("nnet3-shuffle-egs", "ark:@egs", "ark:^o"),
          new Use("nnet3-subset-egs", "--n=3", "ark:@egs", "ark:^o"),
          new Use("nnet3-train", "@model.raw", "ark:@egs", "^o"),
          new Use("nnet3-compute-prob", "@model.raw", "ark:@egs"),
          new Use("nnet3-combine", "@model.raw", "@model.txt", "ark:@egs", "^o"),
          new Use("nnet3-acc-lda-stats", "@model.raw", "ark:@egs", "^o"));

  private static final Map<String, Map<String, byte[]>> CHAIN = Vectors.read("chain.tar.gz");

  private final Random random = new Random(SEED);

  @BeforeEach
  void write() throws IOException {
    Files.writeString(folder().resolve("nnet.config"), RingExamples.CONFIG);
    Nnet nnet = Nnet.fromConfig("test", RingExamples.CONFIG, 1);
    nnet.save(at("model.raw"), true);
    nnet.save(at("model.txt"), false);
    for (String name : List.of("tree", "topo")) {
      try (var in = Vectors.class.getResourceAsStream("transitions/hmm4/" + name)) {
        Files.write(folder().resolve(name), in.readAllBytes());
      }
    }
    AmNnet.of(at("tree"), at("topo"), nnet).save(at("0.mdl"), true);
    KaldiOutput.write(at("priors"), true, to -> to.writeVector(new float[] {3, 1}));
    Files.writeString(
        folder().resolve("edits"),
        "set-learning-rate learning-rate=0.5\nrename-node old-name=n new-name=x\n");
    Files.writeString(
        folder().resolve("request.txt"),
        """
        need-model-derivative 0
        input input has-deriv=0
        range n=0:1 t=-1:9
        output output has-deriv=0
        range n=0:1 t=0:8
        """);
    write("chain-output.txt", "rand5-2x7", "nnet-output.txt");
    write("sup.bin", "rand5-2x7", "sup.bin");
    write("sup.txt", "rand5-2x7", "sup.txt");
    Map<String, Map<String, byte[]>> more = Vectors.read("chain-egs.tar.gz");
    Files.write(folder().resolve("chain.raw"), more.get("prob").get("final.raw"));
    Files.write(folder().resolve("digits.fst"), more.get("prob").get("den.fst"));
    Files.write(folder().resolve("all.cegs"), more.get("egs").get("small-30.cegs"));
    try (var from = TableReader.open("ark:" + at("all.cegs"), ChainExample.HOLDER);
        var to = TableWriter.open("ark:" + at("cegs"), ChainExample.HOLDER)) {
      from.next();
      to.write(from.key(), from.value());
      to.commit();
    }
    Files.writeString(folder().resolve("phones"), "a 3 4\n");
    Map<String, Map<String, byte[]>> graphs = Vectors.read("chain-graphs.tar.gz");
    Files.write(folder().resolve("chain.tree"), graphs.get("setup").get("tree"));
    Files.write(folder().resolve("chain.trans"), graphs.get("setup").get("0.trans_mdl"));
    Files.write(folder().resolve("lm.fst"), graphs.get("setup").get("phone_lm.fst"));
    Files.write(folder().resolve("norm.fst"), graphs.get("setup").get("normalization.fst"));
    Files.write(folder().resolve("sup.ark"), graphs.get("sup").get("small.sup.ark"));
    Files.write(folder().resolve("chain.feats"), graphs.get("get").get("feats.ark"));
    Files.write(folder().resolve("graphs.ark"), graphs.get("e2e").get("graphs.ark"));
    Files.write(folder().resolve("lattices.ark"), graphs.get("lattice").get("lattices.ark"));
    AmNnet.of(at("chain.trans"), Nnet.load(at("chain.raw"))).save(at("chain.mdl"), true);
    Map<String, Map<String, byte[]>> speech = Vectors.read("recognition.tar.gz");
    Files.write(folder().resolve("a.wav"), speech.get("mfcc").get("a.wav"));
    Files.write(folder().resolve("HCLG.fst"), speech.get("kaldi").get("HCLG.fst"));
    Files.writeString(folder().resolve("wav.scp"), "a " + at("a.wav") + "\n");
    Files.writeString(folder().resolve("lexicon.txt"), "one x y\ntwo y\n");
    Files.writeString(folder().resolve("phones.txt"), "<eps> 0\nx 1\ny 2\n");
    Files.writeString(folder().resolve("words.txt"), "<eps> 0\none 1\ntwo 2\n");
    Files.writeString(folder().resolve("G.txt"), "0 0 one one 0.5\n0 1 two two\n1 0.25\n");
    Files.writeString(folder().resolve("L.fst"), "0 0 1 1\n0 0 2 2\n0\n");
    Files.writeString(folder().resolve("G.fst"), "0 0 1 1 0.5\n0 0 2 2 1.5\n0\n");
    Files.writeString(folder().resolve("words"), "a one two\nb two\n");
    Files.writeString(folder().resolve("durations"), "a 11 7 ; 3 10 ; 11 8\n");
    write("e2e-output.txt", "e2e-hand", "nnet-output.txt");
    write("e2e.bin", "e2e-hand", "sup.bin");
    write("den.fst", "dens", "rand-5.fst");
    Files.writeString(folder().resolve("den.txt"), "0 1 1 1 0.5\n0 0 2 2\n1 0 6 6 0.5\n1 0.25\n");
    Files.writeString(folder().resolve("o"), BEFORE);
    try (var ark =
            TableWriter.open("ark,scp:" + at("feats") + "," + at("feats.scp"), Holder.MATRIX);
        var one = TableWriter.open("ark,t:" + at("input.txt"), Holder.MATRIX);
        var ali = TableWriter.open("ark:" + at("ali"), Holder.INTS);
        var egs = ExampleKind.NNET3.writer("ark:" + at("egs"))) {
      for (String key : List.of("a", "b", "c")) {
        ark.write(key, rows(20));
        ali.write(key, new int[20]);
        egs.write(key, RingExamples.minibatch(random, 1));
      }
      one.write("input", rows(10));
      ark.commit();
      one.commit();
      ali.commit();
      egs.commit();
    }
  }

  private void write(String file, String name, String of) throws IOException {
    Files.write(folder().resolve(file), CHAIN.get(name).get(of));
  }

  private Matrix rows(int count) {
    var rows = new Matrix(count, 4);
    for (int k = 0; k < rows.data().length; k++) {
      rows.data()[k] = (float) random.nextGaussian();
    }
    return rows;
  }

  /** Runs it with one of its files in the place of another. */
  private int run(Use use, String file, String instead) {
    return run(
        Arrays.stream(use.words)
            .map(word -> {
              int at = Math.max(word.indexOf('@'), word.indexOf('^'));
              if (at < 0) {
                return word;
              }
              String name = word.substring(at + 1);
              return word.substring(0, at) + at(name.equals(file) ? instead : name);
            })
            .toArray(String[]::new));
  }

  /** Checks that the command failed with a proper message. */
  private void checkFailure(String what, int status) throws IOException {
    assertThat(status).as("%s: %s", what, log()).isIn(1, 255);
    assertThat(log())
        .as(what)
        .containsPattern("(?s)ERROR \\(|WARNING \\(|Usage: |LOG \\(")
        .doesNotContain("this is a bug of Ristretto", "\tat ");
    Mutations.checkMessage(log());
    assertThat(folder().resolve("o")).as(what).hasContent(BEFORE);
  }

  @Test
  void allUsesWork() {
    for (Use use : USES) {
      assertThat(run(use, "", "")).as("%s: %s", Arrays.toString(use.words), log()).isZero();
    }
  }

  @Test
  void filesMustBeThere() throws IOException {
    Files.createDirectory(folder().resolve("folder"));
    for (Use use : USES) {
      for (String file : use.files()) {
        for (String instead : List.of("none", "folder", "none/none", "o")) {
          String what = String.join(" ", use.words) + " with " + instead + " for " + file;
          // Every text is a transcript.
          if (file.equals("words") && instead.equals("o")) {
            continue;
          }
          checkFailure(what, run(use, file, instead));
        }
      }
    }
  }

  /** A command without work fails, or has other work; what it was to replace is never emptied. */
  @Test
  void emptyFilesReplaceNothing() throws IOException {
    Files.createFile(folder().resolve("empty"));
    for (Use use : USES) {
      for (String file : use.files()) {
        String what = String.join(" ", use.words) + " with nothing for " + file;
        int status = run(use, file, "empty");
        if (status != 0) {
          checkFailure(what, status);
        } else {
          assertThat(file).as(what).isIn("edits", "nnet.config");
          Files.writeString(folder().resolve("o"), BEFORE);
        }
      }
    }
  }

  @Test
  void numbersThatAreNoneEndATraining() throws IOException {
    String text = Files.readString(folder().resolve("model.txt"));
    Files.writeString(
        folder().resolve("nan"),
        text.replaceFirst("<BiasParams>  \\[ \\S+", "<BiasParams>  [ nan"));
    checkFailure("nan", run("nnet3-train", at("nan"), "ark:" + at("egs"), at("o")));
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-train) [train] values and derivatives must be finite; got some that are"
                + " infinite or NaN; look for such numbers in the model and the examples, or lower"
                + " learning rates.");
  }

  /** Text in place of words, at the start, in the middle and at the end of each file. */
  @ParameterizedTest
  @ValueSource(strings = {"\u001b[31mred", "a\rb", "a\u202eb", "a\u0085b", "a\u0007"})
  void textIsEscapedInMessages(String text) throws IOException {
    for (Use use : USES) {
      for (String file : use.files()) {
        for (byte[] changed : withText(Files.readAllBytes(folder().resolve(file)), text)) {
          Files.write(folder().resolve("damaged"), changed);
          checkMessages(use, file, "damaged");
        }
      }
    }
  }

  /** Words of 10 million letters, in one place of each file. */
  @Test
  void longWordsAreCutInMessages() throws IOException {
    String text = "Q".repeat(10_000_000);
    var done = new HashSet<String>();
    for (Use use : USES) {
      for (String file : use.files()) {
        if (done.add(file)) {
          byte[] whole = Files.readAllBytes(folder().resolve(file));
          Files.write(folder().resolve("damaged"), withText(whole, text).get(1));
          checkMessages(use, file, "damaged");
        }
      }
    }
  }

  /** Names of files are escaped; they may be missing, or hold what belongs there. */
  @Test
  void namesOfFilesAreEscapedInMessages() throws IOException {
    for (Use use : USES) {
      for (String file : use.files()) {
        String name = "x\u001b[31m\u0007\r\n\u202ey";
        checkMessages(use, file, name + "z");
        Files.write(folder().resolve(name), new byte[] {'x', ' ', 0, 'B', 'y'});
        checkMessages(use, file, name);
      }
    }
  }

  private void checkMessages(Use use, String file, String instead) throws IOException {
    int status = run(use, file, instead);
    String what = String.join(" ", use.words) + ", " + file;
    try {
      Mutations.checkMessage(log());
    } catch (AssertionError e) {
      throw new AssertionError(what + ": " + e.getMessage(), e);
    }
    assertThat(log()).as(what).doesNotContain("this is a bug of Ristretto", "\tat ");
    if (status == 0) {
      Files.writeString(folder().resolve("o"), BEFORE);
    }
  }

  /** The text after the first letter, after one in the middle, and in place of the last word. */
  private static List<byte[]> withText(byte[] bytes, String text) {
    var all = new ArrayList<byte[]>();
    for (int from : new int[] {0, bytes.length / 2, bytes.length * 9 / 10}) {
      int at = from;
      while (at < bytes.length && !Character.isLetter(bytes[at])) {
        at++;
      }
      byte[] word = text.getBytes(StandardCharsets.UTF_8);
      byte[] changed = Arrays.copyOf(bytes, bytes.length + word.length);
      System.arraycopy(word, 0, changed, at, word.length);
      System.arraycopy(bytes, at, changed, at + word.length, bytes.length - at);
      all.add(changed);
    }
    return all;
  }

  @Test
  void damagedFilesAreRefusedOrRead() throws IOException {
    for (int trial = 0; trial < TRIALS; trial++) {
      Use use = USES.get(random.nextInt(USES.size()));
      String file = use.files().get(random.nextInt(use.files().size()));
      byte[] damaged = new Mutations(random).of(Files.readAllBytes(folder().resolve(file)));
      Files.write(folder().resolve("damaged"), damaged);
      String what =
          String.format(Locale.ROOT, "trial %d: %s, %s", trial, String.join(" ", use.words), file);
      int status = run(use, file, "damaged");
      if (status == 0) {
        Files.writeString(folder().resolve("o"), BEFORE);
      } else {
        checkFailure(what, status);
      }
    }
  }
}
