package ristretto.jmh.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;
import ristretto.jmh.line.Line;

/**
 * Charts: each competitor's time relative to the engine's, and time over size for element-wise
 * lines.
 */
final class Charts {
  private static final int WIDTH = 1100;
  private static final int HEIGHT = 520;
  private static final double LEAST = 0.05;

  private Charts() {}

  static void write(Path folder, List<Row> rows) throws IOException {
    System.setProperty("java.awt.headless", "true");
    for (int threads : new TreeSet<>(rows.stream().map(Row::threads).toList())) {
      List<Row> some = rows.stream().filter(r -> r.threads() == threads).toList();
      ratios(folder, some, threads);
      sizes(folder, some, threads);
    }
  }

  /** Draws one group of bars per line, at its largest size up to 1e7. */
  private static void ratios(Path folder, List<Row> rows, int threads) throws IOException {
    List<Row> chosen = new ArrayList<>();
    for (Row row : rows) {
      if (row.time("ours").isEmpty()
          || row.dims().rank() == 1 && row.dims().product() > 10_000_000) {
        continue;
      }
      chosen.removeIf(r -> r.line() == row.line());
      chosen.add(row);
    }
    if (chosen.isEmpty()) {
      return;
    }
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("Time relative to Ristretto's, " + label(threads) + " (longer is slower)")
            .yAxisTitle("times Ristretto's")
            .build();
    chart.getStyler().setYAxisLogarithmic(true);
    chart.getStyler().setYAxisMin(LEAST);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setXAxisLabelRotation(45);
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
    List<String> names =
        chosen.stream().map(r -> r.line().name() + " " + r.dims().label()).toList();
    for (String competitor : Cells.present(chosen)) {
      if (competitor.equals("ours") || competitor.equals("recorded")) {
        continue;
      }
      List<Double> values =
          chosen.stream()
              .map(r -> r.ratio(competitor).orElse(LEAST))
              .map(Number::doubleValue)
              .toList();
      chart.addSeries(competitor, names, values);
    }
    BitmapEncoder.saveBitmap(
        chart, folder.resolve("ratios-" + threads + ".png").toString(), BitmapFormat.PNG);
  }

  private static void sizes(Path folder, List<Row> rows, int threads) throws IOException {
    for (Line line : rows.stream().map(Row::line).distinct().toList()) {
      List<Row> mine = rows.stream().filter(r -> r.line() == line).toList();
      if (line.sizes().getFirst().rank() > 1 || mine.size() < 2) {
        continue;
      }
      XYChart chart =
          new XYChartBuilder()
              .width(WIDTH / 2)
              .height(HEIGHT * 3 / 4)
              .title(line.name() + ": " + line.formula() + ", " + label(threads))
              .xAxisTitle("elements")
              .yAxisTitle("ns per element")
              .build();
      chart.getStyler().setChartBackgroundColor(Color.WHITE);
      chart.getStyler().setXAxisLogarithmic(true);
      chart.getStyler().setYAxisLogarithmic(true);
      chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
      for (String competitor : Cells.present(mine)) {
        List<Row> theirs = mine.stream().filter(r -> r.of(competitor).isPresent()).toList();
        chart.addSeries(
            competitor,
            theirs.stream().map(r -> (double) r.dims().product()).toList(),
            theirs.stream()
                .map(r -> r.time(competitor).getAsDouble() / line.elements(r.dims()))
                .toList());
      }
      BitmapEncoder.saveBitmap(
          chart, folder.resolve(line.name() + "-" + threads + ".png").toString(), BitmapFormat.PNG);
    }
  }

  private static String label(int threads) {
    return threads == 1 ? "1 thread" : threads + " threads";
  }
}
