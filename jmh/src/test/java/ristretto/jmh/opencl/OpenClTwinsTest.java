package ristretto.jmh.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;
import ristretto.jmh.line.Lines;
import ristretto.jmh.run.Competitor;
import ristretto.jmh.run.Job;
import ristretto.kernels.DeviceException;

/** The hand-written kernels, those for GPUs too, against double precision. */
class OpenClTwinsTest {
  private static final List<String> NAMES =
      List.of(
          "copy",
          "axpby",
          "sigmoid",
          "mix8",
          "blackscholes",
          "sum3",
          "rowsum",
          "softmax",
          "layernorm");

  private static OpenClTwins own;
  private static OpenClTwins forGpus;

  @BeforeAll
  static void open() {
    try (var context = Context.open("opencl")) {
      assertThat(context.device()).startsWith("opencl:");
    } catch (DeviceException e) {
      Assumptions.abort(e.getMessage());
    }
    own = new OpenClTwins(0);
    forGpus = new OpenClTwins(0, false);
  }

  @AfterAll
  static void close() {
    if (own != null) {
      own.close();
      forGpus.close();
    }
  }

  static Stream<Arguments> cases() {
    return Lines.all().stream()
        .filter(line -> NAMES.contains(line.name()))
        .flatMap(line -> Stream.of(true, false).map(given -> Arguments.of(line, given)));
  }

  @ParameterizedTest(name = "{0}, kernels of the device: {1}")
  @MethodSource("cases")
  void agreesWithDoublePrecision(Line line, boolean given) {
    OpenClTwins twins = given ? own : forGpus;
    Dims dims = line.sizes().getFirst().rank() == 1 ? Dims.of(100_016) : Dims.of(37, 1040);
    assertThat(twins.prepare(line, dims)).isInstanceOf(Competitor.Ready.class);
    if (twins.prepare(line, dims) instanceof Competitor.Ready(Job job)) {
      check(line, dims, job);
    }
  }

  private static void check(Line line, Dims dims, Job job) {
    try (job) {
      job.time(2);
      long length = line.outputLength(dims);
      long[] indices = {0, length / 3, length - 1};
      double[] got = job.probe(indices);
      for (int k = 0; k < indices.length; k++) {
        double expected = line.expected(dims, indices[k]);
        assertThat(got[k])
            .as("element %d", indices[k])
            .isCloseTo(expected, within(2e-5 * Math.max(1, Math.abs(expected))));
      }
    }
  }
}
