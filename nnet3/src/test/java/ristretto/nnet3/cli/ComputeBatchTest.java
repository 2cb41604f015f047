package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.Matrix;

class ComputeBatchTest extends ToolTest {
  @Test
  void chunksOfUtterancesAreComputedTogether() {
    Vectors.copy("compute-tdnn", folder());
    String feats = "ark:" + at("feats.txt");
    String out = "ark,t:" + at("got.txt");
    for (String exact : List.of("false", "true")) {
      assertThat(
              run(
                  "nnet3-compute-batch",
                  "--ensure-exact-final-context=" + exact,
                  "--minibatch-size=3",
                  "--frames-per-chunk=20",
                  at("model.raw"),
                  feats,
                  out))
          .as(this::log)
          .isZero();
      NnetComputeTest.assertEqual(
          NnetComputeTest.matrices("ark:" + at("got.txt")),
          NnetComputeTest.matrices("ark:" + at("output.txt")));
      assertThat(log())
          .contains("LOG (nnet3-compute-batch) Done 4 utterances, failed for 0\n")
          .contains("LOG (nnet3-compute-batch) Minibatch stats: seconds-taken,frames-in:")
          .containsPattern("Did \\d+ tasks in \\d+ minibatches, taking \\d+\\.\\d\\d seconds\\.\n");
    }
    assertThat(run("nnet3-compute-batch", "--minibatch-size=0", at("model.raw"), feats, out))
        .isEqualTo(255);
    assertThat(log())
        .endsWith(
            "ERROR (nnet3-compute-batch) [options] --minibatch-size and --edge-minibatch-size must"
                + " be at least 1, and --partial-minibatch-factor at least 0 and below 1; got 0, 32"
                + " and 0.5; correct them.\n");
  }

  /** Features of so many frames, and what Kaldi makes of the first 14. */
  private void features(int... frames) throws IOException {
    Vectors.copy("x-xvector-test", folder());
    Matrix input = NnetComputeTest.matrices("ark:" + at("input.txt")).get("input");
    try (var writer = TableWriter.open("ark:" + at("feats.ark"), Holder.MATRIX)) {
      int first = 0;
      for (int count : frames) {
        int from = first;
        var rows = new int[count];
        Arrays.setAll(rows, k -> from + k);
        writer.write("utt" + count + "-" + first, input.select(rows));
        first += count;
      }
      writer.commit();
    }
  }

  private Map<String, float[]> vectors() {
    var all = new java.util.LinkedHashMap<String, float[]>();
    try (var reader = TableReader.open("ark:" + at("got.ark"), Holder.VECTOR)) {
      while (reader.next()) {
        all.put(reader.key(), reader.value());
      }
    }
    return all;
  }

  private int xvectors(String... more) {
    var words = new java.util.ArrayList<>(List.of("nnet3-xvector-compute"));
    words.addAll(List.of(more));
    words.addAll(List.of(at("model.raw"), "ark:" + at("feats.ark"), "ark:" + at("got.ark")));
    return run(words.toArray(String[]::new));
  }

  @Test
  void withoutUtterancesTheOldVectorsStay() throws IOException {
    features(14);
    assertThat(xvectors("--min-chunk-size=10")).as(this::log).isZero();
    Map<String, float[]> before = vectors();
    Files.write(Path.of(at("feats.ark")), new byte[0]);
    assertThat(xvectors("--min-chunk-size=10")).isEqualTo(1);
    assertThat(vectors().keySet()).isEqualTo(before.keySet()).hasSize(1);
  }

  @Test
  void anUtteranceHasOneVector() throws IOException {
    features(14, 14);
    assertThat(xvectors("--min-chunk-size=10")).as(this::log).isZero();
    Matrix want = NnetComputeTest.matrices("ark:" + at("output.txt")).get("output");
    assertThat(vectors().keySet()).containsExactly("utt14-0", "utt14-14");
    int n = 0;
    for (float[] got : vectors().values()) {
      for (int k = 0; k < got.length; k++) {
        assertThat(Math.abs(got[k] - want.get(n, k)) / Math.max(1, Math.abs(want.get(n, k))))
            .isLessThan(1e-4f);
      }
      n++;
    }
    assertThat(log()).contains("LOG (nnet3-xvector-compute) Done 2 utterances, failed for 0\n");
  }

  @Test
  void chunksHaveAMean() throws IOException {
    features(14, 14);
    assertThat(xvectors("--min-chunk-size=10", "--chunk-size=14")).as(this::log).isZero();
    List<float[]> each = List.copyOf(vectors().values());
    features(28);
    assertThat(xvectors("--min-chunk-size=10", "--chunk-size=14")).as(this::log).isZero();
    float[] mean = vectors().get("utt28-0");
    for (int k = 0; k < mean.length; k++) {
      assertThat((double) mean[k])
          .isCloseTo(
              (each.get(0)[k] + each.get(1)[k]) / 2, org.assertj.core.data.Offset.offset(1e-4));
    }
  }

  @Test
  void shortUtterancesArePaddedOrFail() throws IOException {
    features(14, 9);
    assertThat(xvectors("--min-chunk-size=12", "--pad-input=false")).as(this::log).isZero();
    assertThat(vectors().keySet()).containsExactly("utt14-0");
    assertThat(log())
        .contains(
            "WARNING (nnet3-xvector-compute) Minimum chunk size of 12 is greater than the number of"
                + " rows in utterance: utt9-14\n")
        .contains("LOG (nnet3-xvector-compute) Done 1 utterances, failed for 1\n");
    assertThat(xvectors("--min-chunk-size=12", "--chunk-size=12")).as(this::log).isZero();
    assertThat(vectors().keySet()).containsExactly("utt14-0", "utt9-14");
    assertThat(log())
        .contains(
            "LOG (nnet3-xvector-compute) Chunk size of 12 is greater than the number of rows in"
                + " utterance: utt9-14, using chunk size of 9\n");
    assertThat(xvectors("--min-chunk-size=12", "--chunk-size=6", "--pad-input=false")).isEqualTo(1);
    assertThat(log())
        .contains("WARNING (nnet3-xvector-compute) No chunk has 12 frames in utterance: utt14-0\n");
    assertThat(xvectors("--chunk-size=0")).isEqualTo(255);
    assertThat(log())
        .endsWith(
            "ERROR (nnet3-xvector-compute) [options] --chunk-size must be at least 1, or -1 for all"
                + " frames; got 0; correct it.\n");
  }

  @Test
  void whatWasCompiledIsCompiledFirstNextTime() throws IOException {
    features(14, 9);
    String file = at("compiled");
    assertThat(xvectors("--min-chunk-size=5", "--cached-compiler-out=" + file))
        .as(this::log)
        .isZero();
    assertThat(log()).contains("LOG (nnet3-xvector-compute) Writing cache to " + file + "\n");
    assertThat(Files.readString(Path.of(file)))
        .isEqualTo(
            """
            ristretto-nnet3-requests 1
            need-model-derivative 0
            store-component-stats 0
            input input has-deriv=0
            range order=nt n=0:1 t=0:14:1 x=0:1
            output output has-deriv=0
            range order=nt n=0:1 t=0:1:1 x=0:1
            end
            need-model-derivative 0
            store-component-stats 0
            input input has-deriv=0
            range order=nt n=0:1 t=0:9:1 x=0:1
            output output has-deriv=0
            range order=nt n=0:1 t=0:1:1 x=0:1
            end
            """);
    Map<String, float[]> before = vectors();
    assertThat(
            xvectors("--min-chunk-size=50", "--pad-input=false", "--cached-compiler-out=" + file))
        .isEqualTo(1);
    assertThat(Path.of(file)).content().endsWith("\nend\n");
    assertThat(xvectors("--min-chunk-size=5", "--cached-compiler-in=" + file)).isZero();
    assertThat(log()).contains("LOG (nnet3-xvector-compute) Reading cache from " + file + "\n");
    vectors().forEach((key, vector) -> assertThat(vector).isEqualTo(before.get(key)));
    assertThat(xvectors("--cached-compiler-in=" + at("model.raw"))).isEqualTo(255);
    assertThat(log())
        .endsWith(
            "ERROR (nnet3-xvector-compute) [cache] a cache file must begin with"
                + " \"ristretto-nnet3-requests 1\"; got binary data in "
                + at("model.raw")
                + "; give one that this command wrote, or leave the option out.\n");
  }
}
