package ristretto.nnet3.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What each iteration of a training was like; kept in a file, a line each. */
final class History {
  private static final String HEADER =
      "iteration\tepoch\tlearning-rate\ttrain\tvalid\taccuracy\tseconds";

  private final Path file;
  private final List<Row> rows = new ArrayList<>();

  /**
   * An iteration.
   *
   * @param iteration its number
   * @param epoch how often frames had been used after it
   * @param rate its learning rate
   * @param train average objective of training, while it went on
   * @param valid average objective of what is measured with, after it
   * @param accuracy of what is measured with
   * @param seconds it took
   */
  record Row(
      int iteration,
      double epoch,
      double rate,
      double train,
      double valid,
      double accuracy,
      double seconds) {
    private static Row parse(String line) {
      String[] parts = line.split("\t");
      var numbers = new double[6];
      for (int k = 0; k < 6; k++) {
        numbers[k] = Double.parseDouble(parts[k + 1]);
      }
      return new Row(
          Integer.parseInt(parts[0]),
          numbers[0],
          numbers[1],
          numbers[2],
          numbers[3],
          numbers[4],
          numbers[5]);
    }

    private String line() {
      return String.format(
          Locale.ROOT,
          "%d\t%.4f\t%.4g\t%.6f\t%.6f\t%.6f\t%.2f",
          iteration,
          epoch,
          rate,
          train,
          valid,
          accuracy,
          seconds);
    }
  }

  /** That of a file, if it is there, of the first iterations. */
  History(Path file, int iterations) {
    this.file = file;
    if (Files.exists(file)) {
      FitFiles.read(file).lines().skip(1).map(Row::parse).limit(iterations).forEach(rows::add);
    }
  }

  void add(Row row) {
    rows.add(row);
    var text = new StringBuilder(HEADER).append('\n');
    rows.forEach(r -> text.append(r.line()).append('\n'));
    FitFiles.write(file, text.toString());
  }

  List<Row> rows() {
    return rows;
  }
}
