package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Index;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;
import ristretto.nnet3.network.Nnet;

/** Two classes that differ in the direction (1, 1, 0), with more noise in the third column. */
class LdaToolsTest extends ToolTest {
  private static final int ROWS = 2000;

  @BeforeEach
  void write() {
    var random = new Random(1);
    var rows = new Matrix(ROWS, 3);
    var classes = new ArrayList<SparseVector>();
    var times = new ArrayList<Index>();
    for (int r = 0; r < ROWS; r++) {
      int c = r % 2;
      rows.set(r, 0, (float) (random.nextGaussian() + 3 * c));
      rows.set(r, 1, (float) (random.nextGaussian() + 3 * c + 1));
      rows.set(r, 2, (float) (random.nextGaussian() * 7));
      classes.add(new SparseVector(2, new int[] {c}, new float[] {1}));
      times.add(new Index(0, r));
    }
    try (var out = ExampleKind.NNET3.writer("ark:" + at("egs"))) {
      out.write(
          "a",
          new NnetExample(
              List.of(
                  new NnetIo("input", times, rows),
                  new NnetIo("output", times, new SparseMatrix(classes)))));
      out.commit();
    }
    Nnet.fromConfig("test", "input-node name=input dim=3\noutput-node name=output input=input\n", 0)
        .save(at("0.raw"), true);
  }

  private static Matrix matrix(String file) {
    try (KaldiInput in = KaldiInput.open(file)) {
      return in.readMatrix();
    }
  }

  @Test
  void transformShowsTheDifference() {
    assertThat(run("nnet3-acc-lda-stats", at("0.raw"), "ark:" + at("egs"), at("acc")))
        .as(log())
        .isZero();
    assertThat(log())
        .contains("LOG (nnet3-acc-lda-stats) Processed 1 examples.")
        .contains("Accumulated stats, soft frame count = 2000.  Wrote to " + at("acc"));
    assertThat(
            run(
                "nnet3-get-feature-transform",
                "--within-class-factor=1",
                "--max-singular-value=0",
                "--dim=2",
                at("lda"),
                at("acc")))
        .as(log())
        .isZero();
    assertThat(log())
        .contains("LOG (nnet3-get-feature-transform) Data count is 2000")
        .contains("LDA singular values are  [ 4.")
        .contains("Sum of selected singular values is 4.");
    Matrix lda = matrix(at("lda"));
    assertThat(lda.rows()).isEqualTo(2);
    assertThat(lda.cols()).isEqualTo(4);
    // unit variance within classes: the first row is along (1, 1, 0)
    double sign = Math.signum(lda.get(0, 0));
    assertThat(sign * lda.get(0, 0)).isCloseTo(Math.sqrt(0.5), within(0.05));
    assertThat(sign * lda.get(0, 1)).isCloseTo(Math.sqrt(0.5), within(0.05));
    assertThat((double) lda.get(0, 2)).isCloseTo(0, within(0.01));
    // the mean (1.5, 2.5, 0) becomes zero
    assertThat(sign * lda.get(0, 3)).isCloseTo(-4 * Math.sqrt(0.5), within(0.2));
  }

  @Test
  void columnsThatDoNotTellClassesApartBecomeSmall() {
    run("nnet3-acc-lda-stats", at("0.raw"), "ark:" + at("egs"), at("acc"));
    assertThat(run("nnet3-get-feature-transform", at("lda"), at("acc"))).isZero();
    Matrix m = matrix(at("lda"));
    assertThat(norm(m.row(0))).isGreaterThan(0.5);
    assertThat(norm(m.row(1))).isLessThan(0.1);
    run("nnet3-get-feature-transform", "--max-singular-value=0.25", at("lda"), at("acc"));
    assertThat(norm(matrix(at("lda")).row(0))).isCloseTo(0.25, within(1e-3));
  }

  private static double norm(float[] row) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
      sum += (double) row[i] * row[i];
    }
    return Math.sqrt(sum);
  }

  @Test
  void statisticsAddUpAndAreTextToo() {
    run("nnet3-acc-lda-stats", at("0.raw"), "ark:" + at("egs"), at("acc"));
    run("nnet3-acc-lda-stats", "--binary=false", at("0.raw"), "ark:" + at("egs"), at("text"));
    assertThat(folder().resolve("text")).content().startsWith("<LDAACCS> <VECSIZE> 3 <NUMCLASSES>");
    assertThat(run("nnet3-get-feature-transform", at("a"), at("acc"), at("text"))).isZero();
    assertThat(log()).contains("Data count is 4000");
    run("nnet3-get-feature-transform", at("b"), at("acc"));
    // the classes do not differ in other directions, which may be any
    float[] twice = matrix(at("a")).row(0);
    float[] once = matrix(at("b")).row(0);
    for (int i = 0; i < once.length; i++) {
      assertThat(Math.abs(twice[i])).isCloseTo(Math.abs(once[i]), within(1e-3f));
    }
  }

  @Test
  void mistakesAreExplained() {
    run("nnet3-acc-lda-stats", at("0.raw"), "ark:" + at("egs"), at("acc"));
    assertThat(run("nnet3-get-feature-transform", "--dim=4", at("lda"), at("acc"))).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-get-feature-transform) [lda] there must be rows, with at least as many"
                + " columns as are kept; got a count of 2000.0, 3 columns and 4 to keep; give more"
                + " examples, or keep fewer.");
    Nnet.fromConfig("test", "input-node name=x dim=3\noutput-node name=output input=x\n", 0)
        .save(at("x.raw"), true);
    assertThat(run("nnet3-acc-lda-stats", at("x.raw"), "ark:" + at("egs"), at("acc")))
        .isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-acc-lda-stats) [egs] an example's inputs and outputs must be the"
                + " network's; got \"input\" for [x, output]; rename it.");
  }
}
