package ristretto.symbolic.train;

import java.awt.Color;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.HeatMapChart;
import org.knowm.xchart.HeatMapChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.markers.SeriesMarkers;
import ristretto.expr.file.AsideFile;
import ristretto.kernels.FileException;
import ristretto.symbolic.Executor;

/** HTML page of a training run: curves, confusion matrices, numbers. */
final class Report {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 400;
  private static final String VALID = "valid_";

  /** Largest number of classes for which the numbers fit into the cells of a confusion matrix. */
  private static final int LEGIBLE = 20;

  private final String title;
  private final Path folder;

  Report(String title, Path folder) {
    this.title = title;
    this.folder = folder;
  }

  void write(History history, Executor executor, List<Metric> metrics) {
    Trainer.makeFolder(folder);
    try {
      var pictures = new LinkedHashMap<String, byte[]>();
      for (String name : measures(history)) {
        pictures.put(name, png(curve(history, name)));
      }
      for (Metric m : metrics) {
        if (m instanceof ConfusionMatrix matrix && matrix.counts().length > 0) {
          pictures.put("confusion", png(confusion(matrix.counts())));
        }
      }
      for (Map.Entry<String, byte[]> picture : pictures.entrySet()) {
        replace(picture.getKey() + ".png", picture.getValue());
      }
      replace("index.html", page(history, executor, pictures).getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new FileException(
          "[report] the folder must be writable; got %s (%s); check the path."
              .formatted(folder.toAbsolutePath(), e.getMessage()),
          e);
    }
  }

  private static Set<String> measures(History history) {
    var names = new LinkedHashSet<String>();
    for (String name : history.names()) {
      names.add(name.startsWith(VALID) ? name.substring(VALID.length()) : name);
    }
    return names;
  }

  private void replace(String name, byte[] content) throws IOException {
    AsideFile.write(
        folder.resolve(name), channel -> AsideFile.writeFully(channel, ByteBuffer.wrap(content)));
  }

  private static byte[] png(Chart<?, ?> chart) throws IOException {
    var bytes = new ByteArrayOutputStream();
    ImageIO.write(BitmapEncoder.getBufferedImage(chart), "png", bytes);
    return bytes.toByteArray();
  }

  private static XYChart curve(History history, String name) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(name)
            .xAxisTitle("epoch")
            .yAxisTitle(name)
            .build();
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    series(chart, history, "training", name);
    series(chart, history, "validation", VALID + name);
    return chart;
  }

  private static void series(XYChart chart, History history, String label, String name) {
    var x = new ArrayList<Integer>();
    var y = new ArrayList<Double>();
    for (int e = 0; e < history.epochs(); e++) {
      if (Double.isFinite(history.get(e, name))) {
        x.add(e + 1);
        y.add(history.get(e, name));
      }
    }
    if (!x.isEmpty()) {
      chart.addSeries(label, x, y).setMarker(SeriesMarkers.CIRCLE);
    }
  }

  private static HeatMapChart confusion(long[][] counts) {
    HeatMapChart chart =
        new HeatMapChartBuilder()
            .width(WIDTH)
            .height(WIDTH)
            .title("confusion matrix")
            .xAxisTitle("taken for")
            .yAxisTitle("is")
            .build();
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setShowValue(counts.length <= LEGIBLE);
    chart.getStyler().setRangeColors(new Color[] {Color.WHITE, new Color(0x2a6fbb)});
    int n = counts.length;
    int[] classes = new int[n];
    int[] downwards = new int[n];
    int[][] values = new int[n][n];
    for (int is = 0; is < n; is++) {
      classes[is] = is;
      // The chart's first row is the lowest one.
      downwards[is] = n - 1 - is;
      for (int taken = 0; taken < n; taken++) {
        values[taken][n - 1 - is] = (int) counts[is][taken];
      }
    }
    chart.addSeries("count", classes, downwards, values);
    return chart;
  }

  private String page(History history, Executor executor, Map<String, byte[]> pictures) {
    var page = new StringBuilder();
    page.append(
        String.format(
            Locale.ROOT,
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>%1$s</title>
            <style>
            body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
            table { border-collapse: collapse; }
            th, td { padding: 0.2em 0.8em; text-align: right; border-bottom: 1px solid #ddd; }
            img { max-width: 100%%; }
            </style>
            </head>
            <body>
            <h1>%1$s</h1>
            <p>%2$s after %3$d epochs.</p>
            """,
            escaped(title),
            escaped(executor.toString()),
            history.epochs()));
    pictures.forEach((name, png) ->
        page.append("<h2>%s</h2>\n".formatted(escaped(name)))
            .append("<p><img alt=\"%s\" src=\"data:image/png;base64,".formatted(escaped(name)))
            .append(Base64.getEncoder().encodeToString(png))
            .append("\"></p>\n"));
    page.append("<h2>Epochs</h2>\n<table>\n<tr><th>epoch</th>");
    history.names().forEach(name -> page.append("<th>").append(escaped(name)).append("</th>"));
    page.append("</tr>\n");
    for (int e = 0; e < history.epochs(); e++) {
      page.append("<tr><td>").append(e + 1).append("</td>");
      for (String name : history.names()) {
        page.append(String.format(Locale.ROOT, "<td>%.5f</td>", history.get(e, name)));
      }
      page.append("</tr>\n");
    }
    return page.append("</table>\n</body>\n</html>\n").toString();
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
