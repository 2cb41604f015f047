package ristretto.report;

import java.awt.Color;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.internal.chartpart.Chart;

/** Content of the PNG file of a chart. */
final class Png {
  private Png() {}

  static byte[] of(Chart<?, ?> chart) {
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    var bytes = new ByteArrayOutputStream();
    try {
      ImageIO.write(BitmapEncoder.getBufferedImage(chart), "png", bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
