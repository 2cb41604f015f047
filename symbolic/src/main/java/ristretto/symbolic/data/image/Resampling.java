package ristretto.symbolic.data.image;

import ristretto.expr.media.Pixels;

/**
 * Weights of source pixels for each target pixel along one axis: a triangle (linear interpolation),
 * widened to the distance of target pixels where the image shrinks, so that no source pixel is
 * skipped.
 */
final class Resampling {
  private final int[] first;
  private final float[][] weights;

  /**
   * Computes the weights.
   *
   * @param size extent of the source
   * @param from start of the section of the source, in pixels
   * @param length length of the section
   * @param target extent of the result
   */
  Resampling(int size, double from, double length, int target) {
    first = new int[target];
    weights = new float[target][];
    double scale = length / target;
    double radius = Math.max(1, scale);
    for (int k = 0; k < target; k++) {
      double centre = from + (k + 0.5) * scale;
      int start = Math.max(0, (int) Math.floor(centre - radius));
      int end = Math.min(size, (int) Math.ceil(centre + radius));
      start = Math.min(start, size - 1);
      end = Math.max(end, start + 1);
      double[] all = new double[end - start];
      double sum = 0;
      for (int j = 0; j < all.length; j++) {
        all[j] = Math.max(0, 1 - Math.abs(start + j + 0.5 - centre) / radius);
        sum += all[j];
      }
      float[] normal = new float[all.length];
      for (int j = 0; j < all.length; j++) {
        normal[j] = (float) (sum > 0 ? all[j] / sum : 1.0 / all.length);
      }
      first[k] = start;
      weights[k] = normal;
    }
  }

  /**
   * Resamples a section of an image.
   *
   * @param x horizontal weights
   * @param y vertical weights
   * @return values from 0 to 1: {@code [3, height, width]}
   */
  static float[] apply(Pixels image, Resampling x, Resampling y) {
    int width = x.first.length;
    int height = y.first.length;
    int top = y.first[0];
    int bottom = y.first[height - 1] + y.weights[height - 1].length;
    float[] rows = new float[(bottom - top) * width];
    float[] result = new float[Pixels.RGB * height * width];
    for (int channel = 0; channel < Pixels.RGB; channel++) {
      for (int row = top; row < bottom; row++) {
        for (int k = 0; k < width; k++) {
          float sum = 0;
          for (int j = 0; j < x.weights[k].length; j++) {
            sum += x.weights[k][j] * image.at(x.first[k] + j, row, channel);
          }
          rows[(row - top) * width + k] = sum;
        }
      }
      for (int row = 0; row < height; row++) {
        for (int k = 0; k < width; k++) {
          float sum = 0;
          for (int j = 0; j < y.weights[row].length; j++) {
            sum += y.weights[row][j] * rows[(y.first[row] - top + j) * width + k];
          }
          result[(channel * height + row) * width + k] = sum / 255;
        }
      }
    }
    return result;
  }
}
