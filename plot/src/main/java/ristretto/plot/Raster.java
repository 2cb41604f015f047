package ristretto.plot;

import java.awt.image.BufferedImage;

/** Matrix as coloured cells, the first row at the top. */
final class Raster implements Layer {
  private static final int MISSING = 0xd8d8d8;

  final int rows;
  final int columns;
  final double[] values;
  final Range range;

  Raster(int rows, int columns, double[] values) {
    this.rows = rows;
    this.columns = columns;
    this.values = values;
    this.range = Range.of(values);
  }

  BufferedImage image() {
    var image = new BufferedImage(columns, rows, BufferedImage.TYPE_INT_RGB);
    for (int k = 0; k < values.length; k++) {
      double v = values[k];
      int rgb = Double.isFinite(v) ? ColourMap.rgb(range.share(v)) : MISSING;
      image.setRGB(k % columns, k / columns, rgb);
    }
    return image;
  }

  @Override
  public Range x() {
    return new Range(-0.5, columns - 0.5);
  }

  @Override
  public Range y() {
    return new Range(0.5 - rows, 0.5);
  }
}
