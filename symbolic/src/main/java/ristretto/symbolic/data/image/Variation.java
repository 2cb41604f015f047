package ristretto.symbolic.data.image;

import java.util.SplittableRandom;
import ristretto.expr.media.Pixels;

/**
 * Random changes of an image.
 *
 * @param padding border of zeros, in pixels of the result, in which the result is placed anew
 * @param leastArea smallest share of the source's area that a section may have; 1 for all of it
 * @param flip true if half of the images are mirrored
 * @param brightness largest relative change of the brightness
 * @param contrast largest relative change of the contrast
 * @param saturation largest relative change of the saturation
 */
record Variation(
    int padding,
    double leastArea,
    boolean flip,
    double brightness,
    double contrast,
    double saturation) {
  static final Variation NONE = new Variation(0, 1, false, 0, 0, 0);

  private static final double LEAST_RATIO = 3.0 / 4;
  private static final int TRIES = 10;

  /** Weights of red, green and blue in grey (ITU-R BT.601). */
  private static final float[] GREY = {0.299f, 0.587f, 0.114f};

  /** Returns an image {@code [3, height, width]} of values from 0 to 1. */
  float[] apply(Pixels image, int height, int width, SplittableRandom random) {
    double[] section = section(image, random);
    float[] all =
        Resampling.apply(
            image,
            new Resampling(image.width(), section[0], section[2], width),
            new Resampling(image.height(), section[1], section[3], height));
    if (padding > 0) {
      int dx = random.nextInt(2 * padding + 1) - padding;
      int dy = random.nextInt(2 * padding + 1) - padding;
      all = shifted(all, height, width, dx, dy);
    }
    if (flip && random.nextBoolean()) {
      mirror(all, width);
    }
    if (brightness > 0 || contrast > 0 || saturation > 0) {
      colours(all, random);
    }
    return all;
  }

  /** Returns x, y, width and height of a section of the source. */
  private double[] section(Pixels image, SplittableRandom random) {
    if (leastArea < 1) {
      double area = (double) image.width() * image.height();
      for (int k = 0; k < TRIES; k++) {
        double part = area * random.nextDouble(leastArea, 1);
        double bound = -Math.log(LEAST_RATIO);
        double ratio = Math.exp(random.nextDouble(-bound, bound));
        double width = Math.sqrt(part * ratio);
        double height = Math.sqrt(part / ratio);
        if (width <= image.width() && height <= image.height()) {
          return new double[] {
            random.nextDouble() * (image.width() - width),
            random.nextDouble() * (image.height() - height),
            width,
            height
          };
        }
      }
    }
    return new double[] {0, 0, image.width(), image.height()};
  }

  private static float[] shifted(float[] all, int height, int width, int dx, int dy) {
    float[] moved = new float[all.length];
    int count = width - Math.abs(dx);
    for (int row = 0; row < all.length / width; row++) {
      int channel = row / height;
      int from = row % height - dy;
      if (from >= 0 && from < height && count > 0) {
        int source = (channel * height + from) * width;
        System.arraycopy(
            all, source + Math.max(0, -dx), moved, row * width + Math.max(0, dx), count);
      }
    }
    return moved;
  }

  private static void mirror(float[] all, int width) {
    for (int start = 0; start < all.length; start += width) {
      for (int k = 0; k < width / 2; k++) {
        float left = all[start + k];
        all[start + k] = all[start + width - 1 - k];
        all[start + width - 1 - k] = left;
      }
    }
  }

  private void colours(float[] all, SplittableRandom random) {
    float bright = factor(brightness, random);
    float contrasted = factor(contrast, random);
    float saturated = factor(saturation, random);
    int pixels = all.length / Pixels.RGB;
    double sum = 0;
    for (int k = 0; k < all.length; k++) {
      all[k] = clamped(all[k] * bright);
      sum += GREY[k / pixels] * all[k];
    }
    float mean = (float) (sum / pixels);
    for (int k = 0; k < all.length; k++) {
      all[k] = clamped(mean + contrasted * (all[k] - mean));
    }
    for (int k = 0; k < pixels; k++) {
      float grey = grey(all, k);
      for (int c = k; c < all.length; c += pixels) {
        all[c] = clamped(grey + saturated * (all[c] - grey));
      }
    }
  }

  private static float factor(double range, SplittableRandom random) {
    double u = random.nextDouble();
    double least = Math.max(0, 1 - range);
    return (float) (least + u * (1 + range - least));
  }

  private static float clamped(float v) {
    return Math.max(0, Math.min(1, v));
  }

  /** Returns the grey value of a pixel of an image {@code [3, ...]}. */
  static float grey(float[] all, int pixel) {
    int pixels = all.length / Pixels.RGB;
    return GREY[0] * all[pixel] + GREY[1] * all[pixels + pixel] + GREY[2] * all[2 * pixels + pixel];
  }
}
