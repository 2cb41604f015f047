package ristretto.expr.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.option.CsvOptions;
import ristretto.kernels.FileFormatException;

/** Values that one thread splits and another one parses. */
class ValueQueueTest {
  @TempDir Path folder;

  @Test
  void valuesArriveInOrder() {
    for (int n : new int[] {0, 1, 1000, 200_000}) {
      var found = new ArrayList<String>();
      var queue =
          new ValueQueue((column, text, at, length, line) ->
              found.add(column + " " + new String(text, at, length) + " " + line));
      char[] text = "x".repeat(400_000).toCharArray();
      for (int k = 0; k < n; k++) {
        queue.add(k % 3, text, k % 7, k == 1000 ? text.length - 7 : k % 11, k);
      }
      queue.finish();
      assertThat(found).hasSize(n);
      for (int k = 0; k < n; k++) {
        String value = k == 1000 ? "x".repeat(text.length - 7) : "x".repeat(k % 11);
        assertThat(found.get(k)).isEqualTo(k % 3 + " " + value + " " + k);
      }
    }
  }

  @Test
  void exceptionsOfTheReceiverReachTheSender() {
    for (int bad : new int[] {5, 250_000}) {
      var queue =
          new ValueQueue((_, _, _, _, line) -> {
            if (line == bad) {
              throw new IllegalArgumentException("line " + line);
            }
          });
      assertThatThrownBy(
              () -> {
                for (int k = 0; k < 300_000; k++) {
                  queue.add(0, new char[4], 0, 4, k);
                }
                queue.finish();
              })
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("line " + bad);
    }
  }

  /** The first error of a file is reported, although rows are split before values are parsed. */
  @Test
  void theFirstErrorOfALongFileIsReported() throws IOException {
    Path file = folder.resolve("days.csv");
    var text = new StringBuilder("day,x\n");
    for (int k = 0; k < 100_000; k++) {
      text.append(k == 70_000 ? "2020-13-01,1\n" : k == 70_010 ? "2020-01-01\n" : "2020-01-02,3\n");
    }
    Files.writeString(file, text);
    CsvOptions dates = new CsvOptions().date("day", "uuuu-MM-dd");
    assertThatThrownBy(() -> CsvTable.read(file, dates))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[csv] dates must have their format, and be in the calendar; got '2020-13-01' in column"
                + " day of line 70002 of "
                + file
                + ".");
    assertThatThrownBy(() -> CsvTable.read(file, new CsvOptions()))
        .isInstanceOf(FileFormatException.class)
        .hasMessageContaining("line 70012");
  }
}
