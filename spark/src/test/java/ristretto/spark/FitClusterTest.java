package ristretto.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Training by nnet3-fit on clusters. */
class FitClusterTest {
  private static final Path DIGITS = Path.of("../examples/nnet3/digits");

  @TempDir private Path folder;
  private String log;

  @BeforeEach
  void write() throws IOException {
    RingData.write(folder, 60);
  }

  private int fit(String dir, String... more) {
    List<String> words =
        words(
            dir,
            "--feats=ark:" + folder.resolve("feats"),
            "--targets=ark:" + folder.resolve("ali"),
            "--num-utts-valid=4",
            "--num-jobs=5",
            "--num-epochs=4",
            "--minibatch-size=8",
            "--initial-effective-lrate=0.01",
            "--samples-per-iter=400");
    words.addAll(List.of(more));
    words.add(folder.resolve("ring.config").toString());
    return run(words);
  }

  private List<String> words(String dir, String... more) {
    List<String> words = new ArrayList<>(List.of("nnet3-fit", "--dir=" + folder.resolve(dir)));
    words.addAll(List.of(more));
    return words;
  }

  private int run(List<String> words) {
    CommandRun run = CommandRun.of(words);
    log = run.log();
    return run.code();
  }

  private byte[] bytes(String name) throws IOException {
    return Files.readAllBytes(folder.resolve(name));
  }

  private static String[] with(String[] words, String more) {
    return Stream.concat(Stream.of(words), Stream.of(more)).toArray(String[]::new);
  }

  private double accuracy(String dir) throws IOException {
    return Double.parseDouble(history(dir).getLast()[5]);
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
    String[] halved = {"--halved-traffic=true", "--outer-lrate=0.7", "--outer-momentum=0.3"};
    assertThat(fit("halved", with(halved, "--master=local[2]"))).as(log).isZero();
    try (SparkSession _ = LocalCluster.start(2)) {
      assertThat(fit("cluster", "--master=submitted")).as(log).isZero();
      assertThat(fit("halvedCluster", with(halved, "--master=submitted"))).as(log).isZero();
    }
    assertThat(bytes("cluster/final.raw")).isEqualTo(bytes("local/final.raw"));
    assertThat(bytes("halvedCluster/final.raw")).isEqualTo(bytes("halved/final.raw"));
    assertThat(accuracy("halved")).isCloseTo(accuracy("local"), within(0.03));
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
  void digitsAreLearnedAsOnOneMachine() throws IOException {
    try (var packed =
        new GZIPInputStream(Files.newInputStream(DIGITS.resolve("train.ali.txt.gz")))) {
      Files.copy(packed, folder.resolve("digits.ali"));
    }
    assertThat(digits("threads")).as(log).isZero();
    try (SparkSession _ = LocalCluster.start(2)) {
      assertThat(digits("cluster", "--master=submitted")).as(log).isZero();
    }
    assertThat(accuracy("threads")).isGreaterThan(0.85);
    assertThat(accuracy("cluster")).isCloseTo(accuracy("threads"), within(0.005));
  }

  private int digits(String dir, String... more) {
    List<String> words =
        words(
            dir,
            "--feats=ark:" + DIGITS.resolve("train.feats.ark"),
            "--targets=ark:" + folder.resolve("digits.ali"),
            "--num-jobs=2",
            "--num-epochs=5",
            "--minibatch-size=128",
            "--initial-effective-lrate=0.002",
            "--samples-per-iter=15000");
    words.addAll(List.of(more));
    words.add(DIGITS.resolve("final.config").toString());
    return run(words);
  }

  @Test
  void chainModelsHaveTheSameBytes() throws IOException {
    unpack("chain-graphs.tar.gz", "setup/den.fst", "setup/normalization.fst");
    unpack("chain-graphs.tar.gz", "get/feats.ark", "sup/small.sup.ark");
    unpack("chain-training.tar.gz", "tdnn/initial.raw");
    assertThat(chain("local", "--master=local[2]")).as(log).isZero();
    try (SparkSession _ = LocalCluster.start(2)) {
      assertThat(chain("cluster", "--master=submitted")).as(log).isZero();
    }
    assertThat(bytes("cluster/final.raw")).isEqualTo(bytes("local/final.raw"));
    assertThat(history("cluster")).hasSizeGreaterThan(2);
  }

  private int chain(String dir, String master) {
    return run(
        words(
            dir,
            master,
            "--objective=chain",
            "--den-fst=" + folder.resolve("den.fst"),
            "--normalization-fst=" + folder.resolve("normalization.fst"),
            "--leaky-hmm-coefficient=0.1",
            "--xent-regularize=0.1",
            "--frame-subsampling-factor=3",
            "--num-frames=60,45",
            "--feats=ark:" + folder.resolve("feats.ark"),
            "--targets=ark:" + folder.resolve("small.sup.ark"),
            "--input-model=" + folder.resolve("initial.raw"),
            "--minibatch-size=1:2",
            "--samples-per-iter=100",
            "--num-utts-valid=1",
            "--num-jobs=2",
            "--num-epochs=1",
            "--max-models-combine=2"));
  }

  /** Copies files of a test archive of nnet3 to the folder. */
  private void unpack(String archive, String... names) throws IOException {
    Path packed = Path.of("../nnet3/src/test/resources/ristretto/nnet3").resolve(archive);
    Set<String> wanted = Set.of(names);
    try (var tar = new TarArchiveInputStream(new GZIPInputStream(Files.newInputStream(packed)))) {
      for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        if (wanted.contains(entry.getName())) {
          Files.copy(tar, folder.resolve(Path.of(entry.getName()).getFileName()));
        }
      }
    }
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
