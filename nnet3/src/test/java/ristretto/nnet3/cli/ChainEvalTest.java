package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.matrix.Matrix;

class ChainEvalTest extends ToolTest {
  private static final Map<String, Map<String, byte[]>> CASES = Vectors.read("chain.tar.gz");

  @BeforeEach
  void write() throws IOException {
    for (String file : new String[] {"sup.bin", "sup.txt", "nnet-output.txt"}) {
      Files.write(folder().resolve(file), CASES.get("range-spikes").get(file));
    }
    Files.write(folder().resolve("den.fst"), CASES.get("dens").get("digits.fst"));
  }

  private int eval(String... options) {
    var words = new String[options.length + 5];
    words[0] = "nnet3-chain-eval";
    System.arraycopy(options, 0, words, 1, options.length);
    int at = options.length + 1;
    words[at] = at("den.fst");
    words[at + 1] = at("sup.bin");
    words[at + 2] = at("nnet-output.txt");
    words[at + 3] = at("out");
    return run(words);
  }

  private static Matrix matrix(KaldiInput in, String name) {
    in.expectToken(name);
    return in.readMatrix();
  }

  @Test
  void writesNumbersAndMatrices() throws IOException {
    assertThat(eval("--leaky-hmm-coefficient=0.1", "--l2-regularize=0.001")).as(log()).isZero();
    String json = Files.readString(folder().resolve("out/result.json"));
    assertThat(json)
        .matches(
            "(?s)\\{\\s+\"objf\": -307.44\\d+,\\s+\"l2_term\": -\\d+.\\d+,\\s+\"weight\": 24.0,"
                + "\\s+\"den_logprob\": \\d+.\\d+,\\s+\"num_logprob\": -?\\d+.\\d+,"
                + "\\s+\"den_ok\": true,\\s+\"num_ok\": true\\s+}\\s");
    try (KaldiInput in = KaldiInput.open(at("out/matrices.txt"))) {
      in.expectToken("initial-probs");
      assertThat(in.readVector()).hasSize(30);
      Matrix derivative = matrix(in, "deriv");
      Matrix penalized = matrix(in, "deriv-with-penalty");
      assertThat(penalized.data()).isNotEqualTo(derivative.data());
      Matrix xent = matrix(in, "xent-deriv");
      Matrix den = matrix(in, "den-posteriors");
      Matrix num = matrix(in, "num-posteriors");
      assertThat(xent.data()).isEqualTo(num.data());
      for (Matrix posteriors : new Matrix[] {den, num}) {
        for (int r = 0; r < posteriors.rows(); r++) {
          double sum = 0;
          for (int c = 0; c < posteriors.cols(); c++) {
            sum += posteriors.get(r, c);
          }
          assertThat(sum).isBetween(0.999, 1.001);
        }
      }
      assertThat(in.atEnd()).isTrue();
    }
    assertThat(last()).contains("Objective -307.44").contains("over weight 24.0, -12.81");
    assertThat(eval("--out-of-range-regularize=0")).isZero();
    assertThat(Files.readString(folder().resolve("out/matrices.txt")))
        .doesNotContain("deriv-with-penalty");
  }

  private void refused(String message, String... options) {
    assertThat(eval(options)).isEqualTo(255);
    assertThat(last()).isEqualTo("ERROR (nnet3-chain-eval) " + message.replace("DIR/", at("")));
  }

  @Test
  void misuseIsRefused() throws IOException {
    refused(
        "[chain] leaky-hmm-coefficient must be above 0 and below 1; got 0.0; Kaldi's default is"
            + " 1e-05.",
        "--leaky-hmm-coefficient=0");
    Files.write(folder().resolve("den.fst"), CASES.get("dens").get("digits-bi.fst"));
    refused(
        "[chain] outputs must have a column per pdf of the denominator graph, 52; got 22; make the"
            + " graph with the network's tree.");
    Files.write(folder().resolve("sup.bin"), CASES.get("rand5-2x7").get("sup.bin"));
    refused(
        "[chain] outputs must have a row per frame and a column per pdf of the supervision, 14 x"
            + " 6; got 24 x 22; take outputs and supervision of the same examples.");
    Files.writeString(folder().resolve("den.fst"), "0 0 1 2\n0\n");
    refused(
        "[chain] a denominator graph must be an acceptor with a start state, arcs, and labels"
            + " above 0; got a transducer in "
            + at("den.fst")
            + "; make it with chain-make-den-fst.");
    Files.writeString(folder().resolve("den.fst"), "0 0 1 1 -5\n0\n");
    refused(
        "[chain] the probabilities of a state's arcs must have a sum between 0 and 100; got"
            + " 149.4131591025766 for state 0 of "
            + at("den.fst")
            + "; make it with chain-make-den-fst.");
  }

  /** Kaldi's log of the same command. */
  @Test
  void averagesAreKaldis() throws IOException {
    Map<String, byte[]> files = Vectors.read("chain-egs.tar.gz").get("prob");
    for (var file : files.entrySet()) {
      Files.write(folder().resolve(file.getKey()), file.getValue());
    }
    int status =
        run(
            "nnet3-chain-compute-prob",
            "--xent-regularize=0.1",
            "--l2-regularize=5e-5",
            "--leaky-hmm-coefficient=0.1",
            at("final.raw"),
            at("den.fst"),
            "ark:" + at("valid.cegs"));
    assertThat(status).as(log()).isZero();
    assertThat(numbers(log())).hasSize(6);
    double[] expected =
        numbers(Files.readString(folder().resolve("prob.log"))).stream()
            .mapToDouble(Double::doubleValue)
            .toArray();
    for (int k = 0; k < expected.length; k++) {
      assertThat(numbers(log()).get(k)).isCloseTo(expected[k], Percentage.withPercentage(0.01));
    }
    status =
        run(
            "nnet3-chain-compute-prob",
            "--xent-regularize=0.1",
            at("final.raw"),
            at("den.fst"),
            "ark:/dev/null");
    assertThat(status).isEqualTo(1);
    assertThat(last()).isEqualTo("WARNING (nnet3-chain-compute-prob) No examples were read.");
  }

  private static List<Double> numbers(String log) {
    return Pattern.compile("log-probability for .*")
        .matcher(log)
        .results()
        .flatMap(line -> Pattern.compile("-?[0-9][-0-9.e]*[0-9]").matcher(line.group()).results())
        .map(number -> Double.valueOf(number.group()))
        .toList();
  }
}
