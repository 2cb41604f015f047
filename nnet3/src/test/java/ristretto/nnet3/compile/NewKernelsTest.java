package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/**
 * Requests of other lengths and of other numbers of sequences are computed by kernels that are
 * there.
 */
class NewKernelsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "x-tdnn-renorm",
        "x-tdnnf-train",
        "x-cnn-tdnn",
        "x-lstmp",
        "x-fast-lstmp",
        "x-blstm-lstm",
        "x-opgru",
        "x-fast-opgru",
        "x-xvector-test"
      })
  void otherLengthsAndNumbersOfSequencesNeedNone(String name) {
    Nnet nnet = Cases.nnet(name);
    ComputationRequest like = Cases.request(name);
    for (boolean trains : new boolean[] {false, true}) {
      for (int count : new int[] {1, 8}) {
        try (Context context = Context.open("cpu")) {
          var compiler =
              new Compiler(nnet, new DeviceParameters(context), CacheSettings.DEFAULT, _ -> {});
          // the last step of a recurrence may have fewer frames
          for (int longer = 30; longer < 33; longer++) {
            compiler.compile(Cases.longer(like, longer, count, trains));
          }
          long before = context.stats().cacheMisses();
          compiler.compile(Cases.longer(like, 33, count, trains));
          compiler.compile(Cases.longer(like, 37, count == 1 ? 1 : count + 4, trains));
          assertThat(context.stats().cacheMisses() - before)
              .as("new kernels of %s for %d sequences, training %s", name, count, trains)
              .isZero();
        }
      }
    }
  }
}
