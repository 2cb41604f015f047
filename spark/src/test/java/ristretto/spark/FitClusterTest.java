package ristretto.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.nnet3.cli.Command;

/** Training by nnet3-fit on clusters. */
class FitClusterTest {
  @TempDir private Path folder;
  private String log;

  @BeforeEach
  void write() throws IOException {
    RingData.write(folder, 60);
  }

  private int fit(String dir, String... more) {
    var words =
        new ArrayList<String>(
            List.of(
                "nnet3-fit",
                "--feats=ark:" + folder.resolve("feats"),
                "--targets=ark:" + folder.resolve("ali"),
                "--dir=" + folder.resolve(dir),
                "--num-utts-valid=4",
                "--num-jobs=5",
                "--num-epochs=4",
                "--minibatch-size=8",
                "--initial-effective-lrate=0.01",
                "--samples-per-iter=400"));
    words.addAll(List.of(more));
    words.add(folder.resolve("ring.config").toString());
    var err = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    try {
      return Command.run(words.toArray(String[]::new));
    } finally {
      System.setErr(before);
      log = err.toString(StandardCharsets.UTF_8);
    }
  }

  private byte[] bytes(String name) throws IOException {
    return Files.readAllBytes(folder.resolve(name));
  }

  private List<String[]> history(String dir) throws IOException {
    return Files.readAllLines(folder.resolve(dir).resolve("history.tsv")).stream()
        .skip(1)
        .map(line -> line.split("\t"))
        .toList();
  }

  @Test
  void clustersTrainTheSameNetworkAsThreads() throws IOException {
    assertThat(fit("threads")).as(log).isZero();
    assertThat(fit("local", "--master=local[2]")).as(log).isZero();
    try (SparkSession _ = LocalCluster.start(2)) {
      assertThat(fit("cluster", "--master=submitted")).as(log).isZero();
    }
    assertThat(bytes("cluster/final.raw")).isEqualTo(bytes("local/final.raw"));
    assertThat(history("cluster")).hasSameSizeAs(history("threads")).hasSizeGreaterThan(3);
    for (int k = 0; k < history("cluster").size(); k++) {
      assertThat(Double.parseDouble(history("cluster").get(k)[4]))
          .isCloseTo(Double.parseDouble(history("threads").get(k)[4]), within(1e-4));
    }
  }

  @Test
  void killedExecutorsChangeNoBit() throws Exception {
    assertThat(fit("whole", "--master=local[2]")).as(log).isZero();
    try (SparkSession _ = LocalCluster.start(2)) {
      try (var killer = new ExecutorKiller(7)) {
        assertThat(fit("killed", "--master=submitted")).as(log).isZero();
        assertThat(killer.kills()).isPositive();
      }
    }
    assertThat(bytes("killed/final.raw")).isEqualTo(bytes("whole/final.raw"));
    assertThat(history("killed")).hasSameSizeAs(history("whole"));
  }

  @Test
  void aWrongAddressIsTold() {
    assertThat(fit("wrong", "--master=somewhere")).isEqualTo(255);
    assertThat(log)
        .endsWith(
            "ERROR (nnet3-fit) [nnet3-fit] --master must be the address of a cluster, such as"
                + " spark://host:7077, yarn or local[2], or \"submitted\" under spark-submit; got"
                + " \"somewhere\" (Could not parse Master URL: 'somewhere'); correct it.\n");
  }

  @Test
  void errorsOfJobsAreThoseOfThreads() throws IOException {
    assertThat(fit("small", "--master=local[2]", "--minibatch-size=5000")).isEqualTo(255);
    assertThat(log)
        .contains("ERROR (nnet3-fit) [nnet3-fit] each archive must have minibatches; got none in ");
  }
}
