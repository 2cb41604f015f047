package ristretto.nnet3.fit;

import java.awt.Color;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * HTML page with training curves, rewritten after each iteration; a browser reloads it
 * automatically.
 */
final class FitReport {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 360;
  private static final int REFRESH_SECONDS = 5;

  private final Path file;
  private final String title;

  FitReport(Path file, String title) {
    this.file = file;
    this.title = title;
  }

  /**
   * Writes the page.
   *
   * @param result result of the whole training; empty while the training is running
   */
  void write(History history, int iterations, String result) {
    List<History.Row> rows = history.rows();
    boolean done = !result.isEmpty();
    var page = new StringBuilder();
    page.append(
        String.format(
            Locale.ROOT,
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            %3$s<title>%1$s</title>
            <style>
            body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
            table { border-collapse: collapse; }
            th, td { padding: 0.2em 0.8em; text-align: right; border-bottom: 1px solid #ddd; }
            img { max-width: 100%%; }
            </style>
            </head>
            <body>
            <h1>%1$s</h1>
            <p>Iteration %2$d of %4$d. %5$s</p>
            """,
            escaped(title),
            rows.size(),
            done ? "" : "<meta http-equiv=\"refresh\" content=\"" + REFRESH_SECONDS + "\">\n",
            iterations,
            result));
    XYChart objective = chart("objective");
    series(objective, "training", rows, History.Row::train);
    series(objective, "validation", rows, History.Row::valid);
    picture(page, objective);
    XYChart accuracy = chart("accuracy");
    series(accuracy, "validation", rows, History.Row::accuracy);
    picture(page, accuracy);
    XYChart rate = chart("learning rate");
    series(rate, "learning rate", rows, History.Row::rate);
    picture(page, rate);
    page.append(
        "<h2>Iterations</h2>\n<table>\n<tr><th>iteration</th><th>epoch</th><th>learning rate</th>"
            + "<th>training</th><th>validation</th><th>accuracy</th><th>seconds</th></tr>\n");
    for (History.Row row : rows) {
      page.append(
          String.format(
              Locale.ROOT,
              "<tr><td>%d</td><td>%.2f</td><td>%.3g</td><td>%s</td><td>%s</td><td>%s</td>"
                  + "<td>%.1f</td></tr>\n",
              row.iteration(),
              row.epoch(),
              row.rate(),
              number(row.train()),
              number(row.valid()),
              number(row.accuracy()),
              row.seconds()));
    }
    FitFiles.write(file, page.append("</table>\n</body>\n</html>\n").toString());
  }

  private static XYChart chart(String name) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(name)
            .xAxisTitle("epoch")
            .yAxisTitle(name)
            .build();
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setLegendPosition(Styler.LegendPosition.InsideSE);
    chart.getStyler().setLocale(Locale.ROOT);
    chart.getStyler().setDecimalPattern("0.########");
    return chart;
  }

  private static void series(
      XYChart chart, String label, List<History.Row> rows, ToDoubleFunction<History.Row> of) {
    List<History.Row> known =
        rows.stream().filter(row -> Double.isFinite(of.applyAsDouble(row))).toList();
    if (!known.isEmpty()) {
      chart
          .addSeries(
              label,
              known.stream().map(History.Row::epoch).toList(),
              known.stream().map(of::applyAsDouble).toList())
          .setMarker(SeriesMarkers.CIRCLE);
    }
  }

  private static String number(double value) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, "%.4f", value) : "";
  }

  /** Appends a chart as a picture; a chart without curves is omitted. */
  private static void picture(StringBuilder page, XYChart chart) {
    if (chart.getSeriesMap().isEmpty()) {
      return;
    }
    chart.getStyler().setLegendVisible(chart.getSeriesMap().size() > 1);
    var bytes = new ByteArrayOutputStream();
    try {
      ImageIO.write(BitmapEncoder.getBufferedImage(chart), "png", bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    page.append("<p><img alt=\"%s\" src=\"data:image/png;base64,".formatted(chart.getTitle()))
        .append(Base64.getEncoder().encodeToString(bytes.toByteArray()))
        .append("\"></p>\n");
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
