package ristretto.plot;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.font.TextLayout;
import java.awt.geom.AffineTransform;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.ShapeException;

/** Plots side by side, made by {@link Plot#grid}. */
public final class PlotGrid extends Figure {
  private static final int CELL_WIDTH = 560;
  private static final int CELL_HEIGHT = 400;
  static final int TITLE_HEIGHT = 36;

  /** Font of titles. */
  static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 15);

  private final int rows;
  private final int columns;
  private final List<Plot> plots;
  private String title = "";

  PlotGrid(int rows, int columns, List<Plot> plots) {
    super(columns * CELL_WIDTH, rows * CELL_HEIGHT);
    this.rows = rows;
    this.columns = columns;
    this.plots = plots;
  }

  static PlotGrid of(int rows, int columns, List<Plot> plots) {
    if (rows < 1 || columns < 1 || plots.isEmpty() || plots.size() > (long) rows * columns) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[grid] a grid must have a cell for each of 1 or more plots; got %d plots for %d x %d"
                  + " cells.",
              plots.size(),
              rows,
              columns));
    }
    return new PlotGrid(rows, columns, plots);
  }

  /** Sets the title above all plots. */
  public PlotGrid title(String title) {
    this.title = title;
    return this;
  }

  /** Sets the size of the whole grid in pixels; by default 560 x 400 for each plot. */
  public PlotGrid size(int width, int height) {
    resize(width, height);
    return this;
  }

  @Override
  void paint(Graphics2D g, int w, int h) {
    int top = title.isEmpty() ? 0 : TITLE_HEIGHT;
    drawTitle(g, title, w);
    int cellWidth = w / columns;
    int cellHeight = (h - top) / rows;
    AffineTransform before = g.getTransform();
    for (int k = 0; k < plots.size(); k++) {
      g.translate(k % columns * cellWidth, top + k / columns * cellHeight);
      plots.get(k).paint(g, cellWidth, cellHeight);
      g.setTransform(before);
    }
  }

  static void drawTitle(Graphics2D g, String title, int w) {
    if (title.isEmpty()) {
      return;
    }
    var text = new TextLayout(title, TITLE, g.getFontRenderContext());
    double x = Math.max(4, (w - text.getAdvance()) / 2);
    g.setColor(Color.BLACK);
    g.fill(text.getOutline(AffineTransform.getTranslateInstance(x, TITLE_HEIGHT - 14)));
  }
}
