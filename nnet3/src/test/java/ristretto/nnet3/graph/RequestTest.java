package ristretto.nnet3.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Vectors;

class RequestTest {
  @Test
  void isPrintedAsKaldiPrintsIt() {
    for (String name : Vectors.casesWith("request-print.txt")) {
      assertThat(request(name).toString())
          .as(name)
          .isEqualTo(Vectors.text(name, "request-print.txt"));
    }
  }

  @Test
  void regularRequestsAreOfOneSequence() {
    RepresentativeSequence sequences = RepresentativeSequence.of(request("req-n-noncontig"));
    assertThat(sequences.regular()).isTrue();
    assertThat(sequences.numbers()).containsExactly(0, 2, 7);
    assertThat(sequences.request().outputs().get(0).indexes())
        .containsExactly(new Index(0, 0), new Index(0, 1), new Index(0, 2));
    assertThat(RepresentativeSequence.of(request("req-ragged-n-ok")).regular()).isFalse();
    assertThat(RepresentativeSequence.of(request("req-n3-input-tmajor")).count()).isEqualTo(3);
  }

  @Test
  void linesOfOtherFormsAreRefused() {
    assertThatThrownBy(() -> ComputationRequest.parse("r.txt", "input a has-deriv=1\n0 x"))
        .isInstanceOf(ComputationException.class)
        .hasMessage(
            "[request] a line must be 'need-model-derivative 0|1', 'store-component-stats 0|1', "
                + "'input|output NAME has-deriv=0|1', or rows of one, 'N T [X]' or "
                + "'range [order=nt|tn] n=A:B t=A:B[:STEP] [x=A:B]'; got '0 x' at r.txt:2; "
                + "correct it.");
  }

  @Test
  void rowsFitIntoMemory() {
    assertThatThrownBy(() ->
            ComputationRequest.parse(
                "r.txt", "output a has-deriv=1\n7 0\nrange n=0:2000000 t=-1:100000000:2"))
        .isInstanceOf(ComputationException.class)
        .hasMessage(
            "[request] a node must have at most 100000000 rows; got 100000002000001 at r.txt:3;"
                + " ask for fewer.");
  }

  @Test
  void rowsAndNodesAreNamedOnce() {
    assertThatThrownBy(() -> request("error-dup-index"))
        .hasMessage(
            "[request] each row of an input must be listed once; got (0, 2, 0) of 'input' twice; "
                + "remove one.");
    var io = new ComputationRequest.Io("a", List.of(new Index(0, 0)), false);
    assertThatThrownBy(() -> new ComputationRequest(List.of(io, io), List.of(), false, false))
        .hasMessage(
            "[request] a node must be listed once as input; got 'a' twice; put its rows together.");
  }

  static ComputationRequest request(String name) {
    return ComputationRequest.parse("request.txt", Vectors.text(name, "request.txt"));
  }
}
