package ristretto.plot;

import java.awt.image.BufferedImage;
import ristretto.expr.Expr;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Images made of tensors. */
final class Pictures {
  private static final int LARGEST = 255;

  private Pictures() {}

  static BufferedImage of(Expr<?> a) {
    Shape shape = a.shape();
    long channels = shape.rank() == 3 ? shape.dim(2) : 1;
    if (shape.rank() < 2
        || shape.rank() > 3
        || shape.size() == 0
        || channels != 1 && channels != 3 && channels != 4) {
      throw new ShapeException(
          ("[image] an image must be [height, width] or [height, width, channels] of 1, 3 or 4"
                  + " channels; got %s; reshape or permute it.")
              .formatted(a.label()));
    }
    double[] values = SeriesValues.of("image", a);
    double unit = a.dtype().isFloat() || a.dtype() == (Object) BOOL.INSTANCE ? LARGEST : 1;
    int n = (int) channels;
    int width = (int) shape.dim(1);
    var image = new BufferedImage(width, (int) shape.dim(0), BufferedImage.TYPE_INT_RGB);
    for (int k = 0; k < values.length / n; k++) {
      double alpha = n > 3 ? level(values[n * k + 3], unit) / LARGEST : 1;
      int rgb = 0;
      for (int c = 0; c < 3; c++) {
        double v = level(values[n * k + (n < 3 ? 0 : c)], unit);
        rgb = rgb << Byte.SIZE | (int) Math.rint(alpha * v + (1 - alpha) * LARGEST);
      }
      image.setRGB(k % width, k / width, rgb);
    }
    return image;
  }

  /** Level from 0 to 255; 0 for NaN. */
  private static double level(double v, double unit) {
    return Double.isNaN(v) ? 0 : Math.clamp(v * unit, 0, LARGEST);
  }
}
