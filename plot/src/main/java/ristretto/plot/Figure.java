package ristretto.plot;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.nio.file.Path;
import java.util.Locale;
import ristretto.kernels.ShapeException;

/** Drawing with a size, which can be saved and shown. */
public abstract sealed class Figure permits Plot, PlotGrid {
  private static final int MOST = 1 << 14;
  private static final int LEAST = 100;

  private int width;
  private int height;

  Figure(int width, int height) {
    this.width = width;
    this.height = height;
  }

  int width() {
    return width;
  }

  int height() {
    return height;
  }

  void resize(int w, int h) {
    if (w < LEAST || h < LEAST || w > MOST || h > MOST) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[plot] width and height must be from %d to %d pixels; got %d x %d.",
              LEAST,
              MOST,
              w,
              h));
    }
    width = w;
    height = h;
  }

  /** Draws the figure into a rectangle at the origin. */
  abstract void paint(Graphics2D g, int w, int h);

  /** Draws the figure on white, with smooth lines. */
  final void paintAll(Graphics2D g) {
    g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    g.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    g.setColor(Color.WHITE);
    g.fillRect(0, 0, width, height);
    paint(g, width, height);
  }

  /**
   * Writes a file; the extension {@code .png} or {@code .svg} selects the format. A failed write
   * leaves an existing file unchanged. No screen is needed.
   *
   * @throws ristretto.kernels.FileFormatException if the extension is another one
   * @throws ristretto.kernels.FileException if the file cannot be written
   */
  public void save(String file) {
    save(Path.of(file));
  }

  /**
   * Writes a file; the extension {@code .png} or {@code .svg} selects the format; see {@link
   * #save(String)}.
   */
  public void save(Path file) {
    FigureFile.write(this, file);
  }

  /**
   * Shows the figure in a window, and returns at once; the program ends when its windows are
   * closed.
   *
   * @throws ristretto.kernels.DeviceException if there is no screen
   */
  public void show() {
    FigureWindow.open(this);
  }
}
