package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.matrix.Matrix;

class NnetComputeTest extends ToolTest {
  private static final Path DIGITS = Path.of("..", "examples", "nnet3", "digits");

  static Map<String, Matrix> matrices(String rspecifier) {
    var all = new LinkedHashMap<String, Matrix>();
    try (var reader = TableReader.open(rspecifier, Holder.MATRIX)) {
      while (reader.next()) {
        all.put(reader.key(), reader.value());
      }
    }
    return all;
  }

  static void assertEqual(Map<String, Matrix> got, Map<String, Matrix> want) {
    assertThat(got.keySet()).containsExactlyElementsOf(want.keySet());
    want.forEach((key, matrix) -> {
      assertThat(got.get(key).rows()).as(key).isEqualTo(matrix.rows());
      assertThat(got.get(key).cols()).as(key).isEqualTo(matrix.cols());
      for (int k = 0; k < matrix.data().length; k++) {
        float wanted = matrix.data()[k];
        double off = Math.abs(got.get(key).data()[k] - wanted) / Math.max(1, Math.abs(wanted));
        assertThat(off).as("%s, element %d", key, k).isLessThan(1e-4);
      }
    });
  }

  // of compute-cnn-tdnn the statistics are empty, for which Kaldi draws random numbers
  static List<String> runs() {
    return Vectors.casesWith("cmd").stream()
        .filter(name -> name.startsWith("compute-") && !name.equals("compute-cnn-tdnn"))
        .toList();
  }

  /** The command that Kaldi was run with, in the folder of the case. */
  private String[] command(String name) {
    Vectors.copy(name, folder());
    var words = new ArrayList<String>();
    for (String word : Vectors.text(name, "cmd").strip().split(" +")) {
      words.add(
          word.equals("ark,t:output.txt")
              ? "ark,t:" + at("got.txt")
              : word.equals("model.raw")
                  ? at(word)
                  : word.replace("ark,t:", "ark,t:" + at("") + "/"));
    }
    return words.toArray(String[]::new);
  }

  @ParameterizedTest
  @MethodSource("runs")
  void computesWhatKaldiComputes(String name) {
    assertThat(run(command(name))).as(this::log).isZero();
    assertEqual(matrices("ark:" + at("got.txt")), matrices("ark:" + at("output.txt")));
    int count = matrices("ark:" + at("output.txt")).size();
    assertThat(log()).contains("LOG (nnet3-compute) Done " + count + " utterances, failed for 0\n");
  }

  @Test
  void chunksAreRoundedUpAndEmptyStatisticsAreTold() {
    assertThat(run(command("compute-cnn-tdnn"))).as(this::log).isZero();
    assertThat(log())
        .contains(
            "LOG (nnet3-compute) Increasing --frames-per-chunk from 50 to 51 to make it a multiple"
                + " of --frame-subsampling-factor=3\n")
        .contains(
            "WARNING (nnet3-compute) Component cnn1.batchnorm is in test mode and has no"
                + " statistics; assuming a mean of 0 and a variance of 1.\n");
    assertThat(matrices("ark:" + at("got.txt")).get("utt1").rows()).isEqualTo(19);
  }

  @Test
  void namesWhatTheFramesOfDigitsAre() throws IOException {
    assertThat(
            run(
                "nnet3-compute",
                DIGITS.resolve("final.raw").toString(),
                "ark:" + DIGITS.resolve("test.feats.ark"),
                "ark:" + at("out.ark")))
        .as(this::log)
        .isZero();
    Files.write(
        folder().resolve("ali.txt"),
        new java.util.zip.GZIPInputStream(Files.newInputStream(DIGITS.resolve("test.ali.txt.gz")))
            .readAllBytes());
    Map<String, Matrix> outputs = matrices("ark:" + at("out.ark"));
    int frames = 0;
    int right = 0;
    try (var classes = TableReader.open("ark:" + at("ali.txt"), Holder.INTS)) {
      while (classes.next()) {
        Matrix output = outputs.get(classes.key());
        int[] wanted = classes.value();
        for (int t = 0; t < wanted.length; t++) {
          frames++;
          right += largest(output.row(t)) == wanted[t] ? 1 : 0;
        }
      }
    }
    assertThat(frames).isEqualTo(15710);
    assertThat((double) right / frames).isBetween(0.942, 0.944);
  }

  private static int largest(float[] values) {
    int best = 0;
    for (int k = 1; k < values.length; k++) {
      best = values[k] > values[best] ? k : best;
    }
    return best;
  }

  @Test
  void whatIsMissingFails() throws IOException {
    Vectors.copy("compute-tdnnf-ivector-nosub", folder());
    Files.writeString(folder().resolve("none.txt"), "other  [ 1 2 ]\n");
    Files.writeString(folder().resolve("empty.txt"), "nothing  [ ]\n");
    String model = at("model.raw");
    String feats = "ark:" + at("feats.txt");
    String out = "ark,t:" + at("got.txt");
    assertThat(run("nnet3-compute", "--ivectors=ark:" + at("none.txt"), model, feats, out))
        .isEqualTo(1);
    assertThat(log())
        .contains("WARNING (nnet3-compute) No iVector available for utterance utt0\n")
        .contains("LOG (nnet3-compute) Done 0 utterances, failed for 1\n");
    assertThat(run("nnet3-compute", model, "ark:" + at("empty.txt"), out)).isEqualTo(1);
    assertThat(log()).contains("WARNING (nnet3-compute) Zero-length utterance: nothing\n");
    byte[] key = "n\351\302\233 [ ]\n".getBytes(StandardCharsets.ISO_8859_1);
    Files.write(folder().resolve("empty.txt"), key);
    assertThat(run("nnet3-compute", model, "ark:" + at("empty.txt"), out)).isEqualTo(1);
    assertThat(log()).contains("WARNING (nnet3-compute) Zero-length utterance: n\\udce9\\u009b\n");
    assertThat(run("nnet3-compute", model, feats, out)).isEqualTo(255);
    assertThat(log())
        .endsWith(
            "ERROR (nnet3-compute) [compute] a network with an input 'ivector' must have"
                + " i-vectors; got none for 'utt0'; give --ivectors or --online-ivectors.\n");
    assertThat(run("nnet3-compute", "--online-ivectors=" + feats, model, feats, out))
        .isEqualTo(255);
    assertThat(log())
        .endsWith(
            "ERROR (nnet3-compute) [compute] online ivectors must have a period of at least 1; got"
                + " 0; set --online-ivector-period.\n");
    assertThat(
            run(
                "nnet3-compute",
                "--online-ivectors=" + feats,
                "--ivectors=" + feats,
                model,
                feats,
                out))
        .isEqualTo(255);
    assertThat(log())
        .endsWith(
            "ERROR (nnet3-compute) [compute] ivectors must be of one kind; got --ivectors and"
                + " --online-ivectors; leave out one.\n");
    assertThat(run("nnet3-compute", "--frames-per-chunk=0", model, feats, out)).isEqualTo(255);
    assertThat(log())
        .endsWith(
            "ERROR (nnet3-compute) [compute] --frame-subsampling-factor and --frames-per-chunk must"
                + " be at least 1, --extra-left-context and --extra-right-context at least 0, and"
                + " all of them at most 1000000; got 1, 0, 0 and 0; correct them.\n");
    assertThat(run("nnet3-compute", "--extra-right-context-final=2000000", model, feats, out))
        .isEqualTo(255);
    assertThat(run("nnet3-compute", "--use-gpu=maybe", model, feats, out)).isEqualTo(255);
    assertThat(log())
        .endsWith(
            "ERROR (nnet3-compute) [options] --use-gpu must be one of yes, no, optional, wait; got"
                + " \"maybe\"; correct it.\n");
    assertThat(run("nnet3-compute", model, feats)).isEqualTo(1);
    assertThat(log()).contains("Usage:  nnet3-compute [options] <nnet-in>");
  }

  @Test
  void onlineIvectorsMustReachTheEnd() {
    Vectors.copy("compute-tdnnf-online-ivector", folder());
    assertThat(
            run(
                "nnet3-compute",
                "--online-ivectors=ark:" + at("online_ivectors.txt"),
                "--online-ivector-period=1",
                "--frames-per-chunk=5",
                at("model.raw"),
                "ark:" + at("feats.txt"),
                "ark,t:" + at("got.txt")))
        .isEqualTo(255);
    assertThat(log())
        .contains("[compute] online ivectors must reach to the end of the utterance; got ")
        .endsWith("; correct --online-ivector-period.\n");
  }

  @Test
  void priorsAreSubtracted() throws IOException {
    Vectors.copy("compute-tdnn", folder());
    assertThat(run("nnet3-copy", "--binary=false", at("model.raw"), at("text"))).isZero();
    int dim = matrices("ark:" + at("output.txt")).get("utt0").cols();
    Files.writeString(
        folder().resolve("model.mdl"),
        "<TransitionModel> any\n</TransitionModel>\n"
            + Files.readString(folder().resolve("text"))
            + "<LeftContext> 0 <RightContext> 0 <Priors>  [ "
            + "0.25 ".repeat(dim)
            + "]\n");
    String feats = "ark:" + at("feats.txt");
    String out = "ark,t:" + at("got.txt");
    assertThat(run("nnet3-compute", at("model.mdl"), feats, out)).as(this::log).isZero();
    assertEqual(matrices("ark:" + at("got.txt")), matrices("ark:" + at("output.txt")));
    assertThat(
            run(
                "nnet3-compute",
                "--use-priors",
                "--acoustic-scale=0.5",
                at("model.mdl"),
                feats,
                out))
        .as(this::log)
        .isZero();
    Map<String, Matrix> wanted = matrices("ark:" + at("output.txt"));
    wanted.replaceAll((key, matrix) -> {
      for (int k = 0; k < matrix.data().length; k++) {
        matrix.data()[k] = 0.5f * (matrix.data()[k] - (float) Math.log(0.25));
      }
      return matrix;
    });
    assertEqual(matrices("ark:" + at("got.txt")), wanted);
  }
}
