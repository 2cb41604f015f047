package ristretto.report;

import java.awt.Color;
import org.knowm.xchart.HeatMapChart;
import org.knowm.xchart.HeatMapChartBuilder;

/** Heat map of a confusion matrix. */
public final class ConfusionChart {
  /** Largest number of classes for which the numbers fit into the cells. */
  private static final int LEGIBLE = 20;

  private ConfusionChart() {}

  /** Returns the chart of counts by actual and predicted class, as a PNG file. */
  public static byte[] png(long[][] counts) {
    HeatMapChart chart =
        new HeatMapChartBuilder()
            .width(ReportPage.WIDTH)
            .height(ReportPage.WIDTH)
            .title("confusion matrix")
            .xAxisTitle("predicted")
            .yAxisTitle("actual")
            .build();
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
    return Png.of(chart);
  }
}
