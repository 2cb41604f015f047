package ristretto.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Lines;
import ristretto.jmh.run.Measurement;

class TextTableTest {
  @Test
  void columnsOfThoseWhoTookPart() {
    var row = new Row(Lines.named("copy"), Dims.of(100_000), 1);
    row.add(new Measurement("ours", 9_000, 8_000, 0));
    row.add(new Measurement("twin", 9_000, 7_000, 0));
    assertThat(TextTable.of(List.of(row)))
        .isEqualTo(
            """
            line  size  T    unit   ours   twin   GB/s  targets
            copy  1e5   1  ns/elt  0.080  0.070  100.0  missed: twin 0.88 < 0.95
            """);
  }

  @Test
  void facts() {
    assertThat(TextTable.ofFacts(List.of(new Fact("script", "a run", 0.61, "s", 0.7))))
        .isEqualTo(
            "script                 "
                + "a run                                                               "
                + "0.610 s   ok, at most 0.7\n");
  }
}
