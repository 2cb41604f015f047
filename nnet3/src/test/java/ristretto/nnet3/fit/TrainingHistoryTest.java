package ristretto.nnet3.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Numbers are written as they are read, where people write them otherwise, too. */
class TrainingHistoryTest {
  private static final List<String> MEASURES = List.of("accuracy");

  private static final TrainingHistory.Row ROW =
      new TrainingHistory.Row(1, 0.5, 0.001, -0.25, -0.5, List.of(Double.NaN), 1.5);

  private final Locale before = Locale.getDefault();
  @TempDir private Path folder;

  @BeforeEach
  void speakGerman() {
    Locale.setDefault(Locale.GERMANY);
  }

  @AfterEach
  void speakAsBefore() {
    Locale.setDefault(before);
  }

  @Test
  void whatIsWrittenIsRead() {
    Path file = folder.resolve("history.tsv");
    new TrainingHistory(file, MEASURES, 0).add(ROW);
    assertThat(new TrainingHistory(file, MEASURES, 5).rows()).containsExactly(ROW);
  }

  @Test
  void thePageHasWhatIsKnown() throws IOException {
    var history = new TrainingHistory(folder.resolve("history.tsv"), MEASURES, 0);
    history.add(ROW);
    Path file = folder.resolve("report.html");
    new FitReport(file, "a <b>").write(history, 2, "");
    assertThat(Files.readString(file))
        .contains("<h1>a &lt;b&gt;</h1>")
        .contains("<p>Iteration 1 of 2. </p>")
        .contains("alt=\"objective\"", "alt=\"learning rate\"")
        .doesNotContain("alt=\"accuracy\"")
        .contains(
            "<tr><td>1</td><td>0.50</td><td>0.00100</td><td>-0.2500</td><td>-0.5000</td><td></td>"
                + "<td>1.5</td></tr>");
  }
}
