package ristretto.symbolic.data.image;

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
 * Decoded image in sRGB, without alpha.
 *
 * @param values red, green and blue of each pixel, row by row; bytes from 0 to 255
 */
record Pixels(int width, int height, byte[] values) {
  static final int CHANNELS = 3;

  /** Limit of pixels, since a small file may declare a large image. */
  private static final long MOST_PIXELS = 1L << 26;

  private static final long MOST_BYTES = 1L << 28;
  private static final int BYTE = 0xff;

  /** Ratio of 16-bit samples to those of 8 bits. */
  private static final int WIDE = 257;

  /**
   * Decodes a file by a reader of ImageIO.
   *
   * @throws FileException if the file cannot be read
   * @throws FileFormatException if the file is no image that ImageIO decodes, or too large
   */
  static Pixels read(Path file) {
    byte[] bytes;
    try {
      long size = Files.size(file);
      if (size > MOST_BYTES) {
        throw malformed(file, "a file must have at most " + MOST_BYTES + " bytes", "" + size, null);
      }
      bytes = Files.readAllBytes(file);
    } catch (IOException e) {
      String why = e instanceof NoSuchFileException ? "no such file" : e.getMessage();
      throw new FileException(
          "[images] the file must exist and be readable; got %s (%s); check the path."
              .formatted(Excerpt.whole(file.toAbsolutePath().toString()), why),
          e);
    }
    try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(bytes))) {
      Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
      if (!readers.hasNext()) {
        throw malformed(file, "an image must be PNG, JPEG, GIF, BMP or TIFF", "other bytes", null);
      }
      ImageReader reader = readers.next();
      try {
        reader.setInput(in, true, true);
        return decode(reader, file);
      } finally {
        reader.dispose();
      }
    } catch (FileFormatException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // Decoders meet damaged files with exceptions of any kind.
      throw malformed(
          file,
          "an image must be whole, and grey or RGB",
          "'" + Excerpt.of(String.valueOf(e.getMessage())) + "'",
          e);
    }
  }

  private static Pixels decode(ImageReader reader, Path file) throws IOException {
    long width = reader.getWidth(0);
    long height = reader.getHeight(0);
    if (width * height > MOST_PIXELS) {
      throw malformed(
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
    return image.getRaster().getNumBands() < CHANNELS
        && !(image.getColorModel() instanceof IndexColorModel);
  }

  private static Pixels grey(BufferedImage image) {
    Raster raster = image.getRaster();
    boolean wide = raster.getSampleModel().getSampleSize(0) > Byte.SIZE;
    byte[] values = new byte[CHANNELS * image.getWidth() * image.getHeight()];
    int at = 0;
    for (int y = 0; y < image.getHeight(); y++) {
      for (int x = 0; x < image.getWidth(); x++) {
        int v = raster.getSample(raster.getMinX() + x, raster.getMinY() + y, 0);
        byte b = (byte) (wide ? (v + WIDE / 2) / WIDE : v);
        values[at++] = b;
        values[at++] = b;
        values[at++] = b;
      }
    }
    return new Pixels(image.getWidth(), image.getHeight(), values);
  }

  private static Pixels rgb(BufferedImage image) {
    int width = image.getWidth();
    byte[] values = new byte[CHANNELS * width * image.getHeight()];
    int[] row = new int[width];
    int at = 0;
    for (int y = 0; y < image.getHeight(); y++) {
      image.getRGB(0, y, width, 1, row, 0, width);
      for (int v : row) {
        values[at++] = (byte) (v >> 2 * Byte.SIZE);
        values[at++] = (byte) (v >> Byte.SIZE);
        values[at++] = (byte) v;
      }
    }
    return new Pixels(width, image.getHeight(), values);
  }

  private static FileFormatException malformed(
      Path file, String rule, String got, Exception cause) {
    return new FileFormatException(
        "[images] %s; got %s in %s; remove or convert the file."
            .formatted(rule, got, Excerpt.whole(file.toString())),
        cause);
  }

  /** Returns a value from 0 to 255. */
  int at(int x, int y, int channel) {
    return values[CHANNELS * (y * width + x) + channel] & BYTE;
  }
}
