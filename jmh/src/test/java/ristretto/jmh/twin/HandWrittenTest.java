package ristretto.jmh.twin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;
import ristretto.jmh.line.Lines;
import ristretto.jmh.run.Competitor;
import ristretto.jmh.run.Job;

/** All loops of this package against double precision, at sizes with remainders. */
class HandWrittenTest {
  private static final Twins ONE = new Twins(1);
  private static final Twins THREE = new Twins(3);

  @AfterAll
  static void close() {
    ONE.close();
    THREE.close();
  }

  static Stream<Arguments> cases() {
    return Lines.all().stream()
        .flatMap(line ->
            Stream.of(ONE, THREE)
                .flatMap(t -> t.competitors().stream())
                .map(c -> Arguments.of(line, c)));
  }

  private static Dims small(Line line) {
    return switch (line.sizes().getFirst().rank()) {
      case 1 -> Dims.of(100_003);
      case 2 -> line.name().equals("transpose") ? Dims.of(96, 131) : Dims.of(67, 256);
      default -> line.family() == Line.Family.GEMM ? Dims.of(13, 17, 19) : Dims.of(5, 6, 128);
    };
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("cases")
  void agreesWithDoublePrecision(Line line, Competitor competitor) {
    Dims dims = small(line);
    if (!(competitor.prepare(line, dims) instanceof Competitor.Ready(Job job))) {
      return;
    }
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
