package ristretto.plot;

import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.geom.AffineTransform;
import java.awt.geom.Rectangle2D;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.style.colors.XChartSeriesColors;

/**
 * Horizontal bars from 0, the first at the top, each with its name before it and its value behind
 * it. Charts of XChart have vertical bars, under which longer names overlap.
 */
record NamedBars(List<String> names, double[] values) {
  private static final int MARGIN = 12;
  private static final int GAP = 8;
  private static final Color COLOUR = new XChartSeriesColors().getSeriesColors()[0];

  void paint(Graphics2D g, int w, int h, String title, String xLabel, String yLabel, Range given) {
    g.setColor(Color.WHITE);
    g.fillRect(0, 0, w, h);
    g.setColor(Color.BLACK);
    PlotGrid.drawTitle(g, title, w);
    g.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 14));
    FontMetrics font = g.getFontMetrics();
    int top = title.isEmpty() ? MARGIN : PlotGrid.TITLE_HEIGHT;
    int bottom = h - MARGIN - (xLabel.isEmpty() ? 0 : font.getHeight() + GAP);
    int start = MARGIN + (yLabel.isEmpty() ? 0 : font.getHeight() + GAP);
    int left = start + names.stream().mapToInt(font::stringWidth).max().getAsInt() + GAP;
    int room = 0;
    for (double v : values) {
      room = Math.max(room, font.stringWidth(label(v)) + GAP);
    }
    Range all = Range.of(values);
    Range range =
        given != null ? given : new Range(Math.min(0, all.low()), Math.max(0, all.high()));
    int before = range.low() < 0 ? room : 0;
    var area =
        new Rectangle2D.Double(left + before, top, w - MARGIN - room - left - before, bottom - top);
    bars(g, area, left, range);
    g.drawString(xLabel, (float) area.getCenterX() - font.stringWidth(xLabel) / 2f, h - MARGIN);
    AffineTransform upright = g.getTransform();
    g.rotate(-Math.PI / 2);
    g.drawString(
        yLabel,
        (float) -area.getCenterY() - font.stringWidth(yLabel) / 2f,
        MARGIN + font.getAscent());
    g.setTransform(upright);
  }

  private void bars(Graphics2D g, Rectangle2D area, int left, Range range) {
    FontMetrics font = g.getFontMetrics();
    double height = area.getHeight() / values.length;
    double zero = x(area, range, 0);
    for (int k = 0; k < values.length; k++) {
      double end = x(area, range, values[k]);
      double y = area.getY() + height * (k + 0.15);
      g.setColor(COLOUR);
      g.fill(
          new Rectangle2D.Double(
              Math.min(zero, end), y, Math.max(1, Math.abs(end - zero)), height * 0.7));
      g.setColor(Color.BLACK);
      float base = (float) (area.getY() + height * (k + 0.5)) + font.getAscent() / 2f - 1;
      g.drawString(names.get(k), left - GAP - font.stringWidth(names.get(k)), base);
      String label = label(values[k]);
      double at = values[k] < 0 ? end - GAP / 2.0 - font.stringWidth(label) : end + GAP / 2.0;
      g.drawString(label, (float) at, base);
    }
    g.setColor(Color.GRAY);
    g.fill(new Rectangle2D.Double(zero, area.getY(), 1, area.getHeight()));
    g.setColor(Color.BLACK);
  }

  private static double x(Rectangle2D area, Range range, double v) {
    double share = range.low() == range.high() ? 0 : range.share(v);
    return area.getX() + area.getWidth() * Math.clamp(share, 0, 1);
  }

  /** Text of a value, with at least three digits. */
  private static String label(double v) {
    double size = Math.abs(v);
    if (size >= 1e7 || size > 0 && size < 1e-3) {
      return String.format(Locale.ROOT, "%.3g", v);
    }
    String pattern = size >= 100 ? "#,##0" : size >= 10 ? "0.#" : size >= 1 ? "0.##" : "0.###";
    return new DecimalFormat(pattern, DecimalFormatSymbols.getInstance(Locale.ROOT)).format(v);
  }
}
