package ristretto.plot;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import ristretto.expr.Expr;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/**
 * Plot of tensors or expressions of any dtype; each method changes the plot and returns it:
 *
 * <pre>{@code
 * Plot.line(x, sin(x)).name("sin").line(x, cos(x), "cos").xLabel("x").title("Waves").save("w.png");
 * Plot.grid(1, 2, Plot.histogram(x), Plot.heatMap(a)).save("both.svg");
 * }</pre>
 *
 * <p>Values that are not finite are gaps, as are values that are not positive on logarithmic axes.
 * Series of more than 20,000 points are thinned, which a note in the picture says: lines keep the
 * lowest and the highest point of each part.
 */
public final class Plot extends Figure {
  private static final int WIDTH = 800;
  private static final int HEIGHT = 500;
  private static final int MARGIN = 12;

  private final List<Layer> layers = new ArrayList<>();

  /** Image that fills the plot instead of axes; or null. */
  private final BufferedImage picture;

  /** Bars of a bar chart, which has no other series; or null. */
  private final NamedBars bars;

  private String title = "";
  private String xLabel = "";
  private String yLabel = "";
  private boolean logX;
  private boolean logY;
  private Range xRange;
  private Range yRange;

  private Plot(BufferedImage picture, NamedBars bars) {
    super(WIDTH, HEIGHT);
    this.picture = picture;
    this.bars = bars;
  }

  private static Plot axes() {
    return new Plot(null, null);
  }

  // New plots

  /**
   * Plots a line through the points of two vectors of one length.
   *
   * @throws ShapeException if the shapes are others, or no expression has a tensor in it
   */
  public static Plot line(Expr<?> x, Expr<?> y) {
    return axes().line(x, y, "");
  }

  /** Plots a line through the values of a vector, over 0, 1, 2, ... */
  public static Plot line(Expr<?> y) {
    double[] values = SeriesValues.vector("line", "y", y);
    double[] x = new double[values.length];
    Arrays.setAll(x, k -> k);
    return axes().add(Curve.of(true, "", x, values));
  }

  /**
   * Plots points with the coordinates of two vectors of one length.
   *
   * @throws ShapeException if the shapes are others
   */
  public static Plot scatter(Expr<?> x, Expr<?> y) {
    return axes().scatter(x, y, "");
  }

  /** Plots the histogram of all elements that are finite, with NumPy's number of bins "auto". */
  public static Plot histogram(Expr<?> x) {
    return histogram(x, 0);
  }

  /**
   * Plots the histogram of all elements that are finite.
   *
   * @param bins number of bars, or 0 for NumPy's number of bins "auto"
   * @throws ShapeException if there is no element, or too many bins
   */
  public static Plot histogram(Expr<?> x, int bins) {
    if (x.shape().size() == 0 || bins < 0 || bins > WIDTH * 10) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[histogram] there must be elements, and at most %d bins; got %s, %d bins.",
              WIDTH * 10,
              x.label(),
              bins));
    }
    return axes().add(Bars.of(SeriesValues.of("histogram", x), bins));
  }

  /**
   * Plots a matrix as coloured cells with a bar of colours, the first row at the top; NaN is grey.
   *
   * @throws ShapeException if the values are no matrix
   */
  public static Plot heatMap(Expr<?> a) {
    SeriesValues.requireMatrix("heatMap", a);
    double[] values = SeriesValues.of("heatMap", a);
    return axes().add(new Raster((int) a.shape().dim(0), (int) a.shape().dim(1), values));
  }

  /** Plots ten lines of equal height of a matrix over its column and row numbers. */
  public static Plot contour(Expr<?> z) {
    SeriesValues.requireMatrix("contour", z);
    double[] x = new double[(int) z.shape().dim(1)];
    double[] y = new double[(int) z.shape().dim(0)];
    Arrays.setAll(x, k -> k);
    Arrays.setAll(y, k -> k);
    return axes().add(new Contours(x, y, SeriesValues.of("contour", z)));
  }

  /**
   * Plots ten lines of equal height of a function on a grid: {@code z[k, j]} is its value at {@code
   * x[j]}, {@code y[k]}.
   *
   * @throws ShapeException if the shapes do not fit
   */
  public static Plot contour(Expr<?> x, Expr<?> y, Expr<?> z) {
    SeriesValues.requireMatrix("contour", z);
    if (x.shape().rank() != 1
        || y.shape().rank() != 1
        || !z.shape().equals(Shape.of(y.shape().size(), x.shape().size()))) {
      throw new ShapeException(
          "[contour] z must have a row for each y and a column for each x; got x %s, y %s, z %s."
              .formatted(x.label(), y.label(), z.label()));
    }
    return axes()
        .add(
            new Contours(
                SeriesValues.of("contour", x),
                SeriesValues.of("contour", y),
                SeriesValues.of("contour", z)));
  }

  /**
   * Plots a horizontal bar with a name for each value, from 0, the first at the top.
   *
   * @throws ShapeException if there are no values, names of another number, the same name twice, or
   *     values that are not finite
   */
  public static Plot bars(List<String> names, double... values) {
    if (values.length == 0
        || names.size() != values.length
        || new HashSet<>(names).size() < names.size()) {
      throw new ShapeException(
          "[bars] each value must have a name of its own; got names %s for %s values; give a name for each."
              .formatted(names, Integer.toString(values.length)));
    }
    if (!Arrays.stream(values).allMatch(Double::isFinite)) {
      throw new ShapeException(
          "[bars] values must be finite; got %s; leave the others out."
              .formatted(Arrays.toString(values)));
    }
    return new Plot(null, new NamedBars(List.copyOf(names), values.clone()));
  }

  /**
   * Plots a bar with a name for each element of a vector; see {@link #bars(List, double...)}.
   *
   * @throws ShapeException if the values are no vector, also
   */
  public static Plot bars(List<String> names, Expr<?> values) {
    return bars(names, SeriesValues.vector("bars", "values", values));
  }

  /**
   * Shows an image without axes: {@code [height, width]} or {@code [height, width, channels]} of 1,
   * 3 or 4 channels; integers from 0 to 255, or floating-point values from 0 to 1, which are
   * clipped; NaN is black. Alpha is drawn over white.
   *
   * @throws ShapeException if the shape is another one
   */
  public static Plot image(Expr<?> a) {
    return new Plot(Pictures.of(a), null);
  }

  /**
   * Places plots in a grid, row by row.
   *
   * @throws ShapeException if there is no plot, or there are more plots than cells
   */
  public static PlotGrid grid(int rows, int columns, Plot... plots) {
    return PlotGrid.of(rows, columns, List.of(plots));
  }

  // More series

  /** Adds a line with a name for the legend. */
  public Plot line(Expr<?> x, Expr<?> y, String name) {
    return curve("line", true, x, y, name);
  }

  /** Adds points with a name for the legend. */
  public Plot scatter(Expr<?> x, Expr<?> y, String name) {
    return curve("scatter", false, x, y, name);
  }

  private Plot curve(String op, boolean connected, Expr<?> x, Expr<?> y, String name) {
    requireAxes(op);
    double[] u = SeriesValues.vector(op, "x", x);
    double[] v = SeriesValues.vector(op, "y", y);
    SeriesValues.requireEqual(op, x, y);
    requireNew(op, name);
    return add(Curve.of(connected, name, u, v));
  }

  private void requireNew(String op, String name) {
    if (!name.isEmpty()
        && layers.stream().anyMatch(l -> l instanceof Curve c && c.name.equals(name))) {
      throw new ShapeException(
          "[%s] series must have different names; got '%s' twice.".formatted(op, name));
    }
  }

  private void requireAxes(String op) {
    if (picture != null) {
      throw new ShapeException(
          "[" + op + "] an image must have no axes; got a plot of an image; begin with heatMap.");
    }
    if (bars != null && !op.endsWith("Label") && !op.equals("xRange")) {
      throw new ShapeException(
          "[%s] a plot of bars must have no other series, and no numbers on its vertical axis; got bars; make another plot."
              .formatted(op));
    }
  }

  private Plot add(Layer layer) {
    layers.add(layer);
    return this;
  }

  // Texts and axes

  /**
   * Names the last line or points in the legend.
   *
   * @throws ShapeException if there are none, or another series has that name
   */
  public Plot name(String name) {
    if (layers.isEmpty() || !(layers.getLast() instanceof Curve last)) {
      throw new ShapeException("[name] a name must follow a line or points; got none.");
    }
    requireNew("name", name);
    last.name = name;
    return this;
  }

  /** Sets the title. */
  public Plot title(String title) {
    this.title = title;
    return this;
  }

  /** Sets the label of the horizontal axis. */
  public Plot xLabel(String label) {
    requireAxes("xLabel");
    this.xLabel = label;
    return this;
  }

  /** Sets the label of the vertical axis. */
  public Plot yLabel(String label) {
    requireAxes("yLabel");
    this.yLabel = label;
    return this;
  }

  /** Makes the horizontal axis logarithmic; for lines and points. */
  public Plot logX() {
    requirePositive("logX", true);
    logX = true;
    return this;
  }

  /** Makes the vertical axis logarithmic; for lines and points. */
  public Plot logY() {
    requirePositive("logY", false);
    logY = true;
    return this;
  }

  private void requirePositive(String op, boolean horizontal) {
    requireAxes(op);
    for (Layer layer : layers) {
      if (!(layer instanceof Curve c)
          || Arrays.stream(horizontal ? c.x : c.y).noneMatch(v -> v > 0)) {
        throw new ShapeException(
            "[%s] a logarithmic axis must have lines or points with positive values; got none."
                .formatted(op));
      }
    }
  }

  /** Sets the ends of the horizontal axis. */
  public Plot xRange(double low, double high) {
    requireAxes("xRange");
    xRange = range("xRange", low, high);
    return this;
  }

  /** Sets the ends of the vertical axis. */
  public Plot yRange(double low, double high) {
    requireAxes("yRange");
    yRange = range("yRange", low, high);
    return this;
  }

  private static Range range(String op, double low, double high) {
    if (!(low < high) || Double.isInfinite(high - low)) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[%s] ends of an axis must be finite and increase; got %s and %s.",
              op,
              low,
              high));
    }
    return new Range(low, high);
  }

  /** Sets the size in pixels; 800 x 500 by default. */
  public Plot size(int width, int height) {
    resize(width, height);
    return this;
  }

  // Drawing

  @Override
  void paint(Graphics2D g, int w, int h) {
    if (bars != null) {
      bars.paint(g, w, h, title, xLabel, yLabel, xRange);
      return;
    }
    if (picture == null) {
      new Axes(title, xLabel, yLabel, logX, logY, xRange, yRange, List.copyOf(layers))
          .paint(g, w, h);
      return;
    }
    int top = title.isEmpty() ? MARGIN : PlotGrid.TITLE_HEIGHT;
    PlotGrid.drawTitle(g, title, w);
    double scale =
        Math.min(
            (w - 2.0 * MARGIN) / picture.getWidth(),
            (h - (double) top - MARGIN) / picture.getHeight());
    int wide = (int) Math.max(1, Math.rint(picture.getWidth() * scale));
    int high = (int) Math.max(1, Math.rint(picture.getHeight() * scale));
    g.setRenderingHint(
        RenderingHints.KEY_INTERPOLATION,
        scale >= 2
            ? RenderingHints.VALUE_INTERPOLATION_NEAREST_NEIGHBOR
            : RenderingHints.VALUE_INTERPOLATION_BILINEAR);
    g.drawImage(picture, (w - wide) / 2, top, wide, high, null);
  }
}
