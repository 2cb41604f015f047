package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.matrix.Matrix;

class NnetEvalTest extends ToolTest {
  private int eval(String name, String model, String request, String... derivs) {
    Vectors.copy(name, folder());
    List<String> words = new ArrayList<>();
    words.addAll(List.of("nnet3-eval", at(model), at(request), "ark:" + at("input.txt")));
    for (String each : derivs) {
      words.add("ark:" + at(each));
    }
    words.add(at("out"));
    return run(words.toArray(String[]::new));
  }

  private Matrix matrix(String file) {
    try (var reader = TableReader.open("ark:" + folder().resolve(file), Holder.MATRIX)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.key()).isEqualTo("output");
      return reader.value();
    }
  }

  @Test
  void writesOutputsInTheOrderOfTheRequest() {
    assertThat(eval("x-tdnnf-test", "model.raw", "request.txt")).as(log()).isZero();
    Matrix got = matrix("out/output.txt");
    Matrix want = matrix("output.txt");
    for (int k = 0; k < want.data().length; k++) {
      assertThat(got.data()[k]).isCloseTo(want.data()[k], Offset.offset(1e-4f));
    }
    assertThat(log()).contains("Computed 1 outputs with");
  }

  @Test
  void writesDerivativesAsKaldiDoes() throws IOException {
    assertThat(eval("comp-Affine", "model.raw", "request.txt", "outderiv.txt")).as(log()).isZero();
    for (String file : List.of("output.txt", "inderiv.txt", "paramgrad.txt")) {
      String[] got = words("out/" + file);
      String[] want = words(file);
      assertThat(got).as(file).hasSameSizeAs(want);
      for (int k = 0; k < want.length; k++) {
        if (want[k].matches("-?[0-9].*")) {
          float number = Float.parseFloat(want[k]);
          assertThat(Float.parseFloat(got[k])).isCloseTo(number, Offset.offset(2e-4f));
        } else {
          assertThat(got[k]).isEqualTo(want[k]);
        }
      }
    }
  }

  /** Words, of which line ends count as ones. */
  private String[] words(String file) throws IOException {
    return Files.readString(folder().resolve(file)).replace("\n", " NL ").split(" +");
  }

  @Test
  void refusesTwoDerivativesOfOneName() throws IOException {
    Vectors.copy("comp-Affine", folder());
    String once = Files.readString(folder().resolve("outderiv.txt"));
    Files.writeString(folder().resolve("twice.txt"), once + once);
    assertThat(eval("comp-Affine", "model.raw", "request.txt", "twice.txt")).isEqualTo(255);
    assertThat(log())
        .contains(
            "[compute] each output must have one matrix; got two for 'output' in ark:"
                + folder().resolve("twice.txt")
                + "; remove one.");
  }

  @Test
  void refusesWithAMessage() {
    assertThat(eval("x-tdnnf-test", "model.raw", "no-request")).isEqualTo(255);
    assertThat(log()).contains("ERROR (nnet3-eval) [kaldi] a file to read must exist;");
    assertThat(eval("x-tdnnf-test", "model.raw", "nnet.config")).isEqualTo(255);
    assertThat(log()).contains("ERROR (nnet3-eval) [request] a line must be");
    assertThat(eval("error-missing-ivector", "model.txt", "request.txt")).isEqualTo(255);
    assertThat(log()).contains("ivector(0, 0, 0): not supplied").doesNotContain("\tat ");
    assertThat(Files.exists(folder().resolve("out/output.txt"))).isFalse();
  }

  @Test
  void refusesMatricesOfOtherSizes() throws Exception {
    Vectors.copy("doc-tdnn", folder());
    Files.writeString(folder().resolve("input.txt"), "input  [ 1 2\n 3 4 ]\n");
    int status =
        run("nnet3-eval", at("model.raw"), at("request.txt"), "ark:" + at("input.txt"), at("out"));
    assertThat(status).isEqualTo(255);
    assertThat(log())
        .contains(
            "[compute] the matrix of an input must have the request's rows and the node's columns,")
        .endsWith("for 'input'; got 2 x 2; supply another.\n");
  }

  @Test
  void refusesDerivativesOfOtherSizes() throws Exception {
    Vectors.copy("doc-tdnn", folder());
    Files.writeString(folder().resolve("outderiv.txt"), "output  [ 1 2\n 3 4 ]\n");
    int status =
        run(
            "nnet3-eval",
            at("model.raw"),
            at("request.txt"),
            "ark:" + at("input.txt"),
            "ark:" + at("outderiv.txt"),
            at("out"));
    assertThat(status).isEqualTo(255);
    assertThat(log())
        .endsWith(
            "[compute] the matrix of derivatives by an output must have the request's rows and the"
                + " node's columns, 7 x 115 for 'output'; got 2 x 2; supply another.\n");
  }
}
