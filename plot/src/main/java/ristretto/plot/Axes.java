package ristretto.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.Annotation;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.colors.XChartSeriesColors;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Chart of XChart with the layers of a plot: its series are the curves, and other layers are
 * annotations.
 *
 * @param logX true for a logarithmic horizontal axis
 * @param xRange range of the horizontal axis, or null for that of the layers
 */
record Axes(
    String title,
    String xLabel,
    String yLabel,
    boolean logX,
    boolean logY,
    Range xRange,
    Range yRange,
    List<Layer> layers) {
  private static final Color[] COLOURS = new XChartSeriesColors().getSeriesColors();
  private static final int COLOUR_BAR = 92;
  private static final int NOTE_HEIGHT = 18;
  private static final int BAR_WIDTH = 16;
  private static final int MARKER = 6;

  /**
   * Pattern of the numbers of rows. The first row is at the top, so that row k is at -k, and the
   * prefix of negative numbers is a space without width: an empty one would mean a minus sign.
   */
  private static final String ROWS = "0;\u200b0";

  private static final Font SMALL = new Font(Font.SANS_SERIF, Font.PLAIN, 11);

  void paint(Graphics2D g, int w, int h) {
    Range colours = colours();
    int room = colours == null ? 0 : COLOUR_BAR;
    String note = note();
    int rest = note.isEmpty() ? h : h - NOTE_HEIGHT;
    XYChart chart = chart(w - room, rest);
    chart.paint(g, w - room, rest);
    // The chart leaves its last clip behind.
    g.setClip(null);
    if (colours != null) {
      double top = chart.getScreenYFromChart(vertical().high());
      double bottom = chart.getScreenYFromChart(vertical().low());
      bar(g, colours, w - room + 8, (int) top, (int) (bottom - top));
    }
    g.setFont(SMALL);
    g.setColor(Color.GRAY);
    g.drawString(note, w - g.getFontMetrics().stringWidth(note) - 8, h - 5);
  }

  /** Range of the colours, or null if no layer has any. */
  private Range colours() {
    Range range = null;
    for (Layer layer : layers) {
      range =
          switch (layer) {
            case Raster r -> r.range;
            case Contours c -> c.range;
            case Curve _, Bars _ -> range;
          };
    }
    return range == null || range.isEmpty() ? null : range;
  }

  private Range horizontal() {
    return xRange != null ? xRange : range(true, logX);
  }

  private Range vertical() {
    if (yRange == null) {
      return range(false, logY);
    }
    Raster raster = raster();
    return raster == null ? yRange : new Range(-yRange.high(), -yRange.low());
  }

  private Range range(boolean horizontal, boolean log) {
    Range all = Range.NONE;
    for (Layer layer : layers) {
      all = all.with(range(layer, horizontal, log));
    }
    Range shown = all.drawable();
    if (log) {
      return all.low() < all.high() ? all : new Range(shown.low() / 2, shown.high() * 2);
    }
    boolean cells = layers.stream().anyMatch(l -> l instanceof Raster || l instanceof Contours);
    boolean bars = layers.stream().anyMatch(Bars.class::isInstance);
    double margin = cells || bars ? 0 : (shown.high() - shown.low()) * 0.03;
    return new Range(shown.low() - margin, shown.high() + margin);
  }

  private Range range(Layer layer, boolean horizontal, boolean log) {
    if (log && layer instanceof Curve c) {
      double[] values = horizontal ? c.x : c.y;
      return Range.of(Arrays.stream(values).filter(v -> v > 0).toArray());
    }
    if (!horizontal && layer instanceof Curve c && raster() != null) {
      return new Range(-c.y().high(), -c.y().low());
    }
    return horizontal ? layer.x() : layer.y();
  }

  private XYChart chart(int w, int h) {
    XYChart chart =
        new XYChartBuilder()
            .width(w)
            .height(h)
            .title(title)
            .xAxisTitle(xLabel)
            .yAxisTitle(yLabel)
            .build();
    XYStyler styler = chart.getStyler();
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setChartTitleVisible(!title.isEmpty());
    styler.setChartTitleFont(PlotGrid.TITLE);
    styler.setXAxisTitleVisible(!xLabel.isEmpty());
    styler.setYAxisTitleVisible(!yLabel.isEmpty());
    styler.setLocale(Locale.ROOT);
    styler.setPlotContentSize(1);
    styler.setXAxisLogarithmic(logX);
    styler.setYAxisLogarithmic(logY);
    styler.setXAxisMin(horizontal().low());
    styler.setXAxisMax(horizontal().high());
    styler.setYAxisMin(vertical().low());
    styler.setYAxisMax(vertical().high());
    styler.setMarkerSize(MARKER);
    styler.setLegendPosition(Styler.LegendPosition.OutsideS);
    styler.setLegendLayout(Styler.LegendLayout.Horizontal);
    styler.setLegendBorderColor(Color.WHITE);
    styler.setPlotBorderColor(Color.GRAY);
    styler.setXAxisDecimalPattern(pattern(horizontal(), logX));
    styler.setYAxisDecimalPattern(pattern(vertical(), logY));
    if (raster() != null) {
      styler.setXAxisDecimalPattern("0");
      styler.setYAxisDecimalPattern(ROWS);
    }
    addSeries(chart, styler);
    return chart;
  }

  private Raster raster() {
    return (Raster) layers.stream().filter(Raster.class::isInstance).findFirst().orElse(null);
  }

  private static boolean isScientific(Range range) {
    double largest = Math.max(Math.abs(range.low()), Math.abs(range.high()));
    return largest >= 1e6 || largest < 1e-3;
  }

  private static int digits(Range range) {
    return (int) Math.clamp(Math.ceil(2 - Math.log10(range.high() - range.low())), 0, 9);
  }

  /** Pattern of the numbers on an axis, whose digits tell neighbours apart. */
  private static String pattern(Range range, boolean log) {
    if (isScientific(range)) {
      return "0.###E0";
    }
    int digits = log ? 9 : digits(range);
    return digits == 0 ? "0" : "0." + "#".repeat(digits);
  }

  private void addSeries(XYChart chart, XYStyler styler) {
    boolean named = false;
    int k = 0;
    for (Layer layer : layers) {
      if (layer instanceof Curve given) {
        Curve c = given.drawn(logX, logY, raster() != null);
        boolean isNamed = !c.name.isEmpty();
        XYSeries series = chart.addSeries(isNamed ? c.name : "series " + k, c.x, c.y);
        series.setShowInLegend(isNamed);
        Color colour = COLOURS[k % COLOURS.length];
        series.setLineColor(colour);
        series.setMarkerColor(colour);
        series.setMarker(c.connected ? SeriesMarkers.NONE : SeriesMarkers.CIRCLE);
        series.setLineStyle(c.connected ? new BasicStroke(2f) : SERIES_NONE);
        if (!c.connected) {
          series.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter);
        }
        named |= isNamed;
        k++;
        if (raster() != null) {
          // The chart draws its series below the matrix.
          chart.addAnnotation(new LayerPart(c, colour));
        }
      } else {
        chart.addAnnotation(new LayerPart(layer, COLOURS[0]));
      }
    }
    if (k == 0) {
      // The chart needs a series for its axes.
      XYSeries frame = chart.addSeries("frame", unequal(horizontal()), unequal(vertical()));
      frame.setMarker(SeriesMarkers.NONE);
      frame.setLineStyle(SERIES_NONE);
      frame.setShowInLegend(false);
    }
    styler.setLegendVisible(named);
  }

  /** Points of a range at unequal distances: the chart would put its only ticks at equal ones. */
  private static double[] unequal(Range r) {
    return new double[] {r.low(), r.low() + (r.high() - r.low()) * 0.3, r.high()};
  }

  private static final BasicStroke SERIES_NONE = SeriesLines.NONE;

  /** Text of a number on an axis: no digits beyond those that tell neighbours apart. */
  static String label(double v, Range range) {
    double extent = range.high() - range.low();
    if (Math.abs(v) < extent * 1e-9) {
      return "0";
    }
    if (isScientific(range)) {
      String text = String.format(Locale.ROOT, "%.3g", v);
      int e = text.indexOf('e');
      return e < 0 ? text : trimmed(text.substring(0, e)) + text.substring(e);
    }
    return trimmed(String.format(Locale.ROOT, "%." + digits(range) + "f", v));
  }

  private static String trimmed(String text) {
    String some = text.contains(".") ? text.replaceAll("0+$", "") : text;
    return some.endsWith(".") ? some.substring(0, some.length() - 1) : some;
  }

  private static void bar(Graphics2D g, Range range, int x, int top, int height) {
    for (int k = 0; k < height; k++) {
      g.setColor(ColourMap.colour(1 - k / (double) Math.max(1, height - 1)));
      g.fillRect(x, top + k, BAR_WIDTH, 1);
    }
    g.setColor(Color.GRAY);
    g.setStroke(new BasicStroke(1));
    g.drawRect(x, top, BAR_WIDTH, height);
    g.setFont(SMALL);
    int labels = Math.clamp(height / 40, 1, 5);
    for (int k = 0; k <= labels; k++) {
      double v = range.low() + (range.high() - range.low()) * k / labels;
      int y = top + height - height * k / labels;
      g.setColor(Color.GRAY);
      g.drawLine(x + BAR_WIDTH, y, x + BAR_WIDTH + 3, y);
      g.setColor(Color.DARK_GRAY);
      g.drawString(label(v, range), x + BAR_WIDTH + 6, y + 4);
    }
  }

  /** Text that tells how many points are drawn, if that are not all. */
  private String note() {
    for (Layer layer : layers) {
      if (layer instanceof Curve c && c.all > c.x.length) {
        return String.format(Locale.ROOT, "%,d of %,d points are drawn", c.x.length, c.all);
      }
    }
    return "";
  }

  /** Layer that XChart does not have, drawn over the plot. */
  private final class LayerPart extends Annotation {
    private final Layer layer;
    private final Color colour;

    LayerPart(Layer layer, Color colour) {
      super(false);
      this.layer = layer;
      this.colour = colour;
    }

    private double screenX(double x) {
      return chart.getScreenXFromChart(x);
    }

    private double screenY(double y) {
      return chart.getScreenYFromChart(y);
    }

    @Override
    public void paint(Graphics2D g) {
      Shape clip = g.getClip();
      double left = screenX(horizontal().low());
      double top = screenY(vertical().high());
      double right = screenX(horizontal().high());
      double bottom = screenY(vertical().low());
      bounds = new Rectangle2D.Double(left, top, right - left, bottom - top);
      g.clip(bounds);
      switch (layer) {
        case Bars b -> bars(g, b);
        case Raster r -> raster(g, r);
        case Contours c -> contours(g, c);
        case Curve c -> curve(g, c);
      }
      g.setClip(clip);
    }

    private void bars(Graphics2D g, Bars b) {
      double floor = screenY(Math.max(0, vertical().low()));
      for (int k = 0; k < b.counts.length; k++) {
        if (b.counts[k] > 0) {
          double left = screenX(b.edges[k]);
          double right = screenX(b.edges[k + 1]);
          double top = screenY(b.counts[k]);
          var bar = new Rectangle2D.Double(left, top, Math.max(1, right - left), floor - top);
          g.setColor(colour);
          g.fill(bar);
          g.setColor(Color.WHITE);
          g.setStroke(new BasicStroke(right - left > 4 ? 1f : 0.2f));
          g.draw(bar);
        }
      }
    }

    private void raster(Graphics2D g, Raster r) {
      int left = (int) Math.rint(screenX(-0.5));
      int right = (int) Math.rint(screenX(r.columns - 0.5));
      int top = (int) Math.rint(screenY(0.5));
      int bottom = (int) Math.rint(screenY(0.5 - r.rows));
      Object before = g.getRenderingHint(RenderingHints.KEY_INTERPOLATION);
      g.setRenderingHint(
          RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_NEAREST_NEIGHBOR);
      g.drawImage(r.image(), left, top, right - left, bottom - top, null);
      if (before != null) {
        g.setRenderingHint(RenderingHints.KEY_INTERPOLATION, before);
      }
    }

    private void curve(Graphics2D g, Curve c) {
      g.setColor(colour);
      g.setStroke(new BasicStroke(2f));
      var line = new Path2D.Double();
      boolean gap = true;
      for (int k = 0; k < c.x.length; k++) {
        double x = screenX(c.x[k]);
        double y = screenY(c.y[k]);
        if (Double.isNaN(c.y[k])) {
          gap = true;
        } else if (!c.connected) {
          g.fill(new Ellipse2D.Double(x - MARKER / 2.0, y - MARKER / 2.0, MARKER, MARKER));
        } else if (gap) {
          line.moveTo(x, y);
          gap = false;
        } else {
          line.lineTo(x, y);
        }
      }
      g.draw(line);
    }

    private void contours(Graphics2D g, Contours c) {
      g.setStroke(new BasicStroke(1.6f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
      for (double level : c.levels()) {
        g.setColor(ColourMap.colour(c.range.share(level)));
        g.draw(c.path(level, this::screenX, this::screenY));
      }
    }
  }
}
