package ristretto.nnet3.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Results of the iterations of a training, stored in a file with one line each. */
final class TrainingHistory {
  private static final String HEADER =
      "iteration\tepoch\tlearning-rate\ttrain\tvalid\taccuracy\tseconds";

  private final Path file;
  private final List<Row> rows = new ArrayList<>();

  /**
   * Result of an iteration.
   *
   * @param iteration number of the iteration
   * @param epoch number of passes over the data completed by then
   * @param rate learning rate
   * @param train average training objective during the iteration
   * @param valid average validation objective after the iteration
   * @param accuracy validation accuracy after the iteration
   * @param seconds duration
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

  /** Reads the first iterations from a file, if it exists. */
  TrainingHistory(Path file, int iterations) {
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
