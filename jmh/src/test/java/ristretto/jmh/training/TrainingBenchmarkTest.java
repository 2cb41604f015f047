package ristretto.jmh.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Param;

class TrainingBenchmarkTest {
  private static String[] values(String field) throws NoSuchFieldException {
    return TrainingBenchmark.class.getField(field).getAnnotation(Param.class).value();
  }

  @Test
  void measuresAllLinesAndSides() throws NoSuchFieldException {
    assertThat(values("line"))
        .containsExactlyElementsOf(TrainingLine.ALL.stream().map(TrainingLine::label).toList());
    assertThat(values("line"))
        .allSatisfy(label -> assertThat(TrainingLine.named(label).label()).isEqualTo(label));
    assertThat(Arrays.stream(values("competitor")).map(Racer.Side::named))
        .containsExactly(Racer.Side.values());
  }
}
