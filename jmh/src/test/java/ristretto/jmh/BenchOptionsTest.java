package ristretto.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BenchOptionsTest {
  private final StringWriter errors = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new Bench()).setErr(new PrintWriter(errors)).execute(arguments);
  }

  private String firstLine() {
    return errors.toString().lines().findFirst().orElse("");
  }

  @Test
  void unknownOption() {
    assertThat(run("--fast")).isEqualTo(2);
    assertThat(firstLine()).isEqualTo("Unknown option: '--fast'");
  }

  @Test
  void unknownPeer() {
    assertThat(run("--peers", "jax")).isEqualTo(2);
    assertThat(firstLine()).isEqualTo("--peers knows torch, nd4j, numexpr and none; got 'jax'");
  }

  @Test
  void gpusHavePeersAndSizesOfTheirOwn() {
    assertThat(run("--device", "cuda", "--peers", "numexpr")).isEqualTo(2);
    assertThat(firstLine()).isEqualTo("--peers knows eager, compile, cupy and none; got 'numexpr'");
  }

  @Test
  void unknownSizeOfAGpu() {
    assertThat(run("--device", "cuda:1", "--sizes", "1e5")).isEqualTo(2);
    assertThat(firstLine())
        .isEqualTo(
            "--sizes knows 1e6, 1e7, 1e8, 8192x4096, 128x128x2048, 1024x1024x1024,"
                + " 4096x4096x4096; got '1e5'");
  }

  @Test
  void unknownSize() {
    assertThat(run("--sizes", "1e6,1e9")).isEqualTo(2);
    assertThat(firstLine())
        .isEqualTo(
            "--sizes knows 1e3, 1e5, 1e6, 1e7, 5e7, 4096x1024, 64x64x1024, 1024x1024, 4096x4096,"
                + " 8x8x8, 64x64x64, 256x256x256, 1024x1024x1024, 8192x1024x1024; got '1e9'");
  }

  @Test
  void noProgramOfKaldi() {
    assertThat(run("--nnet3", "--kaldi-program", "missing/speed")).isEqualTo(2);
    assertThat(firstLine())
        .isEqualTo("--kaldi-program must name an executable program; got 'missing/speed'");
  }

  @Test
  void processorTimeIsOfOneThread() {
    assumeThat(Runtime.getRuntime().availableProcessors()).isGreaterThan(1);
    assertThat(run("--nnet3", "--threads", "1,all", "--processor-time")).isEqualTo(2);
    assertThat(firstLine()).isEqualTo("--processor-time measures one thread; add --threads 1");
  }

  @Test
  void nothingLeft() {
    assertThat(run("--only", "sigmoid2")).isEqualTo(2);
    assertThat(firstLine())
        .isEqualTo(
            "--only and --sizes leave nothing to measure; there are copy, axpby, sigmoid, gelu,"
                + " mix8, blackscholes, sum3, softmax, layernorm, colsum, rowsum, colmax, midsum,"
                + " outersum, biasrelu, transpose, rowslice, colslice, dot, dense, kernels, launch,"
                + " first-kernel, cold-sigmoid, cold-blackscholes, script (see --list)");
  }

  @Test
  void noTraining() {
    assertThat(run("--train", "--only", "bert")).isEqualTo(2);
    assertThat(firstLine())
        .isEqualTo(
            "--only leaves no training to measure; there are mlp-1000, mlp-64, lstm-20x20,"
                + " lenet-100, attention-8x4x256x64, block-2048x256, adam-10000000,"
                + " resnet18-cifar-64x32, gpt-psalms-6x256x128x16, vae-128, gru-tagger-40x64");
  }

  @Test
  void threads() {
    int cores = Runtime.getRuntime().availableProcessors();
    assertThat(run("--threads", "0")).isEqualTo(2);
    assertThat(firstLine())
        .isEqualTo("--threads takes numbers from 1 to " + cores + " and all; got '0'");
  }

  @Test
  void kaldisTimesAreAFile() {
    assertThat(run("--nnet3", "--kaldi", "no/such.csv")).isEqualTo(2);
    assertThat(firstLine()).isEqualTo("--kaldi must name a readable file; got 'no/such.csv'");
  }
}
