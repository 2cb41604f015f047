package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Index;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.Posterior;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.CompressedMatrix;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseMatrix;

class GetEgsTest extends ToolTest {
  /** Element of a frame: the frame's number, and its square. */
  private static Matrix frames(int count) {
    var rows = new Matrix(count, 2);
    for (int t = 0; t < count; t++) {
      rows.set(t, 0, t);
      rows.set(t, 1, t * t);
    }
    return rows;
  }

  @BeforeEach
  void write() {
    try (var features = TableWriter.open("ark:" + at("feats"), Holder.GENERAL_MATRIX);
        var posteriors = TableWriter.open("ark:" + at("post"), Holder.POSTERIOR);
        var ali = TableWriter.open("ark,t:" + at("ali"), Holder.INTS);
        var vectors = TableWriter.open("ark:" + at("ivectors"), Holder.MATRIX)) {
      for (int length : new int[] {10, 3, 21}) {
        String key = "u" + length;
        features.write(key, frames(length));
        var classes = new int[length];
        for (int t = 0; t < length; t++) {
          classes[t] = t % 5;
        }
        ali.write(key, classes);
        posteriors.write(key, Posterior.of(classes));
        vectors.write(key, frames((length + 4) / 5));
      }
      features.write("lost", frames(9));
      features.commit();
      posteriors.commit();
      ali.commit();
      vectors.commit();
    }
  }

  private List<KeyedExample<NnetExample>> examples(String name) {
    var all = new ArrayList<KeyedExample<NnetExample>>();
    try (var in = ExampleKind.NNET3.reader("ark:" + at(name))) {
      while (in.next()) {
        all.add(KeyedExample.at(in));
      }
    }
    return all;
  }

  private static NnetIo io(NnetExample example, String name) {
    return example.io().stream().filter(io -> io.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void featuresThatAreNoNumbersAreRefusedByName() {
    Matrix wrong = frames(10);
    wrong.set(4, 1, Float.NaN);
    try (var features = TableWriter.open("ark:" + at("nan"), Holder.MATRIX)) {
      features.write("u10", wrong);
      features.commit();
    }
    String[] command = {
      "nnet3-get-egs",
      "--num-pdfs=5",
      "--num-frames=4",
      "--compress=true",
      "ark:" + at("nan"),
      "ark:" + at("post"),
      "ark:" + at("egs")
    };
    assertThat(run(command)).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-get-egs) [egs] features must be finite; got NaN in frame 4 of 'u10';"
                + " leave the utterance out.");
    command[3] = "--compress=false";
    assertThat(run(command)).as(log()).isZero();
  }

  @Test
  void chunksHaveContextAndTargets() {
    int status =
        run(
            "nnet3-get-egs",
            "--num-pdfs=5",
            "--left-context=2",
            "--right-context=1",
            "--num-frames=4",
            "--compress=false",
            "--ivectors=ark:" + at("ivectors"),
            "--online-ivector-period=5",
            "ark:" + at("feats"),
            "ark:" + at("post"),
            "ark:" + at("egs"));
    assertThat(status).as(log()).isZero();
    assertThat(log())
        .contains("WARNING (nnet3-get-egs) No pdf-level posterior for key lost")
        .contains(
            "WARNING (nnet3-get-egs) Not producing egs for utterance u3 because it is too short: 3"
                + " frames.")
        .contains("WARNING (nnet3-get-egs) 1 utterances had errors and could not be processed.")
        .contains("LOG (nnet3-get-egs) Split 3 utts, with total length 34 frames");
    List<KeyedExample<NnetExample>> all = examples("egs");
    assertThat(all).hasSizeBetween(7, 9);
    for (KeyedExample<NnetExample> eg : all) {
      int first = Integer.parseInt(eg.key().substring(eg.key().indexOf('-') + 1));
      int last = eg.key().startsWith("u10") ? 9 : 20;
      NnetIo input = io(eg.example(), "input");
      assertThat(input.indexes().get(0)).isEqualTo(new Index(0, -2));
      assertThat(input.indexes()).hasSize(7);
      Matrix rows = input.features().toMatrix();
      for (int k = 0; k < 7; k++) {
        // the first and last frames stand for those before and after
        assertThat(rows.get(k, 0)).isEqualTo(Math.clamp(first + k - 2, 0, last));
      }
      NnetIo output = io(eg.example(), "output");
      assertThat(output.indexes()).startsWith(new Index(0, 0)).hasSize(4);
      var targets = (SparseMatrix) output.features();
      assertThat(targets.cols()).isEqualTo(5);
      for (int k = 0; k < 4; k++) {
        assertThat(targets.vectors().get(k).indices()).containsExactly((first + k) % 5);
      }
      NnetIo ivector = io(eg.example(), "ivector");
      assertThat(ivector.indexes()).containsExactly(new Index(0, 0));
    }
  }

  @Test
  void alignmentsAreWhatTheirPosteriorsAre() {
    String[] same = {"--num-pdfs=5", "--num-frames=6,4", "--srand=4"};
    run(
        "nnet3-get-egs",
        same[0],
        same[1],
        same[2],
        "ark:" + at("feats"),
        "ark:" + at("post"),
        "ark:" + at("a"));
    assertThat(
            run(
                "nnet3-get-egs",
                same[0],
                same[1],
                same[2],
                "--alignments",
                "ark:" + at("feats"),
                "ark:" + at("ali"),
                "ark:" + at("b")))
        .isZero();
    assertThat(folder().resolve("a")).hasSameBinaryContentAs(folder().resolve("b"));
    // few rows: two bytes an element
    assertThat(((CompressedMatrix) examples("a").get(0).example().io().get(0).features()).format())
        .isEqualTo(CompressedMatrix.Format.SHORTS);
  }

  @Test
  void compressedFeaturesStayAsTheyAre() {
    var whole = CompressedMatrix.of(frames(21), CompressedMatrix.Method.SPEECH_FEATURE);
    try (var features = TableWriter.open("ark:" + at("cm"), Holder.GENERAL_MATRIX)) {
      features.write("u21", whole);
      features.commit();
    }
    assertThat(
            run(
                "nnet3-get-egs",
                "--num-pdfs=5",
                "--num-frames=10",
                "--right-context=2",
                "ark:" + at("cm"),
                "ark:" + at("post"),
                "ark:" + at("egs")))
        .isZero();
    for (KeyedExample<NnetExample> eg : examples("egs")) {
      int first = Integer.parseInt(eg.key().substring(eg.key().indexOf('-') + 1));
      GeneralMatrix part = eg.example().io().get(0).features();
      assertThat(part).isInstanceOf(CompressedMatrix.class);
      for (int k = 0; k < 12; k++) {
        assertThat(part.toMatrix().row(k)).isEqualTo(whole.toMatrix().row(Math.min(20, first + k)));
      }
    }
  }

  @Test
  void denseTargetsAreRows() {
    assertThat(
            run(
                "nnet3-get-egs-dense-targets",
                "--num-targets=2",
                "--num-frames=5",
                "--compress=false",
                "ark:" + at("feats"),
                "ark:" + at("feats"),
                "ark:" + at("egs")))
        .as(log())
        .isZero();
    for (KeyedExample<NnetExample> eg : examples("egs")) {
      assertThat(io(eg.example(), "output").features().toMatrix().data())
          .isEqualTo(io(eg.example(), "input").features().toMatrix().data());
    }
    assertThat(
            run(
                "nnet3-get-egs-dense-targets",
                "--num-targets=3",
                "ark:" + at("feats"),
                "ark:" + at("feats"),
                "ark:" + at("egs")))
        .isEqualTo(1);
    assertThat(log()).contains("Targets of u10 have 2 columns, not 3");
  }

  @Test
  void wrongOptionsAreRefused() {
    assertThat(run("nnet3-get-egs", "a", "b", "c")).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-get-egs) [options] --num-pdfs must be the number of classes; got -1;"
                + " correct it.");
    assertThat(run("nnet3-get-egs", "--num-pdfs=5", "--num-frames=x", "a", "b", "c"))
        .isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-get-egs) [options] --num-frames must be comma-separated numbers; got"
                + " \"x\"; write, for example, 8 or 40,25,50.");
    assertThat(
            run(
                "nnet3-get-egs",
                "--num-pdfs=4",
                "ark:" + at("feats"),
                "ark:" + at("post"),
                "ark:" + at("egs")))
        .isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-get-egs) [egs] classes must be at least 0 and below the number of"
                + " classes, 4; got 4; correct that number.");
  }
}
