package ristretto.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Lines;
import ristretto.jmh.run.Measurement;

class TargetsTest {
  private static Row row(String line, Dims dims, Object... times) {
    var row = new Row(Lines.named(line), dims, 1);
    for (int k = 0; k < times.length; k += 2) {
      double time = ((Number) times[k + 1]).doubleValue();
      row.add(new Measurement((String) times[k], 2 * time, time, 1e-8));
    }
    return row;
  }

  @Test
  void everyTargetOfALineIsJudged() {
    Row row = row("sigmoid", Dims.of(1_000_000), "ours", 100, "twin", 96, "C", 80, "torch", 101);
    assertThat(Targets.judge(row))
        .extracting(Verdict::toString)
        .containsExactly("twin 0.96 >= 0.95", "C 0.80 < 0.88", "torch 1.01 >= 1.00");
  }

  @Test
  void smallSizesOwePeersOnly() {
    Row row = row("copy", Dims.of(1_000), "ours", 100, "twin", 10, "limit", 10, "nd4j", 94);
    assertThat(Targets.judge(row))
        .extracting(Verdict::toString)
        .containsExactly("nd4j 0.94 < 0.95");
  }

  @Test
  void onGpusTheDriversCopyIsTheLimit() {
    Row map = row("gelu", Dims.of(100_000_000), "ours", 100, "copy", 93, "compile", 94);
    assertThat(Targets.judge(map))
        .extracting(Verdict::toString)
        .containsExactly("copy 0.93 >= 0.92", "compile 0.94 < 0.95");
    Row rows = row("softmax", Dims.of(8192, 4096), "ours", 100, "copy", 84, "eager", 200);
    assertThat(Targets.judge(rows))
        .extracting(Verdict::toString)
        .containsExactly("copy 0.84 < 0.85", "eager 2.00 >= 0.95");
  }

  @Test
  void smallProductsMayTakeTheTimeOfAnAssignmentMore() {
    Row row = row("dot", Dims.of(64, 64, 64), "ours", 9_000, "blas", 5_000);
    assertThat(Targets.judge(row))
        .extracting(Verdict::toString)
        .containsExactly("blas + us 4.00 > 3.00");
  }

  @Test
  void sumsAreAccurate() {
    Row row = row("sum3", Dims.of(10_000_000), "ours", 100, "limit", 100);
    assertThat(Targets.judge(row))
        .extracting(Verdict::toString)
        .containsExactly("limit 1.00 >= 0.95", "error 1.0e-08 <= 1.0e-07");
  }

  @Test
  void nothingIsJudgedWithoutOurTime() {
    assertThat(Targets.judge(row("gelu", Dims.of(100_000), "twin", 1, "C", 1))).isEmpty();
  }
}
