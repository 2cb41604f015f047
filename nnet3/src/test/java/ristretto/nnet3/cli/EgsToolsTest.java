package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Index;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.matrix.CompressedMatrix;
import ristretto.nnet3.matrix.Matrix;

class EgsToolsTest extends ToolTest {
  /** Ten examples of five frames, of which three are wanted: the last one has no second frame. */
  @BeforeEach
  void writeExamples() {
    try (var out = ExampleKind.NNET3.writer("ark:" + at("in.ark"))) {
      for (int k = 0; k < 10; k++) {
        int first = k == 9 ? 2 : 0;
        NnetIo input = io("input", k, -1, 4);
        out.write(
            "eg" + k,
            new NnetExample(List.of(input, io("ivector", k, 0, 1), io("output", k, first, 3))));
      }
      out.commit();
    }
  }

  private static NnetIo io(String name, int k, int first, int end) {
    List<Index> times = IntStream.range(first, end).mapToObj(t -> new Index(0, t)).toList();
    var rows = new Matrix(end - first, 2);
    for (int r = 0; r < rows.rows(); r++) {
      rows.set(r, 0, k);
      rows.set(r, 1, first + r);
    }
    return new NnetIo(name, times, rows);
  }

  private <T> List<T> all(String name, Function<KeyedExample<NnetExample>, T> show) {
    var to = new ArrayList<T>();
    try (var in = ExampleKind.NNET3.reader("ark:" + at(name))) {
      while (in.next()) {
        to.add(show.apply(KeyedExample.at(in)));
      }
    }
    return to;
  }

  @Test
  void copyingKeepsExamples() {
    assertThat(run("nnet3-copy-egs", "ark:" + at("in.ark"), "ark,t:" + at("x"))).isZero();
    assertThat(last())
        .isEqualTo(
            "LOG (nnet3-copy-egs) Read 10 neural-network training examples, wrote 10, 0 examples"
                + " had errors.");
    run("nnet3-copy-egs", "ark:" + at("x"), "ark:" + at("y"));
    assertThat(folder().resolve("y")).hasSameBinaryContentAs(folder().resolve("in.ark"));
  }

  @Test
  void copyingGoesToArchivesInTurnOrAtRandom() {
    run("nnet3-copy-egs", "ark:" + at("in.ark"), "ark:" + at("x"), "ark:" + at("y"));
    assertThat(all("x", KeyedExample::key)).containsExactly("eg0", "eg2", "eg4", "eg6", "eg8");
    assertThat(all("y", KeyedExample::key)).containsExactly("eg1", "eg3", "eg5", "eg7", "eg9");
    run("nnet3-copy-egs", "--random", "ark:" + at("in.ark"), "ark:" + at("x"), "ark:" + at("y"));
    assertThat(all("x", KeyedExample::key).size() + all("y", KeyedExample::key).size())
        .isEqualTo(10);
    assertThat(all("x", KeyedExample::key))
        .isNotEqualTo(List.of("eg0", "eg2", "eg4", "eg6", "eg8"));
  }

  @Test
  void copyingTakesAProportion() {
    run("nnet3-copy-egs", "--keep-proportion=2", "ark:" + at("in.ark"), "ark:" + at("x"));
    assertThat(all("x", KeyedExample::key)).hasSize(20);
    run("nnet3-copy-egs", "--keep-proportion=0.5", "ark:" + at("in.ark"), "ark:" + at("x"));
    assertThat(all("x", KeyedExample::key)).hasSizeBetween(1, 9);
    assertThat(
            run("nnet3-copy-egs", "--keep-proportion=0", "ark:" + at("in.ark"), "ark:" + at("x")))
        .isEqualTo(1);
    assertThat(run("nnet3-copy-egs", "--keep-proportion=-1", "a", "b")).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-copy-egs) [options] --keep-proportion must be 0 or more; got -1.0; give a"
                + " number of copies.");
  }

  @Test
  void copyingSelectsFramesAndContexts() {
    assertThat(
            run(
                "nnet3-copy-egs",
                "--frame=1",
                "--left-context=1",
                "--right-context=0",
                "--frame-shift=7",
                "ark:" + at("in.ark"),
                "ark:" + at("x")))
        .isZero();
    List<NnetExample> selected = all("x", KeyedExample::example);
    // the last example has no frame 1
    assertThat(selected).hasSize(9);
    NnetExample first = selected.get(0);
    assertThat(first.io().get(0).indexes()).containsExactly(new Index(0, 7), new Index(0, 8));
    assertThat(first.io().get(0).features().toMatrix().data()).containsExactly(0, 0, 0, 1);
    assertThat(first.io().get(1).indexes()).containsExactly(new Index(0, 0));
    assertThat(first.io().get(2).indexes()).containsExactly(new Index(0, 8));
    assertThat(run("nnet3-copy-egs", "--frame=random", "ark:" + at("in.ark"), "ark:" + at("x")))
        .isZero();
    assertThat(all("x", eg -> eg.example().io().get(2).indexes().size()))
        .hasSize(10)
        .containsOnly(1);
    run("nnet3-copy-egs", "--left-context=3", "ark:" + at("in.ark"), "ark:" + at("x"));
    assertThat(log())
        .contains(
            "WARNING (nnet3-copy-egs) An example has contexts of 1 and 1 frames only (logged"
                + " once).");
  }

  @Test
  void copyingRefusesFramesThatAreNotThere() {
    String in = "ark:" + at("in.ark");
    assertThat(run("nnet3-copy-egs", "--frame=x", in, "ark:" + at("x"))).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-copy-egs) [options] --frame must be a time or 'random'; got \"x\"; write,"
                + " for example, --frame=0.");
    run("nnet3-merge-egs", "--minibatch-size=2", in, "ark:" + at("merged"));
    assertThat(run("nnet3-copy-egs", "--frame=0", "ark:" + at("merged"), "ark:" + at("x")))
        .isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-copy-egs) [egs] frames must be selected from single examples; got input"
                + " with several sequences; select frames before merging.");
    assertThat(folder().resolve("x")).doesNotExist();
  }

  @Test
  void copyingChangesOutputs() throws Exception {
    Files.writeString(folder().resolve("w"), "eg0 0.5\neg1 2\n");
    Files.writeString(folder().resolve("o"), "eg0 output-0\neg1 output-1\neg2 output-2\n");
    int status =
        run(
            "nnet3-copy-egs",
            "--weights=ark:" + at("w"),
            "--outputs=ark:" + at("o"),
            "ark:" + at("in.ark"),
            "ark:" + at("x"));
    assertThat(status).isZero();
    assertThat(log()).contains("WARNING (nnet3-copy-egs) No weight for example eg2");
    assertThat(last()).endsWith("wrote 2, 8 examples had errors.");
    NnetIo second = all("x", KeyedExample::example).get(1).io().get(2);
    assertThat(second.name()).isEqualTo("output-1");
    assertThat(second.features().toMatrix().data()).containsExactly(2, 0, 2, 2, 2, 4);
    run("nnet3-copy-egs", "--outputs=ark:" + at("o"), "ark:" + at("x"), "ark:" + at("y"));
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-copy-egs) [egs] an example must have an output named \"output\"; got"
                + " [input, ivector, output-0]; leave out the options that change it.");
  }

  @Test
  void shufflingDependsOnTheSeed() {
    String in = "ark:" + at("in.ark");
    assertThat(run("nnet3-shuffle-egs", "--srand=1", in, "ark:" + at("x"))).isZero();
    assertThat(last())
        .isEqualTo("LOG (nnet3-shuffle-egs) Shuffled order of 10 neural-network training examples");
    List<String> once = all("x", KeyedExample::key);
    assertThat(once)
        .hasSize(10)
        .doesNotHaveDuplicates()
        .isNotEqualTo(once.stream().sorted().toList());
    run("nnet3-shuffle-egs", "--srand=1", in, "ark:" + at("x"));
    assertThat(all("x", KeyedExample::key)).isEqualTo(once);
    run("nnet3-shuffle-egs", "--srand=2", in, "ark:" + at("x"));
    assertThat(all("x", KeyedExample::key)).isNotEqualTo(once);
    run("nnet3-shuffle-egs", "--buffer-size=3", in, "ark:" + at("x"));
    assertThat(all("x", KeyedExample::key)).containsExactlyInAnyOrderElementsOf(once);
    run("nnet3-shuffle-egs", "--buffer-size=-3", in, "ark:" + at("x"));
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-shuffle-egs) [options] --buffer-size must be 0 or more; got -3; leave it"
                + " out for all.");
  }

  @Test
  void subsetsAreRandom() {
    String in = "ark:" + at("in.ark");
    assertThat(run("nnet3-subset-egs", "--n=4", "--randomize-order=false", in, "ark:" + at("x")))
        .isZero();
    assertThat(last())
        .isEqualTo(
            "LOG (nnet3-subset-egs) Selected a subset of 4 out of 10 neural-network training"
                + " examples");
    assertThat(all("x", KeyedExample::key)).hasSize(4).doesNotHaveDuplicates();
    run("nnet3-subset-egs", "--n=100", in, "ark:" + at("y"));
    assertThat(all("y", KeyedExample::key)).hasSize(10);
    run("nnet3-subset-egs", "--n=0", in, "ark:" + at("y"));
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-subset-egs) [options] --n must be at least 1; got 0; give a number of"
                + " examples.");
  }

  @Test
  void mergingMakesMinibatches() {
    String in = "ark:" + at("in.ark");
    assertThat(
            run("nnet3-merge-egs", "--minibatch-size=4", "--compress=true", in, "ark:" + at("x")))
        .isZero();
    assertThat(last())
        .isEqualTo(
            "LOG (nnet3-merge-egs) Processed 10 egs of avg. size 5 into 2 minibatches, discarding"
                + " 20% of egs.  Avg minibatch size was 4, #distinct types of egs/minibatches was"
                + " 2/1");
    assertThat(all("x", KeyedExample::key)).containsExactly("merged-0-4", "merged-1-4");
    assertThat(all("x", eg -> eg.example().io().get(0).features()).get(0))
        .isInstanceOf(CompressedMatrix.class);
    assertThat(
            run(
                "nnet3-merge-egs",
                "--minibatch-size=4",
                "--measure-output-frames=true",
                in,
                "ark:" + at("x")))
        .isZero();
    assertThat(log())
        .contains("WARNING (nnet3-merge-egs) The option --measure-output-frames has no effect.");
    assertThat(run("nnet3-merge-egs", in, "ark:" + at("x"))).isEqualTo(1);
  }

  @Test
  void wrongUsageIsTold() {
    assertThat(run("nnet3-copy-egs", "a")).isEqualTo(1);
    assertThat(log())
        .contains("Usage:  nnet3-copy-egs [options] <egs-rspecifier> <egs-wspecifier1>");
    assertThat(run("nnet3-merge-egs", "a", "b", "c")).isEqualTo(1);
    assertThat(run("nnet3-copy-egs", "--help")).isZero();
    assertThat(run("nnet3-copy-eg")).isEqualTo(1);
    assertThat(last())
        .matches(
            "\\[nnet3\\] a command must be one of ([a-z0-9-]+, )+nnet3-[a-z-]+; got"
                + " \"nnet3-copy-eg\"; did you mean 'nnet3-copy-egs'\\?");
    assertThat(run("nnet3-copy-egs", "ark:" + at("none"), "ark:" + at("x"))).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-copy-egs) [kaldi] a file to read must exist; got %s (no such file); check the path."
                .formatted(at("none")));
  }
}
