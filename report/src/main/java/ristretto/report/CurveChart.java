package ristretto.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Chart of a measure over the epochs of a training, with a curve for each kind of data. */
public final class CurveChart {
  private static final int HEIGHT = 400;

  private final XYChart chart;

  /** Creates a chart without curves. */
  public CurveChart(String measure) {
    chart =
        new XYChartBuilder()
            .width(ReportPage.WIDTH)
            .height(HEIGHT)
            .title(measure)
            .xAxisTitle("epoch")
            .yAxisTitle(measure)
            .build();
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
    chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
    chart.getStyler().setLocale(Locale.ROOT);
    chart.getStyler().setDecimalPattern("0.########");
  }

  /** Adds a curve of the finite values; no curve if there are none. */
  public CurveChart curve(String label, List<Double> epochs, List<Double> values) {
    var x = new ArrayList<Double>();
    var y = new ArrayList<Double>();
    for (int k = 0; k < values.size(); k++) {
      if (Double.isFinite(values.get(k))) {
        x.add(epochs.get(k));
        y.add(values.get(k));
      }
    }
    if (!x.isEmpty()) {
      chart.addSeries(label, x, y).setMarker(SeriesMarkers.CIRCLE);
    }
    return this;
  }

  /** Returns the name of the measure. */
  public String measure() {
    return chart.getTitle();
  }

  /** Returns true if no curve was added. */
  public boolean isEmpty() {
    return chart.getSeriesMap().isEmpty();
  }

  /** Returns the chart as a PNG file; the legend is omitted for a single curve. */
  public byte[] png() {
    chart.getStyler().setLegendVisible(chart.getSeriesMap().size() > 1);
    return Png.of(chart);
  }
}
