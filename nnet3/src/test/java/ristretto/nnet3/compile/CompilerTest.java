package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.DeviceParameters;

class CompilerTest {
  private static ComputationRequest request(int sequences, int end) {
    return ComputationRequest.parse(
        "r",
        String.format(
            Locale.ROOT,
            "input input has-deriv=0\n"
                + "range n=0:%d t=-4:%d\n"
                + "output output has-deriv=0\n"
                + "range n=0:%1$d t=0:%2$d\n",
            sequences,
            end));
  }

  @Test
  void otherSequencesAreNotAnalysedAgain() {
    try (Context context = Context.open("cpu")) {
      var compiler = new Compiler(Cases.nnet("x-fast-lstmp"), new DeviceParameters(context), 2);
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
      var compiler = new Compiler(Cases.nnet("x-fast-lstmp"), new DeviceParameters(context), 4);
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
  void assignmentsArePrintedWithTheirKernels() {
    try (Context context = Context.open("cpu")) {
      var compiler = new Compiler(Cases.nnet("doc-tdnn-fwdonly"), new DeviceParameters(context), 1);
      String text = compiler.compile(Cases.request("doc-tdnn-fwdonly")).print();
      // What kernels are called is the device's matter.
      assertThat(text.replaceAll("(map|gemm|row)_\\w+", "$1"))
          .isEqualTo(
              """
              matrices
                input[T=10, N=2, D=4] of n=0..1, t=-1..8; 320 bytes, supplied
                affine1_node.part[T=7, N=2, D=16]; 896 bytes, from 0 to 1 in place 0 at 0; \
              reason 2: an operand of a product that no view expresses
                affine1_node[T=7, N=2, D=7] of n=0..1, t=0..6; 392 bytes, from 1 to 2 in place 0 at 896; \
              reason 3: a result that its readers' kernels cannot compute
                affine2.part[T=7, N=2, D=7]; 392 bytes, from 2 to 3 in place 0 at 896; \
              reason 2: an operand of a product that no view expresses
                affine2[T=7, N=2, D=5] of n=0..1, t=0..6; 280 bytes, from 3 to 4 in place 0 at 0; \
              reason 3: a result that its readers' kernels cannot compute
                output[T=7, N=2, D=5] of n=0..1, t=0..6; 280 bytes, wanted; reason 1: requested
              assignments
                0. affine1_node: affine1_node = dot(concat(input[...], input[...], input[...], \
              input[...]), affine1_node.matrix)
                    0 map, 1 gemm 14 x 7 x 16; reason 3
                1. affine2: affine2 = dot(max(affine1_node + affine2.vector, 0), affine2.matrix)
                    2 map, 3 gemm 14 x 5 x 7; reason 3
                2. output: output = ((affine2 + output.vector) - max over [2](affine2 + \
              output.vector)) - log(sum over [2](exp((affine2 + output.vector) - \
              max over [2](affine2 + output.vector))))
                    4 row; reason 1
              5 kernels, 2 of them products; 1960 bytes of temporaries in 1 place of 1288 bytes, \
              1288 at most at a time
              """);
    }
  }
}
