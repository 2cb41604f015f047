package ristretto.nnet3.fit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import ristretto.report.CurveChart;
import ristretto.report.ReportPage;

/**
 * HTML page with training curves, rewritten after each iteration; a browser reloads it
 * automatically.
 */
record FitReport(Path file, String title) {
  private static final int REFRESH_SECONDS = 5;

  /**
   * Writes the page.
   *
   * @param result result of the whole training; empty while the training is running
   */
  void write(TrainingHistory history, int iterations, String result) {
    List<TrainingHistory.Row> rows = history.rows();
    var page =
        new ReportPage(
            title,
            String.format(Locale.ROOT, "Iteration %d of %d. %s", rows.size(), iterations, result));
    if (result.isEmpty()) {
      page.refreshed(REFRESH_SECONDS);
    }
    var objective = new CurveChart("objective");
    curve(objective, "training", rows, TrainingHistory.Row::train);
    curve(objective, "validation", rows, TrainingHistory.Row::valid);
    var charts = new ArrayList<>(List.of(objective));
    for (int m = 0; m < history.measures().size(); m++) {
      int of = m;
      var measure = new CurveChart(history.measures().get(m));
      curve(measure, "validation", rows, row -> row.measures().get(of));
      charts.add(measure);
    }
    var rate = new CurveChart("learning rate");
    curve(rate, "learning rate", rows, TrainingHistory.Row::rate);
    charts.add(rate);
    for (CurveChart chart : charts) {
      if (!chart.isEmpty()) {
        page.picture(chart.measure(), chart.png());
      }
    }
    FitFiles.write(file, page.table("Iterations", table(history)).html());
  }

  private static void curve(
      CurveChart chart,
      String label,
      List<TrainingHistory.Row> rows,
      ToDoubleFunction<TrainingHistory.Row> of) {
    chart.curve(
        label,
        rows.stream().map(TrainingHistory.Row::epoch).toList(),
        rows.stream().map(of::applyAsDouble).toList());
  }

  private static List<List<String>> table(TrainingHistory history) {
    var table = new ArrayList<List<String>>();
    var names =
        new ArrayList<>(List.of("iteration", "epoch", "learning rate", "training", "validation"));
    names.addAll(history.measures());
    names.add("seconds");
    table.add(names);
    for (TrainingHistory.Row row : history.rows()) {
      var line =
          new ArrayList<>(
              List.of(
                  Integer.toString(row.iteration()),
                  number("%.2f", row.epoch()),
                  number("%.3g", row.rate()),
                  number("%.4f", row.train()),
                  number("%.4f", row.valid())));
      row.measures().forEach(measure -> line.add(number("%.4f", measure)));
      line.add(number("%.1f", row.seconds()));
      table.add(line);
    }
    return table;
  }

  private static String number(String format, double value) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : "";
  }
}
