package ristretto.symbolic.train;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import ristretto.expr.file.AsideFile;
import ristretto.kernels.FileException;
import ristretto.report.ConfusionChart;
import ristretto.report.CurveChart;
import ristretto.report.ReportPage;
import ristretto.symbolic.Executor;

/** HTML page of a training run: curves, confusion matrices, numbers. */
record Report(String title, Path folder) {
  private static final String VALID = "valid_";

  void write(History history, Executor executor, List<Metric> metrics) {
    Trainer.makeFolder(folder);
    Map<String, byte[]> pictures = curves(history);
    for (Metric m : metrics) {
      if (m instanceof ConfusionMatrix matrix && matrix.counts().length > 0) {
        pictures.put("confusion", ConfusionChart.png(matrix.counts()));
      }
    }
    String summary = String.format(Locale.ROOT, "%s after %d epochs.", executor, history.epochs());
    var page = new ReportPage(title, summary);
    pictures.forEach(page::picture);
    String html = page.table("Epochs", table(history)).html();
    try {
      for (Map.Entry<String, byte[]> picture : pictures.entrySet()) {
        replace(picture.getKey() + ".png", picture.getValue());
      }
      replace("index.html", html.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new FileException(
          "[report] the folder must be writable; got %s (%s); check the path."
              .formatted(folder.toAbsolutePath(), e.getMessage()),
          e);
    }
  }

  private void replace(String name, byte[] content) throws IOException {
    AsideFile.write(
        folder.resolve(name), channel -> AsideFile.writeFully(channel, ByteBuffer.wrap(content)));
  }

  /** Returns the chart of each measure, as a PNG file. */
  private static Map<String, byte[]> curves(History history) {
    var measures = new LinkedHashSet<String>();
    for (String name : history.names()) {
      measures.add(name.startsWith(VALID) ? name.substring(VALID.length()) : name);
    }
    List<Double> epochs =
        IntStream.rangeClosed(1, history.epochs()).mapToObj(Double::valueOf).toList();
    var pictures = new LinkedHashMap<String, byte[]>();
    for (String name : measures) {
      var chart =
          new CurveChart(name)
              .curve("training", epochs, values(history, name))
              .curve("validation", epochs, values(history, VALID + name));
      pictures.put(name, chart.png());
    }
    return pictures;
  }

  private static List<Double> values(History history, String name) {
    return IntStream.range(0, history.epochs()).mapToObj(e -> history.get(e, name)).toList();
  }

  private static List<List<String>> table(History history) {
    var rows = new ArrayList<List<String>>();
    rows.add(Stream.concat(Stream.of("epoch"), history.names().stream()).toList());
    for (int e = 0; e < history.epochs(); e++) {
      var row = new ArrayList<>(List.of(Integer.toString(e + 1)));
      for (String name : history.names()) {
        row.add(String.format(Locale.ROOT, "%.5f", history.get(e, name)));
      }
      rows.add(row);
    }
    return rows;
  }
}
