package ristretto.report;

import java.awt.Color;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.colors.XChartSeriesColors;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Chart of stacked areas, whose heights add up. */
public final class AreaChart {
  private static final int HEIGHT = 500;
  private static final Color[] COLOURS = new XChartSeriesColors().getSeriesColors();

  private final XYChart chart;
  private final List<String> labels = new ArrayList<>();
  private final List<double[]> tops = new ArrayList<>();

  /**
   * Creates a chart without areas.
   *
   * @param x title of the horizontal axis, which counts from 1
   * @param y title of the vertical axis
   */
  public AreaChart(String title, String x, String y) {
    chart =
        new XYChartBuilder()
            .width(ReportPage.WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle(x)
            .yAxisTitle(y)
            .build();
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
    chart.getStyler().setDefaultSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.StepArea);
    chart.getStyler().setLocale(Locale.ROOT);
    chart.getStyler().setDecimalPattern("0.########");
  }

  /** Adds an area on top of the others; all areas have equally many heights. */
  public void area(String label, double[] heights) {
    double[] top = heights.clone();
    for (int k = 0; k < top.length && !tops.isEmpty(); k++) {
      top[k] += tops.getLast()[k];
    }
    labels.add(label);
    tops.add(top);
  }

  /** Returns the chart as a PNG file. */
  public byte[] png() {
    // Lower areas are drawn over higher ones.
    for (int k = tops.size() - 1; k >= 0; k--) {
      double[] x = new double[tops.get(k).length];
      Arrays.setAll(x, i -> i + 1);
      if (x.length > 0) {
        Color colour = COLOURS[k % COLOURS.length];
        XYSeries series = chart.addSeries(labels.get(k), x, tops.get(k));
        series.setMarker(SeriesMarkers.NONE).setLineColor(colour).setFillColor(colour);
      }
    }
    return Png.of(chart);
  }
}
