package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.expr.Context;
import ristretto.expr.option.Optimization;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.Rematerialization;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.DeviceParameters;

/** Benefit of each optimization; results do not depend on it. */
class OptimizationsTest {
  private static final String[] NETS = {
    "doc-tdnn-fwdonly",
    "x-tdnnf-test",
    "x-lstmp",
    "x-fast-lstmp",
    "x-opgru",
    "comp-Statistics",
    "desc-nested3"
  };

  private record Run(Map<String, Matrix> outputs, int kernels, long bytes) {
    static Run of(String name, Set<Optimization> without) {
      return of(name, without, LoweringOptions.DEFAULT);
    }

    static Run of(String name, Set<Optimization> without, LoweringOptions lowering) {
      try (Context context = Context.open("cpu")) {
        context.without(without);
        var deviceParameters = new DeviceParameters(context);
        deviceParameters.lowering(lowering);
        Computation computation =
            Computation.compile(Cases.nnet(name), Cases.request(name), deviceParameters);
        computation.check();
        Map<String, Matrix> outputs = computation.run(Cases.matrices(name, "input.txt"));
        return new Run(
            outputs, computation.program().kernelCount(), computation.program().temporaryBytes());
      }
    }

    void isLike(Run other) {
      outputs.forEach((name, want) -> {
        float[] got = other.outputs.get(name).data();
        for (int k = 0; k < got.length; k++) {
          assertThat(got[k]).isCloseTo(want.data()[k], within(1e-5f * (1 + Math.abs(got[k]))));
        }
      });
    }
  }

  @ParameterizedTest
  @EnumSource(Optimization.class)
  void eachChangesNoResult(Optimization one) {
    for (String name : NETS) {
      Run with = Run.of(name, Set.of());
      Run without = Run.of(name, EnumSet.of(one));
      with.isLike(without);
      // statistics are of a value that is in memory already
      boolean fewer = one == Optimization.INLINE && name.equals("comp-Statistics");
      assertThat(without.kernels).as(name).isGreaterThanOrEqualTo(fewer ? 6 : with.kernels);
    }
  }

  @Test
  void noneOfThemChangesResults() {
    Run.of("x-lstmp", Set.of()).isLike(Run.of("x-lstmp", EnumSet.allOf(Optimization.class)));
  }

  @Test
  void joiningSavesKernels() {
    Run with = Run.of("x-lstmp", Set.of());
    Run without = Run.of("x-lstmp", EnumSet.of(Optimization.JOIN));
    assertThat(without.kernels).isEqualTo(2 * with.kernels);
  }

  @Test
  void sharingSavesMemory() {
    Run with = Run.of("doc-tdnn-fwdonly", Set.of());
    Run without = Run.of("doc-tdnn-fwdonly", EnumSet.of(Optimization.LIFETIMES));
    Run inPlaceOnly = Run.of("doc-tdnn-fwdonly", EnumSet.of(Optimization.SHARE_MEMORY));
    assertThat(without.bytes).isEqualTo(1960);
    assertThat(inPlaceOnly.bytes).isEqualTo(1568);
    assertThat(with.bytes).isEqualTo(1288);
    Run none =
        Run.of(
            "doc-tdnn-fwdonly",
            EnumSet.of(Optimization.SHARE_MEMORY),
            new LoweringOptions(
                Rematerialization.CHEAP, true, true, true, LoweringOptions.AUTOMATIC, false, true));
    none.isLike(with);
    assertThat(none.bytes).isEqualTo(1960);
  }
}
