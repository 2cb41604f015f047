package ristretto.expr.media;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Locale;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;

/**
 * Decoded image in sRGB.
 *
 * @param channels 1 for grey, 3 for red, green and blue, 4 with alpha
 * @param values channels of each pixel, row by row; bytes from 0 to 255
 */
public record Pixels(int width, int height, int channels, byte[] values) {
  /** Channels of an image without alpha. */
  public static final int RGB = 3;

  private static final int RGBA = 4;

  /** Limit of pixels, since a small file may declare a large image. */
  private static final long MOST_PIXELS = 1L << 26;

  private static final long MOST_BYTES = 1L << 28;
  private static final int BYTE = 0xff;

  /** Ratio of 16-bit samples to those of 8 bits. */
  private static final int WIDE = 257;

  /**
   * Decodes a file by a reader of ImageIO.
   *
   * @param op operation that messages name
   * @throws FileException if the file cannot be read
   * @throws FileFormatException if the file is no image that ImageIO decodes, or too large
   */
  public static Pixels read(String op, Path file) {
    byte[] bytes;
    try {
      long size = Files.size(file);
      if (size > MOST_BYTES) {
        throw malformed(
            op, file, "a file must have at most " + MOST_BYTES + " bytes", "" + size, null);
      }
      bytes = Files.readAllBytes(file);
    } catch (IOException e) {
      String why = e instanceof NoSuchFileException ? "no such file" : e.getMessage();
      throw new FileException(
          "[%s] the file must exist and be readable; got %s (%s); check the path."
              .formatted(op, Excerpt.whole(file.toAbsolutePath().toString()), why),
          e);
    }
    try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(bytes))) {
      Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
      if (!readers.hasNext()) {
        throw malformed(
            op, file, "an image must be PNG, JPEG, GIF, BMP or TIFF", "other bytes", null);
      }
      ImageReader reader = readers.next();
      try {
        reader.setInput(in, true, true);
        return decode(op, reader, file);
      } finally {
        reader.dispose();
      }
    } catch (FileFormatException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // Decoders meet damaged files with exceptions of any kind.
      throw malformed(
          op,
          file,
          "an image must be whole, and grey or RGB",
          "'" + Excerpt.of(String.valueOf(e.getMessage())) + "'",
          e);
    }
  }

  private static Pixels decode(String op, ImageReader reader, Path file) throws IOException {
    long width = reader.getWidth(0);
    long height = reader.getHeight(0);
    if (width * height > MOST_PIXELS) {
      throw malformed(
          op,
          file,
          "an image must have at most " + MOST_PIXELS + " pixels",
          String.format(Locale.ROOT, "%d x %d", width, height),
          null);
    }
    BufferedImage image = reader.read(0);
    return isGrey(image) ? grey(image) : rgb(image);
  }

  /** Returns true for samples of grey; {@code getRGB} would take these as linear light. */
  private static boolean isGrey(BufferedImage image) {
    return image.getRaster().getNumBands() < RGB
        && !(image.getColorModel() instanceof IndexColorModel);
  }

  private static Pixels grey(BufferedImage image) {
    Raster raster = image.getRaster();
    boolean alpha = raster.getNumBands() > 1;
    int channels = alpha ? RGBA : 1;
    byte[] values = new byte[channels * image.getWidth() * image.getHeight()];
    int at = 0;
    for (int y = 0; y < image.getHeight(); y++) {
      for (int x = 0; x < image.getWidth(); x++) {
        byte grey = sample(raster, x, y, 0);
        for (int c = 0; c < Math.min(channels, RGB); c++) {
          values[at++] = grey;
        }
        if (alpha) {
          values[at++] = sample(raster, x, y, 1);
        }
      }
    }
    return new Pixels(image.getWidth(), image.getHeight(), channels, values);
  }

  private static byte sample(Raster raster, int x, int y, int band) {
    int v = raster.getSample(raster.getMinX() + x, raster.getMinY() + y, band);
    int bits = raster.getSampleModel().getSampleSize(band);
    if (bits > Byte.SIZE) {
      return (byte) ((v + WIDE / 2) / WIDE);
    }
    return (byte) (v * BYTE / ((1 << bits) - 1));
  }

  private static Pixels rgb(BufferedImage image) {
    int width = image.getWidth();
    boolean alpha = image.getColorModel().hasAlpha();
    int channels = alpha ? RGBA : RGB;
    byte[] values = new byte[channels * width * image.getHeight()];
    int[] row = new int[width];
    int at = 0;
    for (int y = 0; y < image.getHeight(); y++) {
      image.getRGB(0, y, width, 1, row, 0, width);
      for (int v : row) {
        values[at++] = (byte) (v >> 2 * Byte.SIZE);
        values[at++] = (byte) (v >> Byte.SIZE);
        values[at++] = (byte) v;
        if (alpha) {
          values[at++] = (byte) (v >> RGB * Byte.SIZE);
        }
      }
    }
    return new Pixels(width, image.getHeight(), channels, values);
  }

  /** Returns the image with red, green and blue; alpha is dropped. */
  public Pixels toRgb() {
    if (channels == RGB) {
      return this;
    }
    byte[] rgb = new byte[RGB * width * height];
    for (int k = 0; k < width * height; k++) {
      for (int c = 0; c < RGB; c++) {
        rgb[RGB * k + c] = values[channels * k + Math.min(c, channels - 1)];
      }
    }
    return new Pixels(width, height, RGB, rgb);
  }

  private static FileFormatException malformed(
      String op, Path file, String rule, String got, Exception cause) {
    return new FileFormatException(
        "[%s] %s; got %s in %s; remove or convert the file."
            .formatted(op, rule, got, Excerpt.whole(file.toString())),
        cause);
  }

  /** Returns a value from 0 to 255. */
  public int at(int x, int y, int channel) {
    return values[channels * (y * width + x) + channel] & BYTE;
  }
}
