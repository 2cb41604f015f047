package ristretto.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Lines;
import ristretto.jmh.run.Measurement;

class ResultFilesTest {
  @TempDir Path folder;

  @Test
  void tablesAndCharts() throws IOException {
    var small = new Row(Lines.named("copy"), Dims.of(1_000), 1);
    small.add(new Measurement("ours", 90, 80, 0));
    small.add(new Measurement("twin", 90, 70, 0));
    var large = new Row(Lines.named("copy"), Dims.of(100_000), 1);
    large.add(new Measurement("ours", 9_000, 8_000, 0));
    large.add(new Measurement("C", 9_000, 7_000, 0));
    Fact fact = new Fact("script", "a run", 0.61, "s", 0.7);

    ResultFiles.write(folder, List.of(small, large), List.of(fact));

    assertThat(folder.resolve("table.md")).content().contains("| copy | 1e5 |");
    assertThat(folder.resolve("facts.csv")).content().contains("script,0.61,s,0.7");
    assertThat(Files.readAllLines(folder.resolve("results.csv"))).hasSize(5);
    for (String chart : List.of("ratios-1.png", "copy-1.png")) {
      assertThat(ImageIO.read(folder.resolve(chart).toFile()).getWidth()).isGreaterThan(400);
    }
  }
}
