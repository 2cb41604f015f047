package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.forward.Resident;
import ristretto.nnet3.io.Matrix;

class CompilerTest {
  private static ComputationRequest request(int sequences, int end) {
    return ComputationRequest.parse(
        "r",
        "input input has-deriv=0\nrange n=0:%d t=-4:%d\noutput output has-deriv=0\nrange n=0:%1$d t=0:%2$d\n"
            .formatted(sequences, end));
  }

  @Test
  void otherSequencesAreNotAnalysedAgain() {
    try (Context context = Context.open("cpu")) {
      var compiler = new Compiler(Cases.nnet("x-fast-lstmp"), new Resident(context), 2);
      Computation first = compiler.compile(request(2, 6));
      assertThat(compiler.compile(request(2, 6))).isSameAs(first);
      compiler.compile(request(5, 6));
      assertThat(compiler.misses()).isEqualTo(1);
      compiler.compile(request(2, 7));
      assertThat(compiler.misses()).isEqualTo(2);
      assertThat(compiler.compile(request(2, 6))).isNotSameAs(first);
    }
  }

  @Test
  void sequencesAreComputedAlikeHoweverManyThereAre() {
    try (Context context = Context.open("cpu")) {
      var compiler = new Compiler(Cases.nnet("x-fast-lstmp"), new Resident(context), 4);
      var one = new Matrix(10, 4);
      var three = new Matrix(30, 4);
      for (int k = 0; k < 120; k++) {
        three.data()[k] = (float) Math.sin(k);
      }
      System.arraycopy(three.data(), 40, one.data(), 0, 40);
      float[] alone =
          compiler.compile(request(1, 6)).run(Map.of("input", one)).get("output").data();
      float[] all =
          compiler.compile(request(3, 6)).run(Map.of("input", three)).get("output").data();
      for (int k = 0; k < alone.length; k++) {
        assertThat(all[alone.length + k])
            .isCloseTo(alone[k], org.assertj.core.data.Offset.offset(1e-5f));
      }
    }
  }

  @Test
  void stepsArePrintedWithTheirKernels() {
    try (Context context = Context.open("cpu")) {
      var compiler = new Compiler(Cases.nnet("doc-tdnn"), new Resident(context), 1);
      String text = compiler.compile(Cases.request("doc-tdnn")).print();
      assertThat(text)
          .startsWith("step 0: input [T=")
          .contains(" supplied\nstep 1: ")
          .contains("] t=0")
          .contains(" kernels, ");
    }
  }
}
