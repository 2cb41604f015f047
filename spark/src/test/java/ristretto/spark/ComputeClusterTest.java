package ristretto.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.matrix.Matrix;

/** Outputs of utterances by nnet3-compute on clusters. */
class ComputeClusterTest {
  private static final String NETWORK = "../examples/nnet3/digits/final.raw";
  private static final String FEATURES = "ark:../examples/nnet3/digits/train.feats.ark";

  @TempDir private Path folder;
  private String log;

  private int compute(String output, String... more) {
    var words = new ArrayList<String>(List.of("nnet3-compute"));
    words.addAll(List.of(more));
    words.addAll(List.of(NETWORK, FEATURES, "ark:" + folder.resolve(output)));
    CommandRun run = CommandRun.of(words);
    log = run.log();
    return run.code();
  }

  private void requireEqual(String name) {
    try (var wanted = TableReader.open("ark:" + folder.resolve("here"), Holder.MATRIX);
        var got = TableReader.open("ark:" + folder.resolve(name), Holder.MATRIX)) {
      int utterances = 0;
      while (wanted.next()) {
        assertThat(got.next()).isTrue();
        assertThat(got.key()).isEqualTo(wanted.key());
        Matrix a = wanted.value();
        Matrix b = got.value();
        assertThat(b.data()).hasSize(a.data().length);
        for (int k = 0; k < a.data().length; k += 17) {
          assertThat(b.data()[k]).isCloseTo(a.data()[k], within(1e-3f));
        }
        utterances++;
      }
      assertThat(got.next()).isFalse();
      assertThat(utterances).isEqualTo(600);
    }
  }

  @Test
  void outputsAreInInputOrderAndOnce() throws Exception {
    assertThat(compute("here")).as(log).isZero();
    assertThat(compute("local", "--master=local[2]")).as(log).isZero();
    requireEqual("local");
    assertThat(log).contains("Done 600 utterances, failed for 0");
    try (SparkSession _ = LocalCluster.start(2);
        var _ = new ExecutorKiller(11)) {
      assertThat(compute("cluster", "--master=submitted")).as(log).isZero();
    }
    requireEqual("cluster");
  }

  @Test
  void aFailureLeavesNoOutput() throws IOException {
    Files.writeString(folder.resolve("feats"), "u  [\n 1 2 3 ]\n");
    var words =
        List.of(
            "nnet3-compute",
            "--master=local[2]",
            NETWORK,
            "ark,t:" + folder.resolve("feats"),
            "ark:" + folder.resolve("none"));
    assertThat(CommandRun.of(words).code()).isEqualTo(255);
    assertThat(folder.resolve("none")).doesNotExist();
  }
}
