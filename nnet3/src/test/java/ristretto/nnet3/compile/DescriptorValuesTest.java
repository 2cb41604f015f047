package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/**
 * Values that descriptors gather, including descriptors that Kaldi parses but refuses to compile.
 */
class DescriptorValuesTest {
  private static final Context CONTEXT = Context.open("cpu");

  @AfterAll
  static void close() {
    CONTEXT.close();
  }

  /** The input is 10 + t, for t from 0 to 3; so many frames are asked for. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "Sum(input, Scale(2, input)); 30 33 36 39",
        "Failover(Offset(input, -2), Const(0.5, 1)); 0.5 0.5 10 11",
        "Scale(3, IfDefined(Offset(input, 2))); 36 39 0 0",
        "Failover(Offset(input, 3), Scale(2, input)); 13 22 24 26",
        "Switch(input, Scale(-1, input)); 10 -11 12 -13",
        "Sum(Round(input, 2), Const(1, 1), Const(2, 1)); 13 13 15 15",
        "ReplaceIndex(input, t, 3); 13 13 13 13",
        "Sum(b, IfDefined(Offset(b, -1))); 10 21 23 25",
      })
  void areThese(String descriptor, String want) {
    assertThat(run(descriptor, new HashMap<>(), "")).isEqualTo(want);
  }

  @Test
  void rowsKnownFromBeforeAreInputs() {
    var given = new HashMap<String, Matrix>();
    given.put("b", new Matrix(1, 1, new float[] {100}));
    assertThat(run("Sum(b, IfDefined(Offset(b, -1)))", given, "input b has-deriv=0\n0 -1\n"))
        .isEqualTo("110 21 23 25");
  }

  private static String run(String descriptor, Map<String, Matrix> inputs, String more) {
    Nnet nnet =
        Nnet.fromConfig(
            "test",
            """
            input-node name=input dim=1
            component name=b type=NoOpComponent dim=1
            component-node name=b component=b input=input
            output-node name=output input=%s
            """
                .formatted(descriptor),
            1);
    var request =
        ComputationRequest.parse(
            "r",
            "input input has-deriv=0\nrange n=0:1 t=0:4\n"
                + more
                + "output output has-deriv=0\nrange n=0:1 t=0:4\n");
    inputs.put("input", new Matrix(4, 1, new float[] {10, 11, 12, 13}));
    Matrix got =
        Computation.compile(nnet, request, new DeviceParameters(CONTEXT)).run(inputs).get("output");
    var text = new StringBuilder();
    for (float value : got.data()) {
      boolean whole = value == Math.rint(value);
      text.append(whole ? Integer.toString((int) value) : Float.toString(value)).append(' ');
    }
    return text.toString().strip();
  }
}
