package ristretto.nnet3.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Results of the iterations of a training, stored in a file with one line each. */
final class TrainingHistory {
  private final Path file;
  private final List<String> measures;
  private final List<Row> rows = new ArrayList<>();

  /**
   * Result of an iteration.
   *
   * @param iteration number of the iteration
   * @param epoch number of passes over the data completed by then
   * @param rate learning rate
   * @param train average training objective during the iteration
   * @param valid average validation objective after the iteration
   * @param measures other averages over the validation examples after the iteration
   * @param seconds duration without the evaluation
   */
  record Row(
      int iteration,
      double epoch,
      double rate,
      double train,
      double valid,
      List<Double> measures,
      double seconds) {
    private static Row parse(String line) {
      String[] parts = line.split("\t");
      List<Double> numbers = Arrays.stream(parts).map(Double::valueOf).toList();
      return new Row(
          Integer.parseInt(parts[0]),
          numbers.get(1),
          numbers.get(2),
          numbers.get(3),
          numbers.get(4),
          numbers.subList(5, parts.length - 1),
          numbers.getLast());
    }

    private String line() {
      var line =
          new StringBuilder(
              String.format(
                  Locale.ROOT, "%d\t%.4f\t%.4g\t%.6f\t%.6f", iteration, epoch, rate, train, valid));
      measures.forEach(measure -> line.append(String.format(Locale.ROOT, "\t%.6f", measure)));
      return line.append(String.format(Locale.ROOT, "\t%.2f", seconds)).toString();
    }
  }

  /**
   * Reads the first iterations from a file, if it exists.
   *
   * @param measures names of the measures
   */
  TrainingHistory(Path file, List<String> measures, int iterations) {
    this.file = file;
    this.measures = measures;
    if (Files.exists(file)) {
      FitFiles.read(file).lines().skip(1).map(Row::parse).limit(iterations).forEach(rows::add);
    }
  }

  void add(Row row) {
    rows.add(row);
    var text = new StringBuilder("iteration\tepoch\tlearning-rate\ttrain\tvalid");
    measures.forEach(name -> text.append('\t').append(name));
    text.append("\tseconds\n");
    rows.forEach(r -> text.append(r.line()).append('\n'));
    FitFiles.write(file, text.toString());
  }

  /** Names of the measures. */
  List<String> measures() {
    return measures;
  }

  List<Row> rows() {
    return rows;
  }
}
